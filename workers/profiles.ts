import type { HistoryRows, ProfileRow } from '../src/db/history/historyRows.ts';
import type { ScriptProfile } from '../src/rules/prepare.ts';
import type { BatchUser } from './batchUsers.ts';

/**
 * Adds the latest name and email address that the changes of a user in a batch set.
 * @param json a ScriptProfile
 */
export function addProfile({ profiles }: HistoryRows, user: BatchUser, json: string, sequence: number): void {
  const known = user.profile;
  if (known === null) {
    const { tenant, userId } = user;
    const row = { tenant, userId, ...namesOf(json), sequence };
    if (row.name === undefined && row.email === undefined) return;
    user.profile = { row, json };
    profiles.push(row);
    return;
  }
  const { row } = known;
  if (json !== known.json) {
    const names = namesOf(json);
    Object.assign(row, sequence > row.sequence ? names : { ...names, ...setIn(row) });
    known.json = json;
  }
  row.sequence = Math.max(row.sequence, sequence);
}

/** The fields that a change has set. */
function setIn({ name, email }: ProfileRow): Pick<ProfileRow, 'name' | 'email'> {
  return { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
}

/** The passed fields; null clears a field. */
function namesOf(profile: string): Pick<ProfileRow, 'name' | 'email'> {
  const { name, email } = JSON.parse(profile) as ScriptProfile;
  return {
    ...(name !== undefined && { name: name === false ? null : name }),
    ...(email !== undefined && { email: email === false ? null : email }),
  };
}
