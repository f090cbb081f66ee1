import { ServiceError } from '../../base/errors.ts';

/** The headers of a request, or a substitute, in which a call names its tenant. */
export interface TenantHeaders {
  getHeader(name: string): string;
}

/**
 * Your own id of the tenant in the header Tenant-ID; empty without one. The header holds it percent-encoded
 * (RFC 3986): headers carry printable ASCII only.
 * @throws ServiceError `invalid`
 */
export function readTenantId(headers: TenantHeaders): string {
  const inHeader = headers.getHeader('tenant-id');
  if (!inHeader.includes('%')) return inHeader;
  try {
    return decodeURIComponent(inHeader);
  } catch {
    throw new ServiceError('invalid', 'Tenant-ID must be percent-encoded, a % as %25');
  }
}

/** Headers that name this tenant. */
export const namingTenant = (tenantId: string): TenantHeaders => ({
  getHeader: () => encodeURIComponent(tenantId.toWellFormed()),
});
