import type { HistoryRows, ProfileRow } from '../../src/db/history/historyRows.ts';
import type { ScriptProfile } from '../../src/rules/prepare.ts';
import type { BatchUser } from './batchUsers.ts';

/**
 * Adds the latest name and email address that the changes of a user in a batch set.
 * @param json a ScriptProfile
 */
export function addProfile({ profiles }: HistoryRows, user: BatchUser, json: string, sequence: number): void {
  const known = user.profile;
  if (known === null) {
    const { name, email } = namesOf(json);
    if (name === undefined && email === undefined) return;
    const row = { tenant: user.tenant, userId: user.userId, name, email, sequence };
    user.profile = { row, json };
    profiles.push(row);
    return;
  }
  const { row } = known;
  if (json !== known.json) {
    const { name, email } = namesOf(json);
    const isLater = sequence > row.sequence;
    if (name !== undefined && (isLater || row.name === undefined)) row.name = name;
    if (email !== undefined && (isLater || row.email === undefined)) row.email = email;
    known.json = json;
  }
  row.sequence = Math.max(row.sequence, sequence);
}

/** The passed fields; null clears a field, undefined leaves it as it is. */
function namesOf(profile: string): Pick<ProfileRow, 'name' | 'email'> {
  const { name, email } = JSON.parse(profile) as ScriptProfile;
  return { name: name === false ? null : name, email: email === false ? null : email };
}
