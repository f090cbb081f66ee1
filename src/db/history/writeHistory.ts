import { recordCohortChanges } from '../analytics/cohorts.ts';
import { addDailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { LatestDelivery } from '../deliveries/webhookWindows.ts';
import { type DeliveryRows, instantsOfDeliveries, writeDeliveries } from '../deliveries/writeDeliveries.ts';
import type { Partitions } from '../partitions.ts';
import { type Pool, type PoolClient, transaction } from '../pool.ts';
import { execute, prepared } from '../rows.ts';
import { INSTANT } from '../sql.ts';
import { countEntries, takeBackWritten } from './countedEntries.ts';
import type { AwardRow, EventRow, HistoryRows, StatesRow } from './historyRows.ts';
import type { KnownDays, KnownGoals } from './knownRows.ts';
import { writeReceipt } from './receiptRows.ts';
import { assertFence } from './relayFence.ts';
import { type NumberOf, numberUsers } from './userNumbers.ts';
import { writeActivity } from './writeActivity.ts';
import { writeChallenges } from './writeChallenges.ts';
import { writeCompletions } from './writeCompletions.ts';
import { writeStandings } from './writeStandings.ts';
import { removeRepaired, writeStreaks } from './writeStreaks.ts';
import { writeUsers } from './writeUsers.ts';

/*
 * The statements that write the history of events. A batch of thousands of changes is one transaction of a
 * few statements, each an `insert … select from unnest(…)` with one text array for each column.
 *
 * Measured on a batch of 4,000 events, in µs of PostgreSQL for each event: this form 3.6; `on conflict do
 * nothing` 5.3, so it is used only for batches that have been written before; a unique key of stream ids in
 * addition to the index for reads 6.5. Sorting rows by the index, or inserting into the partition directly,
 * is no faster.
 */

const EVENTS = new BulkStatement<EventRow, Written, NumberOf>(
  {
    metric: 'int4',
    recordedAt: 'instant',
    sequence: 'int8',
    day: ['day', 'local_date'],
    value: 'float8',
    total: 'float8',
    eventId: 'uuid',
    fingerprint: 'int8',
    arrivedAt: 'instant',
    attributes: 'jsonb',
    awards: 'text',
  },
  ({ insertInto }) => insertInto('recorded_events'),
  {
    again: 'on conflict do nothing returning user_no as "user", sequence::float8 as sequence',
    computed: { user_no: ['int4', (row, numberOf) => numberOf(row)] },
  },
);

const AWARDS = new BulkStatement<AwardRow, Written>(
  {
    tenant: 'int4',
    userId: 'text',
    system: 'int4',
    recordedAt: 'instant',
    sequence: 'int8',
    n: 'int2',
    id: 'uuid',
    trigger: 'int4',
    day: ['day', 'local_date'],
    awarded: 'float8',
    total: 'float8',
  },
  ({ insertInto }) => insertInto('points_awards'),
  {
    again: 'on conflict do nothing returning user_id as "user", sequence::float8 as sequence',
    computed: {
      boosts: ['int4s', ({ boosts }) => (boosts.length === 0 ? null : `{${boosts.join(',')}}`)],
      reward: ['jsonb', ({ reward }) => reward && JSON.stringify(reward)],
    },
  },
);

/** The history of a batch and the deliveries that report it. */
export type RelayRows = HistoryRows & DeliveryRows;

/** What PostgreSQL is known to contain. */
interface KnownContent {
  partitions: Partitions;
  knownDays: KnownDays;
  knownGoals: KnownGoals;
}

/**
 * Writes all rows in one transaction. Existing rows stay unchanged.
 * @throws FencedOffError if `fence` has been raised; UnknownReceiptError
 */
export async function writeHistory(
  pool: Pool,
  known: KnownContent,
  rows: RelayRows,
  fence: string,
): Promise<WrittenBatch> {
  const { partitions, knownDays, knownGoals } = known;
  const instants = new Set<number>();
  for (const event of rows.events) instants.add(event.recordedAt);
  for (const award of rows.awards) instants.add(award.recordedAt);
  await partitions.ensure('month', instants);
  await partitions.ensure('day', instantsOfDeliveries(rows));
  const { numberOf, ...written } = await insertAll(pool, known, rows, fence, false).catch((error) => {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    return insertAll(pool, known, rows, fence, true);
  });
  // Events of earlier days are of the past, which an import brings once.
  const first = rows.activity.reduce((last, { day }) => Math.max(last, day), 0) - KNOWN_DAYS_BEFORE;
  for (const row of rows.activity) if (row.day >= first) knownDays.add(numberOf(row), row);
  for (const row of rows.reachedGoals) knownGoals.add(numberOf(row), row);
  return written;
}

const UNIQUE_VIOLATION = '23505';
/** Days before the last one of a batch that are looked up again. */
const KNOWN_DAYS_BEFORE = 2;

/** What a written batch leaves behind. */
export interface WrittenBatch {
  /** The latest delivery about each throttled subject. */
  latest: LatestDelivery[];
  /** Number of the transaction's receipt. */
  receiptNo: number | null;
}

interface Inserted extends WrittenBatch {
  /** The numbers of the users of the events. */
  numberOf: NumberOf;
}

/** @param mayExist whether rows may exist although their entries are new */
function insertAll(
  pool: Pool,
  { knownDays, knownGoals }: KnownContent,
  rows: RelayRows,
  fence: string,
  mayExist: boolean,
): Promise<Inserted> {
  return transaction(pool, async (client) => {
    await assertFence(client, fence);
    const receiptNo = rows.receipt && (await writeReceipt(client, rows.receipt));
    const { dailyCounts, counted, isRepeat: isWritten } = await countEntries(client, rows);
    const isRepeat = isWritten || mayExist;
    await writeUsers(client, rows, dailyCounts);
    const numberOf = await numberUsers(client, rows.events);
    const events = await EVENTS.run(client, rows.events, isRepeat, numberOf);
    const awards = await AWARDS.run(client, rows.awards, isRepeat);
    if (isRepeat) takeBackWritten(dailyCounts, counted, isWrittenOf(rows, numberOf, events, awards));
    const shortened = await removeRepaired(client, counted, rows.dayOf, dailyCounts);
    await writeCompletions(client, rows, isRepeat, dailyCounts);
    const goals = rows.reachedGoals.filter((row) => !knownGoals.has(numberOf(row), row));
    await writeChallenges(client, rows, goals, dailyCounts);
    await writeStreaks(client, rows, isRepeat, dailyCounts);
    await writeStandings(client, rows, dailyCounts);
    for (const row of rows.states) await insertStates(client, row);
    const latest = await writeDeliveries(client, rows);
    const activity = rows.activity.filter((row) => !knownDays.has(numberOf(row), row));
    const withFirsts = await writeActivity(client, activity, dailyCounts);
    await recordCohortChanges(client, rows, [...withFirsts, ...shortened]);
    await addDailyCounts(client, dailyCounts.rows);
    return { numberOf, latest, receiptNo };
  });
}

/**
 * A row that was written although others of its batch existed: its user, by number or by id, and its sequence
 * number.
 */
interface Written {
  user: number | string;
  sequence: number;
}

function isWrittenOf(
  rows: HistoryRows,
  numberOf: NumberOf,
  events: Written[],
  awards: Written[],
): Parameters<typeof takeBackWritten>[2] {
  const keyOf = (user: number | string, sequence: number): string => `${user} ${sequence}`;
  const ofEvents = new Set(events.map(({ user, sequence }) => keyOf(user, sequence)));
  const ofAwards = new Set(awards.map(({ user, sequence }) => keyOf(user, sequence)));
  return {
    event: (i) => ofEvents.has(keyOf(numberOf(rows.events[i]!), rows.events[i]!.sequence)),
    award: (i) => ofAwards.has(keyOf(rows.awards[i]!.userId, rows.awards[i]!.sequence)),
  };
}

/**
 * Inserts one row for each statement, so that its buffers are sent as binary; an array would be sent as text.
 */
async function insertStates(client: PoolClient, { readAt, users, states }: StatesRow): Promise<void> {
  await execute(prepared(client))`
    insert into relayed_states (read_at, users, states) values (${INSTANT(readAt)}, ${users}, ${states})`;
}
