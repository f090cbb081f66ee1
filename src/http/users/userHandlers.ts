import type { CreateUser, GetUser, IdentifyUser, UpdateUser } from '../../contract/user.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import { userView } from '../../views/userView.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

/** The settled user named by the path. */
export function readPathUser({
  service,
  rules,
  path,
}: Omit<OperationRequest, 'path'> & { path: { id: string } }): Promise<ChangedUser> {
  return service.users.read(rules, path.id);
}

/** GET /users/{id} */
export async function getUser(
  call: OperationRequest<typeof GetUser>,
): Promise<OperationResponse<typeof GetUser>> {
  const { rules, user } = await readPathUser(call);
  return ok(userView(rules, call.path.id, user));
}

/** POST /users */
export async function createUser({
  service,
  rules,
  body,
}: OperationRequest<typeof CreateUser>): Promise<OperationResponse<typeof CreateUser>> {
  const { id, ...profile } = body;
  const changed = await service.users.identify(rules, id, profile);
  return { status: 201, body: userView(changed.rules, id, changed.user) };
}

/** PUT /users/{id}: creates or updates. */
export function identifyUser(
  call: OperationRequest<typeof IdentifyUser>,
): Promise<OperationResponse<typeof IdentifyUser>> {
  return changeUser(call, false);
}

/** PATCH /users/{id}: the user must exist. */
export function updateUser(
  call: OperationRequest<typeof UpdateUser>,
): Promise<OperationResponse<typeof UpdateUser>> {
  return changeUser(call, true);
}

async function changeUser(
  { service, rules, path: { id }, body }: OperationRequest<typeof IdentifyUser>,
  mustExist: boolean,
): Promise<OperationResponse<typeof IdentifyUser>> {
  const changed = await service.users.identify(rules, id, body, mustExist);
  return ok(userView(changed.rules, id, changed.user));
}
