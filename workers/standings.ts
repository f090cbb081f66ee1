import type { HistoryRows, PointsTotalRow, StreakStandingRow, UserAttributeRow } from '../src/db/historyRows.ts';
import type { Changes, Settled } from '../src/redis/outcome.ts';
import type { ScriptProfile } from '../src/rules/prepare.ts';
import { LatestProfiles } from './profiles.ts';

/** Collects the latest standings of each user in a batch, because active users change many times in one. */
export class LatestStandings {
  readonly #rows: HistoryRows;
  readonly #totals = new Map<string, PointsTotalRow>();
  readonly #attributes = new Map<string, UserAttributeRow>();
  readonly #streaks = new Map<string, StreakStandingRow>();
  readonly #profiles: LatestProfiles;

  constructor(rows: HistoryRows) {
    this.#rows = rows;
    this.#profiles = new LatestProfiles(rows.profiles);
  }

  add(tenant: number, userId: string, profile: string | null, outcome: Changes | Settled): void {
    const { sequence, points, extended, frequency, streak } = outcome;
    for (const { system, total } of points) {
      const row = { tenant, userId, system, total, sequence };
      keepLatest(this.#totals, this.#rows.pointsTotals, `${tenant}:${system}:${userId}`, row);
    }
    if (profile !== null) this.#profiles.add(tenant, userId, profile, sequence);
    if (profile?.includes('"attributes"')) this.#addAttributes(tenant, userId, profile, sequence);
    // Any other change leaves the streak as it is.
    if (streak.lastPeriod > 0 && (extended || streak.length === 0 || 'covered' in outcome)) {
      const { length, lastPeriod } = streak;
      const row = { tenant, userId, frequency, length, lastPeriod, longest: length, sequence };
      const key = `${tenant}:${frequency}:${userId}`;
      const known = this.#streaks.get(key);
      if (known !== undefined) row.longest = known.longest = Math.max(known.longest, length);
      keepLatest(this.#streaks, this.#rows.streakStandings, key, row);
    }
  }

  #addAttributes(tenant: number, userId: string, profile: string, sequence: number): void {
    const { attributes = [] } = JSON.parse(profile) as ScriptProfile;
    for (let i = 0; i < attributes.length; i += 2) {
      const attribute = attributes[i] as number;
      const passed = attributes[i + 1] as string | false;
      const value = passed === false ? null : passed;
      const row = { tenant, userId, attribute, value, sequence };
      keepLatest(this.#attributes, this.#rows.userAttributes, `${tenant}:${attribute}:${userId}`, row);
    }
  }
}

function keepLatest<T extends { sequence: number }>(known: Map<string, T>, rows: T[], key: string, row: T): void {
  const before = known.get(key);
  if (before === undefined) {
    known.set(key, row);
    rows.push(row);
  } else if (row.sequence > before.sequence) {
    Object.assign(before, row);
  }
}
