import { ServiceError } from '../../base/errors.ts';
import type { CreateUser, GetUser, IdentifyUser, UpdateUser } from '../../contract/user.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import type { UserState } from '../../redis/state/userState.ts';
import type { Rules } from '../../rules/rules.ts';
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

/**
 * The same; `user` is null if nobody has the id. The history may have rows of such an id all the same: events
 * that are held, and decisions about them.
 */
export async function findPathUser(
  call: Parameters<typeof readPathUser>[0],
): Promise<{ user: UserState | null; rules: Rules }> {
  try {
    return await readPathUser(call);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'notFound') throw error;
    return { user: null, rules: call.rules };
  }
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
  const { id: passed = id, ...profile } = body;
  if (passed !== id)
    throw new ServiceError('invalid', `id cannot be changed: it must be ${id}, as in the path`);
  const changed = await service.users.identify(rules, id, profile, mustExist);
  return ok(userView(changed.rules, id, changed.user));
}
