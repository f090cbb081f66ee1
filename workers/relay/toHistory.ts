import { completionId, derivedId, outboxId, rewardId } from '../../src/base/ids.ts';
import type { DayOf } from '../../src/db/analytics/dailyCounts.ts';
import { type HistoryRows, noHistoryRows } from '../../src/db/history/historyRows.ts';
import type {
  EventChange,
  LateChange,
  OutboxEntry,
  PastEventChange,
  RewardChange,
  UserChange,
} from '../../src/redis/decoding/outbox.ts';
import type { BoardChange, Changes, Settled } from '../../src/redis/decoding/outcome.ts';
import { AMEND } from '../../src/redis/lua/scriptConstants.ts';
import { type AwardReward, rewardTrigger } from '../../src/rules/award.ts';
import { dateOfDay, periodOfDay } from '../../src/rules/calendar.ts';
import { BatchRows, type BatchUser, withRow } from './batchUsers.ts';
import { addActiveDay, countsOf } from './countEntry.ts';
import { addCovered } from './coveredHistory.ts';
import { attributesJson, awardsJson } from './eventJson.ts';
import { addImportedUser } from './importedHistory.ts';
import type { StreamEntry } from './outboxReader.ts';
import { addRepair, repairedOf } from './repaired.ts';
import { addStandings } from './standings.ts';

export interface DecodedEntry {
  source: StreamEntry;
  entry: OutboxEntry;
}

/**
 * The rows of history of a batch of entries, without states. Pure: the same entries always give the same
 * rows.
 */
export function toHistory(entries: readonly DecodedEntry[], dayOf?: DayOf): HistoryRows {
  const rows = noHistoryRows(dayOf);
  const users = new BatchRows();
  for (const { source, entry } of entries) {
    const { tenant } = entry;
    const [events, awards] = [rows.events.length, rows.awards.length];
    if (entry.fn === 'recordEvents') {
      const day = rows.dayOf(tenant, entry.now);
      for (const { change, outcome } of entry.changes) {
        const { late } = change;
        const user = users.of(tenant, change.userId);
        addStandings(rows, user, change.profile, outcome, late !== null);
        addEvent(rows, tenant, change, outcome, late?.at ?? entry.now, late && entry.now);
        addActiveDay(rows, user, change.metric, late === null ? day : rows.dayOf(tenant, late.at));
        addChanges(rows, user, change.control, outcome, entry.now, late);
      }
    } else if (entry.fn === 'settleUsers') {
      for (const { change, outcome } of entry.changes) {
        const { userId, at } = change;
        const user = users.of(tenant, userId);
        addStandings(rows, user, null, outcome);
        addChanges(rows, user, false, outcome, at);
        if (outcome.points.length > 0)
          addAwards(rows, tenant, userId, outboxId(source.cell, source.id, `${userId} ${at}`), outcome, at);
        addSettled(rows, tenant, userId, outcome, at);
      }
    } else if (entry.fn === 'importEvents') {
      for (const { change, outcome } of entry.changes) {
        addPastEvent(rows, users.of(tenant, change.userId), change, outcome);
      }
    } else if (entry.fn === 'importUsers') {
      for (const { change, outcome } of entry.changes) {
        const user = users.of(tenant, change.userId);
        addStandings(rows, user, change.profile, outcome);
        addChanges(rows, user, change.control, outcome, entry.now);
        const baseId = outboxId(source.cell, source.id, change.userId);
        addImportedUser(rows, user, change, outcome, { at: entry.now, baseId });
      }
    } else if (entry.fn === 'changeUser') {
      for (const { change, outcome } of entry.changes) {
        const { userId, revoked: achievement, amendment } = change;
        const user = users.of(tenant, userId);
        addStandings(rows, user, change.profile, outcome, amendment !== null);
        addChanges(rows, user, change.control, outcome, entry.now);
        const baseId = awardsBaseId(source, tenant, change, outcome, entry.now);
        addAwards(rows, tenant, userId, baseId, outcome, entry.now, change.reward);
        if (amendment === AMEND.reset) addReset(rows, tenant, userId, outcome, entry.now);
        if (achievement !== null)
          rows.revocations.push({ tenant, userId, achievement, revokedAt: entry.now });
      }
    }
    rows.entries.push({
      cell: source.cell,
      entryId: source.id,
      dailyCounts: countsOf(entry, rows.dayOf),
      repaired: repairedOf(entry),
      events: { start: events, end: rows.events.length },
      awards: { start: awards, end: rows.awards.length },
    });
  }
  return rows;
}

function addPastEvent(rows: HistoryRows, user: BatchUser, change: PastEventChange, outcome: Changes): void {
  addStandings(rows, user, change.profile, outcome);
  addEvent(rows, user.tenant, change, outcome, change.at);
  addActiveDay(rows, user, change.metric, rows.dayOf(user.tenant, change.at));
  addChanges(rows, user, change.control, outcome, change.at);
}

function addEvent(
  rows: HistoryRows,
  tenant: number,
  event: EventChange,
  outcome: Changes,
  now: number,
  arrivedAt: number | null = null,
): void {
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
    arrivedAt,
    attributes: attributesJson(event.attributes, outcome.facts),
    awards: awardsJson(outcome.points),
  });
}

