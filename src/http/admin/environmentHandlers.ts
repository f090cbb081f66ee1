import type { ListEnvironments } from '../../contract/settings.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

const PRODUCTION = 'production';

/** GET /admin/v1/environments */
export function listEnvironments({
  service: { environment: key },
}: OperationRequest<typeof ListEnvironments>): OperationResponse<typeof ListEnvironments> {
  const name = key.charAt(0).toUpperCase() + key.slice(1);
  return ok([{ name, key, priority: key === PRODUCTION ? 1 : 2 }]);
}
