import { ServiceError } from '../base/errors.ts';
import { USER_ID_CHARS_MAX } from '../base/limits.ts';
import { UpdatedUser, UpsertedUser } from '../contract/user.ts';
import { createValidator } from '../contract/validator.ts';
import type { ChangedUser } from '../redis/userChanges.ts';
import type { UserState } from '../redis/userState.ts';
import type { Rules } from '../rules/rules.ts';
import { type Answer, type Call, ok } from './endpoint.ts';

const validateUpdatedUser = createValidator(UpdatedUser);
const validateUpsertedUser = createValidator(UpsertedUser);

/** `User` (spec: Get User response fields). */
export function userView(rules: Rules, id: string, user: UserState): object {
  const attributes: Record<string, string> = {};
  for (const attribute of rules.userAttributeByKey.values()) {
    const value = user.attributes.get(attribute.no);
    if (value !== undefined) attributes[attribute.key] = value;
  }
  return {
    id,
    email: user.email,
    name: user.name,
    tz: user.tz,
    deviceTokens: user.deviceTokens,
    subscribeToEmails: user.subscribeToEmails,
    attributes,
    control: user.control,
    created: new Date(user.created).toISOString(),
    updated: new Date(user.updated).toISOString(),
  };
}

/** The user that the first part of the path names, settled. */
export function readPathUser({ service, rules, parameters }: Call): Promise<ChangedUser> {
  return service.users.read(rules, parameters[0]!);
}

/** GET /users/{id} */
export async function getUser(call: Call): Promise<Answer> {
  const { rules, user } = await readPathUser(call);
  return ok(userView(rules, call.parameters[0]!, user));
}

/** POST /users */
export async function createUser({ service, rules, body }: Call): Promise<Answer> {
  const { id, ...profile } = validateUpsertedUser(body);
  const changed = await service.users.identify(rules, id, profile);
  return { status: 201, body: userView(changed.rules, id, changed.user) };
}

/** PUT /users/{id}: creates or updates (spec: Identify a user explicitly). */
export function identifyUser(call: Call): Promise<Answer> {
  return changeUser(call, false);
}

/** PATCH /users/{id}: the user must exist. */
export function updateUser(call: Call): Promise<Answer> {
  return changeUser(call, true);
}

async function changeUser({ service, rules, parameters, body }: Call, mustExist: boolean): Promise<Answer> {
  const id = parameters[0]!;
  if (id === '' || id.length > USER_ID_CHARS_MAX) {
    throw new ServiceError('invalid', `The user id must have 1 to ${USER_ID_CHARS_MAX} characters`);
  }
  const changed = await service.users.identify(rules, id, validateUpdatedUser(body), mustExist);
  return ok(userView(changed.rules, id, changed.user));
}
