import { ServiceError } from '../base/errors.ts';
import type { BulkStreakResponse, ListStreaks } from '../contract/streak.ts';
import type { ChangedUser } from '../redis/userChanges.ts';
import { type Answer, type Call, ok } from './endpoint.ts';

/** GET /streaks?userIds=: the users that there are of those named, longest streak first, equal ones as they were named. */
export async function listStreaks({
  service,
  rules,
  query,
}: Call<typeof ListStreaks>): Promise<Answer<typeof ListStreaks>> {
  const userIds = [...new Set(query.userIds)];
  const found = await Promise.all(userIds.map((userId) => service.users.read(rules, userId).catch(nullIfNotFound)));
  const streaks = found.flatMap((changed, i) => (changed === null ? [] : [bulkStreakView(userIds[i]!, changed)]));
  return ok(streaks.sort((a, b) => b.streakLength - a.streakLength));
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'notFound') return null;
  throw error;
}

function bulkStreakView(userId: string, { user, rules }: ChangedUser): BulkStreakResponse[number] {
  const { length, extendedAt } = user.streaks[rules.config.streak.frequency];
  return { userId, streakLength: length, extended: extendedAt === 0 ? null : new Date(extendedAt).toISOString() };
}
