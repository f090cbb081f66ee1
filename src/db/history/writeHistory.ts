import { recordCohortChanges } from '../analytics/cohorts.ts';
import { addDailyCounts } from '../analytics/dailyCounts.ts';
import { bulkStatement, insert, insertWith } from '../bulkInsert.ts';
import type { LatestDelivery } from '../deliveries/webhookWindows.ts';
import { type DeliveryRows, instantsOfDeliveries, writeDeliveries } from '../deliveries/writeDeliveries.ts';
import type { Partitions } from '../partitions.ts';
import { type Pool, type PoolClient, transaction } from '../pool.ts';
import { INSTANT } from '../sql.ts';
import { countEntries, takeBackWritten } from './countedEntries.ts';
import type { AwardRow, DeadEntryRow, EventRow, HistoryRows, StatesRow } from './historyRows.ts';
import type { KnownDays } from './knownDays.ts';
import { writeReceipt } from './receiptRows.ts';
import { assertFence } from './relayFence.ts';
import { removeMended } from './removeMended.ts';
import { type NumberOf, numberUsers } from './userNumbers.ts';
import { writeActivity } from './writeActivity.ts';
import { writeProgress } from './writeProgress.ts';
import { writeStandings } from './writeStandings.ts';
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

const EVENTS = bulkStatement<EventRow, NumberOf>(
  {
    user_no: ['int4', (row, numberOf) => numberOf(row)],
    metric: ['int4', (row) => row.metric],
    recorded_at: ['instant', (row) => row.recordedAt],
    sequence: ['int8', (row) => row.sequence],
    local_date: ['day', (row) => row.day],
    value: ['float8', (row) => row.value],
    total: ['float8', (row) => row.total],
    event_id: ['uuid', (row) => row.eventId],
    fingerprint: ['int8', (row) => row.fingerprint],
    arrived_at: ['instant', (row) => row.arrivedAt],
    attributes: ['jsonb', (row) => row.attributes],
    awards: ['text', (row) => row.awards],
  },
  ({ insertInto }) => insertInto('recorded_events'),
  'on conflict do nothing returning user_no as "user", sequence::float8 as sequence',
);

const AWARDS = bulkStatement<AwardRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    system: ['int4', (row) => row.system],
    recorded_at: ['instant', (row) => row.recordedAt],
    sequence: ['int8', (row) => row.sequence],
    n: ['int2', (row) => row.n],
    id: ['uuid', (row) => row.id],
    trigger: ['int4', (row) => row.trigger],
    local_date: ['day', (row) => row.day],
    awarded: ['float8', (row) => row.awarded],
    total: ['float8', (row) => row.total],
    boosts: ['int4s', (row) => (row.boosts.length === 0 ? null : `{${row.boosts.join(',')}}`)],
    reward: ['jsonb', (row) => row.reward && JSON.stringify(row.reward)],
  },
  ({ insertInto }) => insertInto('points_awards'),
  'on conflict do nothing returning user_id as "user", sequence::float8 as sequence',
);

/** The history of a batch and the deliveries that report it. */
export type RelayRows = HistoryRows & DeliveryRows;

/**
 * Writes all rows in one transaction. Existing rows stay unchanged.
 * @throws FencedOffError if `fence` has been raised; UnknownReceiptError
 */
export async function writeHistory(
  pool: Pool,
  { partitions, knownDays }: { partitions: Partitions; knownDays: KnownDays },
  rows: RelayRows,
  fence: string,
): Promise<WrittenBatch> {
  const instants = new Set<number>();
  for (const event of rows.events) instants.add(event.recordedAt);
  for (const award of rows.awards) instants.add(award.recordedAt);
  await partitions.ensure('month', instants);
  await partitions.ensure('day', instantsOfDeliveries(rows));
  const { numberOf, ...written } = await insertAll(pool, knownDays, rows, fence, false).catch((error) => {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    return insertAll(pool, knownDays, rows, fence, true);
  });
  // Events of earlier days are of the past, which an import brings once.
  const first = rows.activity.reduce((last, { day }) => Math.max(last, day), 0) - KNOWN_DAYS_BEFORE;
  for (const row of rows.activity) if (row.day >= first) knownDays.add(numberOf(row), row);
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
  knownDays: KnownDays,
  rows: RelayRows,
  fence: string,
  mayExist: boolean,
): Promise<Inserted> {
  return transaction(pool, async (client) => {
    await assertFence(client, fence);
    const receiptNo = rows.receipt && (await writeReceipt(client, rows.receipt));
    const { dailyCounts, counted, isRepeat: isWritten } = await countEntries(client, rows);
    const isRepeat = isWritten || mayExist;
    await writeUsers(client, rows, isRepeat, dailyCounts);
    const numberOf = await numberUsers(client, rows.events);
    const events = await insertWith<EventRow, NumberOf, Written>(
      client,
      'events',
      EVENTS,
      rows.events,
      numberOf,
      isRepeat,
    );
    const awards = await insert<AwardRow, Written>(client, 'awards', AWARDS, rows.awards, isRepeat);
    if (isRepeat) takeBackWritten(dailyCounts, counted, isWrittenOf(rows, numberOf, events, awards));
    await removeMended(client, counted, rows.dayOf, dailyCounts);
    await writeProgress(client, rows, isRepeat, dailyCounts);
    await writeStandings(client, rows, isRepeat);
    for (const row of rows.states) await insertStates(client, row);
    const latest = await writeDeliveries(client, rows);
    const activity = rows.activity.filter((row) => !knownDays.has(numberOf(row), row));
    const inNewWeek = await writeActivity(client, activity, dailyCounts);
    await recordCohortChanges(client, rows, inNewWeek);
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
  await client.query({
    name: 'write states',
    text: `insert into relayed_states (read_at, users, states) values (${INSTANT('$1::float8')}, $2, $3)`,
    values: [readAt, users, states],
  });
}

/** @throws FencedOffError if `fence` has been raised */
export function writeDeadEntry(pool: Pool, dead: DeadEntryRow, fence: string, now: number): Promise<void> {
  return transaction(pool, async (client) => {
    await assertFence(client, fence);
    await client.query(
      `insert into dead_entries (tenant, cell, entry_id, reason, fields, died_at) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [dead.tenant, dead.cell, dead.entryId, dead.reason, dead.fields, new Date(now)],
    );
  });
}
