import type { HistoryRows } from '../src/db/history/historyRows.ts';
import type { Changes, Settled } from '../src/redis/outcome.ts';
import type { ScriptProfile } from '../src/rules/prepare.ts';
import type { BatchUser } from './batchUsers.ts';
import { addProfile } from './profiles.ts';

/** Adds the latest standings of a user in a batch, because active users change many times in one. */
export function addStandings(
  rows: HistoryRows,
  user: BatchUser,
  profile: string | null,
  outcome: Changes | Settled,
): void {
  const { sequence, points } = outcome;
  for (const { system, total } of points) addTotal(rows, user, system, total, sequence);
  if (profile !== null) addProfile(rows, user, profile, sequence);
  if (profile?.includes('"attributes"')) addAttributes(rows, user, profile, sequence);
  // Any other change leaves the streak as it is.
  if (outcome.streak.lastPeriod > 0 && (outcome.extended || outcome.streak.length === 0 || 'covered' in outcome)) {
    addStreak(rows, user, outcome);
  }
}

function addTotal({ pointsTotals }: HistoryRows, user: BatchUser, system: number, total: number, sequence: number) {
  const known = user.totals.find((row) => row.system === system);
  if (known === undefined) {
    const { tenant, userId } = user;
    const row = { tenant, userId, system, total, sequence };
    user.totals.push(row);
    pointsTotals.push(row);
  } else if (sequence > known.sequence) {
    known.total = total;
    known.sequence = sequence;
  }
}

function addStreak({ streakStandings }: HistoryRows, user: BatchUser, { frequency, streak, sequence }: Changes): void {
  const { length, lastPeriod } = streak;
  const known = user.streaks.find((row) => row.frequency === frequency);
  if (known === undefined) {
    const { tenant, userId } = user;
    const row = { tenant, userId, frequency, length, lastPeriod, longest: length, sequence };
    user.streaks.push(row);
    streakStandings.push(row);
    return;
  }
  known.longest = Math.max(known.longest, length);
  if (sequence > known.sequence) Object.assign(known, { length, lastPeriod, sequence });
}

function addAttributes({ userAttributes }: HistoryRows, user: BatchUser, profile: string, sequence: number): void {
  const { attributes = [] } = JSON.parse(profile) as ScriptProfile;
  for (let i = 0; i < attributes.length; i += 2) {
    const attribute = attributes[i] as number;
    const passed = attributes[i + 1] as string | false;
    const value = passed === false ? null : passed;
    const known = user.attributes.find((row) => row.attribute === attribute);
    if (known === undefined) {
      const { tenant, userId } = user;
      const row = { tenant, userId, attribute, value, sequence };
      user.attributes.push(row);
      userAttributes.push(row);
    } else if (sequence > known.sequence) {
      known.value = value;
      known.sequence = sequence;
    }
  }
}
