import { completionId, derivedId, outboxId } from '../src/base/ids.ts';
import { type DayOf, type HistoryRows, noHistoryRows } from '../src/db/historyRows.ts';
import type { EventChange, OutboxEntry, UserChange } from '../src/redis/outbox.ts';
import type { BoardChange, Changes, Settled } from '../src/redis/outcome.ts';
import { ActivityDays, figuresOf } from './entryFigures.ts';
import type { StreamEntry } from './outboxReader.ts';
import { LatestStandings } from './standings.ts';

export interface DecodedEntry {
  source: StreamEntry;
  entry: OutboxEntry;
}

/**
 * The rows of history of a batch of entries, without states. Pure: the same entries always give the same rows.
 */
export function toHistory(entries: readonly DecodedEntry[], dayOf?: DayOf): HistoryRows {
  const rows = noHistoryRows(dayOf);
  const days = new LeaderboardDays(rows.leaderboardChanges);
  const standings = new LatestStandings(rows);
  const activity = new ActivityDays(rows.activity);
  for (const { source, entry } of entries) {
    const { tenant } = entry;
    rows.entries.push({ cell: source.cell, entryId: source.id, figures: figuresOf(entry, rows.dayOf) });
    if (entry.fn === 'recordEvents') {
      const day = rows.dayOf(tenant, entry.now);
      for (const { change, outcome } of entry.changes) {
        standings.add(tenant, change.userId, change.profile, outcome);
        addEvent(rows, tenant, change, outcome, entry.now);
        activity.add(tenant, change.userId, change.metric, day);
        addChanges(rows, days, tenant, change, outcome, entry.now);
      }
    } else if (entry.fn === 'settleUsers') {
      for (const { change, outcome } of entry.changes) {
        standings.add(tenant, change.userId, null, outcome);
        const { userId, at } = change;
        addChanges(rows, days, tenant, change, outcome, at);
        addAwards(rows, tenant, userId, outboxId(source.cell, source.id, `${userId} ${at}`), outcome, at);
        addSettled(rows, tenant, userId, outcome, at);
      }
    } else {
      for (const { change, outcome } of entry.changes) {
        standings.add(tenant, change.userId, change.profile, outcome);
        const { userId, revoked: achievement } = change;
        addChanges(rows, days, tenant, change, outcome, entry.now);
        addAwards(rows, tenant, userId, awardsBaseId(source, tenant, change, outcome), outcome, entry.now);
        if (achievement !== null) rows.revocations.push({ tenant, userId, achievement, revokedAt: entry.now });
      }
    }
  }
  return rows;
}

function addEvent(rows: HistoryRows, tenant: number, event: EventChange, outcome: Changes, now: number): void {
  rows.events.push({
    tenant,
    userId: event.userId,
    metric: event.metric,
    recordedAt: now,
    sequence: outcome.sequence,
    day: outcome.day,
    value: event.value,
    total: outcome.total,
    eventId: event.eventId,
    fingerprint: event.fingerprint,
    attributes: event.attributes.length === 0 ? null : attributesJson(event.attributes),
    awards: awardsJson(outcome.points),
  });
}

/** Awards are numbered by their order, across the systems of a change, as in the response to the event. */
function awardsJson(points: Changes['points']): string | null {
  let json = '';
  for (const { system, awards } of points) {
    for (const { trigger, awarded, total, boosts } of awards) {
      const own = boosts.length === 0 ? '' : `,[${boosts.join(',')}]`;
      json += `${json === '' ? '[' : ','}[${system},${trigger},${awarded},${total}${own}]`;
    }
  }
  return json === '' ? null : `${json}]`;
}

/** JSON `{"<no>":"value"}` of the attributes; cleared attributes are left out. */
function attributesJson(pairs: EventChange['attributes']): string | null {
  const values: Record<number, string> = {};
  for (let i = 0; i < pairs.length; i += 2) {
    const value = pairs[i + 1];
    if (typeof value === 'string') values[pairs[i] as number] = value;
  }
  const json = JSON.stringify(values);
  return json === '{}' ? null : json;
}

