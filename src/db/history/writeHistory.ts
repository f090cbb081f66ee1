import { recordCohortChanges } from '../analytics/cohorts.ts';
import { addDailyCounts } from '../analytics/dailyCounts.ts';
import { type BulkInsert, DATE, INSTANT, insert, numbers, texts } from '../bulkInsert.ts';
import type { LatestDelivery } from '../deliveries/webhookWindows.ts';
import { instantsOfDeliveries, writeDeliveries } from '../deliveries/writeDeliveries.ts';
import type { Partitions } from '../partitions.ts';
import { type Pool, type PoolClient, transaction } from '../pool.ts';
import { countEntries, takeBackWritten } from './countedEntries.ts';
import type { AwardRow, DeadEntryRow, EventRow, HistoryRows, StatesRow } from './historyRows.ts';
import type { KnownDays } from './knownDays.ts';
import { writeReceipt } from './receiptRows.ts';
import { assertFence } from './relayFence.ts';
import { type NumberOf, numberUsers } from './userNumbers.ts';
import { writeActivity } from './writeActivity.ts';
import { writeProgress } from './writeProgress.ts';
import { writeStandings } from './writeStandings.ts';
import { writeUsers } from './writeUsers.ts';

/*
 * The statements that write the history of events. A batch of thousands of changes is one transaction of a few statements, each an
 * `insert … select from unnest(…)` with one text array for each column.
 *
 * Measured on a batch of 4,000 events, in µs of PostgreSQL for each event: this form 3.6; `on conflict do nothing` 5.3, so it is used
 * only for batches that have been written before; a unique key of stream ids in addition to the index for reads 6.5. Sorting rows by
 * the index, or inserting into the partition directly, is no faster.
 */

const insertEvents = (numberOf: NumberOf): BulkInsert<EventRow> => ({
  text: `insert into recorded_events
      (user_no, metric, recorded_at, sequence, local_date, value, total, event_id, fingerprint, attributes, awards)
    select user_no, metric, ${INSTANT('recorded_at')}, sequence, ${DATE('day')}, value, total, event_id,
      fingerprint, attributes, awards
    from unnest($1::int4[], $2::int4[], $3::float8[], $4::int8[], $5::int4[], $6::float8[], $7::float8[], $8::uuid[],
        $9::int8[], $10::jsonb[], $11::text[])
      as row (user_no, metric, recorded_at, sequence, day, value, total, event_id, fingerprint, attributes, awards)`,
  again: 'on conflict do nothing returning user_no as "user", sequence::float8 as sequence',
  columns: [
    numbers(numberOf),
    numbers((row) => row.metric),
    numbers((row) => row.recordedAt),
    numbers((row) => row.sequence),
    numbers((row) => row.day),
    numbers((row) => row.value),
    numbers((row) => row.total),
    numbers((row) => row.eventId),
    numbers((row) => row.fingerprint),
    texts((row) => row.attributes),
    texts((row) => row.awards),
  ],
});

const AWARDS: BulkInsert<AwardRow> = {
  text: `insert into points_awards
      (tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts)
    select tenant, user_id, system, ${INSTANT('recorded_at')}, sequence, n, id, trigger, ${DATE('day')}, awarded, total,
      boosts::int4[]
    from unnest($1::int4[], $2::text[], $3::int4[], $4::float8[], $5::int8[], $6::int2[], $7::uuid[], $8::int4[],
        $9::int4[], $10::float8[], $11::float8[], $12::text[])
      as row (tenant, user_id, system, recorded_at, sequence, n, id, trigger, day, awarded, total, boosts)`,
  again: 'on conflict do nothing returning user_id as "user", sequence::float8 as sequence',
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.system),
    numbers((row) => row.recordedAt),
    numbers((row) => row.sequence),
    numbers((row) => row.n),
    numbers((row) => row.id),
    numbers((row) => row.trigger),
    numbers((row) => row.day),
    numbers((row) => row.awarded),
    numbers((row) => row.total),
    texts((row) => (row.boosts.length === 0 ? null : `{${row.boosts.join(',')}}`)),
  ],
};

/**
 * Writes all rows in one transaction. Existing rows stay unchanged.
 * @throws FencedOffError if `fence` has been raised; UnknownReceiptError
 */
export async function writeHistory(
  pool: Pool,
  { partitions, knownDays }: { partitions: Partitions; knownDays: KnownDays },
  rows: HistoryRows,
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
  for (const row of rows.activity) knownDays.add(numberOf(row), row);
  return written;
}

const UNIQUE_VIOLATION = '23505';

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
  rows: HistoryRows,
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
    const events = await insert<EventRow, Written>(client, 'events', insertEvents(numberOf), rows.events, isRepeat);
    const awards = await insert<AwardRow, Written>(client, 'awards', AWARDS, rows.awards, isRepeat);
    if (isRepeat) takeBackWritten(dailyCounts, counted, isWrittenOf(rows, numberOf, events, awards));
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

/** A row that was written although others of its batch existed: its user, by number or by id, and its sequence number. */
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

/** Inserts one row for each statement, so that its buffers are sent as binary; an array would be sent as text. */
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
