import { ServiceError } from '../../base/errors.ts';
import { CreateUser, GetUser, IdentifyUser, UpdateUser } from '../../contract/user.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { userView } from '../../views/userView.ts';
import {
  type CallById,
  type Caller,
  endpoint,
  type OperationRequest,
  type OperationResponse,
  ok,
} from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';

/** The settled user named by the path. */
export const readPathUser = ({ service, rules, path }: CallById): Promise<ChangedUser> =>
  service.users.read(rules, path.id);

/**
 * The same; `user` is null if nobody has the id. The history may have rows of such an id anyway: events
 * that are held, and decisions about them.
 */
export async function findPathUser(call: CallById): Promise<{ user: UserState | null; rules: Rules }> {
  try {
    return await readPathUser(call);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'notFound') throw error;
    return { user: null, rules: call.rules };
  }
}

export const getUser = endpoint(GetUser, async (call) => {
  const { rules, user } = await readPathUser(call);
  return ok(userView(rules, call.path.id, user));
});

export const createUser = endpoint(CreateUser, async ({ service, rules, body }) => {
  const { id, ...profile } = body;
  const changed = await service.users.identify(rules, id, profile);
  return { status: 201, body: userView(changed.rules, id, changed.user) };
});

export const identifyUser = endpoint(IdentifyUser, (call) => changeUser(call, false));

/** The user must exist. */
export const updateUser = endpoint(UpdateUser, (call) => changeUser(call, true));

async function changeUser(
  { service, rules, path: { id }, body }: OperationRequest<typeof IdentifyUser>,
  mustExist: boolean,
): Promise<OperationResponse<typeof IdentifyUser>> {
  const { id: passed = id, ...profile } = body;
  if (passed !== id) throw invalid(`id cannot be changed: it must be ${id}, as in the path`);
  const changed = await service.users.identify(rules, id, profile, mustExist);
  return ok(userView(changed.rules, id, changed.user));
}

/** The users, settled, in the given order; null for unknown users. */
export function readUsers(
  { service, rules }: Pick<Caller, 'service' | 'rules'>,
  userIds: readonly string[],
): Promise<(ChangedUser | null)[]> {
  return Promise.all(userIds.map((userId) => service.users.read(rules, userId).catch(nullIfNotFound)));
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'notFound') return null;
  throw error;
}
