import { session, signIn } from '../api/session.ts';
import type { Tenant } from '../api/types.ts';
import { forgetAnswers, useApi } from '../api/useApi.ts';

/** Chooses the tenant that is shown, where there are tenants. */
export function TenantChoice() {
  const { data: tenants } = useApi<Tenant[]>('/tenants', { limit: 100 });
  const signedIn = session.value;
  if (!tenants || tenants.length === 0 || signedIn === null) return null;
  const choose = (tenant: string): void => {
    forgetAnswers();
    signIn({ ...signedIn, tenant: tenant || null });
  };
  return (
    <div class="field">
      <label for="tenant">Tenant</label>
      <select id="tenant" value={signedIn.tenant ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">Choose…</option>
        {tenants
          .filter(({ status }) => status === 'active')
          .map(({ customerId, name }) => (
            <option key={customerId} value={customerId}>
              {name}
            </option>
          ))}
      </select>
    </div>
  );
}
