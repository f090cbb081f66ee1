import { derivedId } from '../../src/base/ids.ts';
import type { HistoryRows } from '../../src/db/history/historyRows.ts';
import type { ImportedUser } from '../../src/redis/decoding/importedUsers.ts';
import type { Changes } from '../../src/redis/decoding/outcome.ts';
import { IMPORT_TRIGGER, ORIGIN_ATTRIBUTE } from '../../src/rules/award.ts';
import { periodDays } from '../../src/rules/calendar.ts';
import type { BatchUser } from './batchUsers.ts';
import { addCovered } from './coveredHistory.ts';
import { addStreak, addTotal } from './standings.ts';

/** JSON of the attributes of an event that stands for an imported total. */
const IMPORTED = JSON.stringify({ [ORIGIN_ATTRIBUTE]: 'import' });

/**
 * Adds what an import has set: each total as one event or award of the difference, so that the history adds
 * up to the totals, achievements at their own instants, and the last period of the streak.
 * @param baseId from which the ids of events and awards are derived
 */
export function addImportedUser(
  rows: HistoryRows,
  user: BatchUser,
  imported: ImportedUser,
  outcome: Changes,
  { at, baseId }: { at: number; baseId: string },
): void {
  const { tenant, userId } = user;
  const { sequence, day, frequency, isNew } = outcome;
  let n = 0;
  for (const { entity: metric, change: value, total } of imported.metrics) {
    n++;
    const eventId = derivedId(baseId, n);
    const event = { tenant, userId, metric, recordedAt: at, sequence, day, value, total, eventId };
    rows.events.push({ ...event, fingerprint: null, arrivedAt: null, attributes: IMPORTED, awards: null });
  }
  for (const [i, { entity: system, change: awarded, total }] of imported.points.entries()) {
    n++;
    const award = { tenant, userId, system, recordedAt: at, sequence, n: i + 1, id: derivedId(baseId, n) };
    rows.awards.push({ ...award, trigger: IMPORT_TRIGGER, day, awarded, total, boosts: [], reward: null });
    addTotal(rows, user, system, total, sequence);
  }
  for (const { achievement, completedAt } of imported.achievements)
    rows.completions.push({ tenant, userId, achievement, completedAt, day: rows.dayOf(tenant, completedAt) });
  if (imported.longest > 0) addStreak(rows, user, outcome, imported.longest);
  if (imported.streak !== null) {
    const { length, lastPeriod: period, extendedAt } = imported.streak;
    const { end } = periodDays(frequency, period);
    const extension = { tenant, userId, frequency, period, length, day: end, extendedAt };
    rows.extensions.push({ ...extension, madeGoodBy: null });
  }
  addCovered(rows, user, outcome, imported.covered, at);
  if (isNew && imported.created !== null) rows.users.at(-1)!.createdAt = imported.created;
}
