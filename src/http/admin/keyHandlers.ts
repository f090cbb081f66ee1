import { revokeAdminKey, rotateAdminKey } from '../../admin/changeKeys.ts';
import type { RevokeAdminKey, RotateAdminKey } from '../../contract/adminAccess.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

/** POST /admin/v1/api-keys/{id}/rotate */
export async function rotateKey(
  call: OperationRequest<typeof RotateAdminKey>,
): Promise<OperationResponse<typeof RotateAdminKey>> {
  return { status: 201, body: await rotateAdminKey(contextOf(call), call.path.id) };
}

/** POST /admin/v1/api-keys/{id}/revoke */
export async function revokeKey(
  call: OperationRequest<typeof RevokeAdminKey>,
): Promise<OperationResponse<typeof RevokeAdminKey>> {
  return ok(await revokeAdminKey(contextOf(call), call.path.id));
}