function addChanges(
  rows: HistoryRows,
  days: LeaderboardDays,
  tenant: number,
  { userId, control = false }: { userId: string; control?: boolean },
  outcome: Changes,
  now: number,
): void {
  const { day, sequence } = outcome;
  if (outcome.isNew) rows.users.push({ tenant, userId, createdAt: now, control });
  for (const achievement of outcome.completed) {
    rows.completions.push({ tenant, userId, achievement, completedAt: now, day });
  }
  if (outcome.extended) {
    const { frequency, streak } = outcome;
    const { lastPeriod: period, length } = streak;
    rows.extensions.push({ tenant, userId, frequency, period, length, day, extendedAt: now, madeGoodBy: null });
  }
  for (const change of outcome.boards) days.add(tenant, userId, change, day, sequence, now);
}

/** Adds the awards of a change other than an event, numbered across its systems. */
function addAwards(
  rows: HistoryRows,
  tenant: number,
  userId: string,
  awardsBase: string,
  { day, sequence, points }: Changes,
  now: number,
): void {
  let n = 0;
  for (const { system, awards } of points) {
    for (const { trigger, awarded, total, boosts } of awards) {
      n++;
      const id = derivedId(awardsBase, n);
      rows.awards.push({
        tenant,
        userId,
        system,
        recordedAt: now,
        sequence,
        n,
        id,
        trigger,
        day,
        awarded,
        total,
        boosts,
      });
    }
  }
}

/**
 * Adds the results of settling: missed periods that a freeze or a pause made good (the length is unchanged), a lost streak, and earned
 * freezes.
 */
function addSettled(rows: HistoryRows, tenant: number, userId: string, outcome: Settled, now: number): void {
  const { frequency, lost, earned } = outcome;
  if (lost > 0) {
    const { lastPeriod: period } = outcome.streak;
    rows.losses.push({ tenant, userId, frequency, period, length: lost, lostAt: now });
  }
  if (earned > 0) rows.earnedFreezes.push({ tenant, userId, earnedAt: now, freezes: earned });
  const length = outcome.lost || outcome.streak.length;
  for (const { period, by } of outcome.covered) {
    rows.extensions.push({
      tenant,
      userId,
      frequency,
      period,
      length,
      day: outcome.day,
      extendedAt: now,
      madeGoodBy: by,
    });
  }
}

/**
 * The id from which the ids of a user change's awards are derived: the id of a completion by API or of an adjustment, else the position
 * in the outbox.
 */
function awardsBaseId(
  source: StreamEntry,
  tenant: number,
  { userId, achievement, adjustmentId }: UserChange,
  outcome: Changes,
): string {
  if (achievement !== null && outcome.completed.includes(achievement)) {
    return completionId(tenant, userId, achievement);
  }
  return adjustmentId ?? outboxId(source.cell, source.id, userId);
}

/** Combines the changes of each user, day and leaderboard in a batch, because active users change places many times. */
class LeaderboardDays {
  readonly #rows: HistoryRows['leaderboardChanges'];
  readonly #byKey = new Map<string, HistoryRows['leaderboardChanges'][number]>();

  constructor(rows: HistoryRows['leaderboardChanges']) {
    this.#rows = rows;
  }

  add(tenant: number, userId: string, change: BoardChange, day: number, sequence: number, now: number): void {
    const { board, run, rank, previousRank, score, previousScore, group } = change;
    const key = `${tenant}:${board}:${run}:${day}:${userId.length}:${userId}${group}`;
    let row = this.#byKey.get(key);
    if (row === undefined) {
      row = {
        tenant,
        userId,
        leaderboard: board,
        run,
        day,
        group,
        rank,
        value: score,
        previousRank,
        previousValue: previousScore,
        changedAt: now,
        firstSequence: sequence,
        lastSequence: sequence,
      };
      this.#byKey.set(key, row);
      this.#rows.push(row);
    } else if (sequence > row.lastSequence) {
      Object.assign(row, { rank, value: score, changedAt: now, lastSequence: sequence });
    } else if (sequence < row.firstSequence) {
      Object.assign(row, { previousRank, previousValue: previousScore, firstSequence: sequence });
    }
  }
}
