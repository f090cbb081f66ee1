import type { UpdateUserPreferencesRequest } from '../../contract/preferences.ts';
import { listOpenRankings } from '../../db/leaderboards/hiddenUserRows.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { History } from '../availability/historyReads.ts';
import type { ChangedUser, UserChanges } from './userChanges.ts';

/** Sets the passed preferences of a user, who leaves all rankings if they say so: the history knows them. */
export async function changePreferences(
  { users, history }: { users: Pick<UserChanges, 'prefer'>; history: Pick<History, 'readUser'> },
  rules: Rules,
  userId: string,
  preferences: UpdateUserPreferencesRequest,
): Promise<ChangedUser> {
  const key = { tenant: rules.tenant, userId };
  const isOptOut = preferences.leaderboards?.visible === false;
  const earlier = isOptOut ? await history.readUser(key, (rows) => listOpenRankings(rows, key, null)) : [];
  return users.prefer(rules, userId, preferences, earlier);
}
