import { ServiceError } from '../../base/errors.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import type { Caller } from '../request/endpoint.ts';

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