function addChanges(
  rows: HistoryRows,
  user: BatchUser,
  control: boolean,
  outcome: Changes,
  now: number,
  late: LateChange | null = null,
): void {
  const { tenant, userId } = user;
  const { day } = outcome;
  if (outcome.isNew) rows.users.push({ tenant, userId, createdAt: now, control });
  for (const completed of [outcome.completed, outcome.completedSilently]) {
    for (const achievement of completed)
      rows.completions.push({ tenant, userId, achievement, completedAt: now, day: late?.today ?? day });
  }
  for (const { challenge, run, step } of outcome.challenges ?? [])
    if (step !== null) rows.challengeSteps.push({ tenant, userId, challenge, run, step, happenedAt: now });
  for (const { achievement, times, firstAt } of outcome.repeated) {
    const completed = { tenant, userId, achievement, completedAt: now, day: late?.today ?? day };
    rows.repeatedCompletions.push({ ...completed, sequence: outcome.sequence, times, firstAt });
  }
  for (const achievement of late?.revoked ?? [])
    rows.revocations.push({ tenant, userId, achievement, revokedAt: now });
  if (late?.repair) addRepair(rows, tenant, userId, outcome.frequency, late.repair);
  // A repaired streak has its periods from the repair.
  if (outcome.extended && !late?.repair?.addedPeriods.length) {
    const { frequency, streak } = outcome;
    const { lastPeriod: period, length } = streak;
    rows.extensions.push({
      tenant,
      userId,
      frequency,
      period,
      length,
      day,
      extendedAt: late?.at ?? now,
      madeGoodBy: null,
    });
  }
  for (const change of outcome.boards) addRankChange(rows, user, change, outcome, now);
}

/** Adds the awards of a change other than an event, numbered across its systems. */
function addAwards(
  rows: HistoryRows,
  tenant: number,
  userId: string,
  awardsBase: string,
  { day, sequence, points }: Changes,
  now: number,
  reward: RewardChange | null = null,
): void {
  let n = 0;
  for (const { system, awards } of points) {
    for (const { trigger, awarded, total, boosts } of awards) {
      n++;
      const id = derivedId(awardsBase, n);
      const isReward = reward !== null && trigger === rewardTrigger(reward.board);
      rows.awards.push({
        tenant,
        userId,
        system,
        recordedAt: now,
        sequence,
        n,
        id,
        trigger,
        day: isReward ? reward.lastDay : day,
        awarded,
        total,
        boosts,
        reward: isReward ? awardReward(reward) : null,
      });
    }
  }
}

const awardReward = ({ run, rank, at }: RewardChange): AwardReward => ({ run: dateOfDay(run), rank, at });

/** Adds the results of settling: covered periods, a lost streak, and earned freezes. */
function addSettled(rows: HistoryRows, tenant: number, userId: string, outcome: Settled, now: number): void {
  const { frequency, lost, earned } = outcome;
  if (lost > 0) {
    const { lastPeriod: period } = outcome.streak;
    rows.losses.push({ tenant, userId, frequency, period, length: lost, lostAt: now });
  }
  if (earned > 0) rows.earnedFreezes.push({ tenant, userId, earnedAt: now, freezes: earned });
  addCovered(rows, { tenant, userId }, outcome, outcome.covered, now);
}

function addReset(
  { resets }: HistoryRows,
  tenant: number,
  userId: string,
  outcome: Changes,
  resetAt: number,
): void {
  const { frequency, day } = outcome;
  resets.push({ tenant, userId, frequency, period: periodOfDay(frequency, day), resetAt });
}

/**
 * The id from which the ids of a user change's awards are derived: the id of a completion by API, of an
 * adjustment or of a reward, else the position in the outbox.
 */
function awardsBaseId(
  source: StreamEntry,
  tenant: number,
  { userId, achievement, adjustmentId, reward }: UserChange,
  outcome: Changes,
  now: number,
): string {
  if (achievement !== null && outcome.completed.includes(achievement)) {
    return completionId(tenant, userId, achievement, now);
  }
  if (reward !== null) return rewardId(tenant, userId, reward.board, reward.run);
  return adjustmentId ?? outboxId(source.cell, source.id, userId);
}

/**
 * Combines the changes of each user, day and leaderboard in a batch, because active users change ranks many
 * times.
 */
function addRankChange(
  { leaderboardChanges }: HistoryRows,
  user: BatchUser,
  change: BoardChange,
  outcome: Changes,
  now: number,
) {
  const { board, run, rank, previousRank, value, previousValue, group } = change;
  const { day, sequence } = outcome;
  const known = user.ranks.find(
    (row) => row.leaderboard === board && row.day === day && row.run === run && row.group === group,
  );
  if (known === undefined) {
    const row = {
      tenant: user.tenant,
      userId: user.userId,
      leaderboard: board,
      run,
      day,
      group,
      rank,
      value,
      previousRank,
      previousValue,
      changedAt: now,
      firstSequence: sequence,
      lastSequence: sequence,
    };
    user.ranks = withRow(user.ranks, row);
    leaderboardChanges.push(row);
  } else if (sequence > known.lastSequence) {
    known.rank = rank;
    known.value = value;
    known.changedAt = now;
    known.lastSequence = sequence;
  } else if (sequence < known.firstSequence) {
    known.previousRank = previousRank;
    known.previousValue = previousValue;
    known.firstSequence = sequence;
  }
}
