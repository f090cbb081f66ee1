import type { HistoryRows, ProfileRow } from '../../src/db/history/historyRows.ts';
import type { Changes, Settled } from '../../src/redis/decoding/outcome.ts';
import type { ScriptProfile } from '../../src/rules/inForce/prepare.ts';
import { type BatchUser, withRow } from './batchUsers.ts';

/**
 * Adds the latest standings of a user in a batch, because active users change many times in one.
 * @param mayAmend whether a late event or an administrator may have changed the streak in any way
 */
export function addStandings(
  rows: HistoryRows,
  user: BatchUser,
  profile: string | null,
  outcome: Changes | Settled,
  mayAmend = false,
): void {
  const { sequence, points } = outcome;
  for (const { system, total } of points) addTotal(rows, user, system, total, sequence);
  if (profile !== null) addProfile(rows, user, profile, sequence);
  if (profile?.includes('"attributes"')) addAttributes(rows, user, profile, sequence);
  // Any other change leaves the streak as it is.
  if (
    outcome.streak.lastPeriod > 0 &&
    (outcome.extended || outcome.streak.length === 0 || mayAmend || 'covered' in outcome)
  ) {
    addStreak(rows, user, outcome);
  }
}

/**
 * Adds a row to the batch and to its user, unless the user has the same one with other values: then the later
 * ones stay.
 * @returns the rows of the user
 */
function keepLatest<R extends { sequence: number }>(
  ofBatch: R[],
  ofUser: R[],
  row: R,
  isSame: (known: R) => boolean,
): R[] {
  const known = ofUser.find(isSame);
  if (known === undefined) {
    ofBatch.push(row);
    return withRow(ofUser, row);
  }
  if (row.sequence > known.sequence) Object.assign(known, row);
  return ofUser;
}

export function addTotal(
  { pointsTotals }: HistoryRows,
  user: BatchUser,
  system: number,
  total: number,
  sequence: number,
) {
  const row = { tenant: user.tenant, userId: user.userId, system, total, sequence };
  user.totals = keepLatest(pointsTotals, user.totals, row, (known) => known.system === system);
}

/** @param longestBefore of the user elsewhere */
export function addStreak(
  { streakStandings }: HistoryRows,
  user: BatchUser,
  { frequency, streak, sequence }: Changes,
  longestBefore = 0,
): void {
  const { length, lastPeriod } = streak;
  const isSame = (known: { frequency: string }): boolean => known.frequency === frequency;
  const longest = Math.max(length, longestBefore, user.streaks.find(isSame)?.longest ?? 0);
  const row = { tenant: user.tenant, userId: user.userId, frequency, length, lastPeriod, longest, sequence };
  user.streaks = keepLatest(streakStandings, user.streaks, row, isSame);
  user.streaks.find(isSame)!.longest = longest;
}

function addAttributes(
  { userAttributes }: HistoryRows,
  user: BatchUser,
  profile: string,
  sequence: number,
): void {
  const { attributes = [] } = JSON.parse(profile) as ScriptProfile;
  for (let i = 0; i < attributes.length; i += 2) {
    const attribute = attributes[i] as number;
    const passed = attributes[i + 1] as string | false;
    const row = {
      tenant: user.tenant,
      userId: user.userId,
      attribute,
      value: passed === false ? null : passed,
      sequence,
    };
    user.attributes = keepLatest(
      userAttributes,
      user.attributes,
      row,
      (known) => known.attribute === attribute,
    );
  }
}

/**
 * Adds the latest name and email address that the changes of a user in a batch set.
 * @param json a ScriptProfile
 */
function addProfile({ profiles }: HistoryRows, user: BatchUser, json: string, sequence: number): void {
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
