import { type BulkInsert, DATE, INSTANT, insert, numbers, texts } from './bulkInsert.ts';
import type {
  AwardRow,
  CompletionRow,
  DeadEntryRow,
  EventRow,
  ExtensionRow,
  HistoryRows,
  LeaderboardChangeRow,
  StatesRow,
  UserRow,
} from './historyRows.ts';
import type { Partitions } from './partitions.ts';
import { type Pool, type PoolClient, transaction } from './pool.ts';
import { assertFence } from './relayFence.ts';
import { instantsOfDeliveries, writeDeliveries } from './writeDeliveries.ts';
import { writeStandings } from './writeStandings.ts';

/*
 * The hot statements of history: a batch of thousands of changes is one transaction of at most six statements, each an
 * `insert … select from unnest(…)` with one text array a column.
 *
 * Measured on a batch of 4,000 events, µs an event in PostgreSQL: as it is 3.6; `on conflict do nothing` 5.3, hence only
 * for batches that turn out to have been written before; a key of stream ids beside the index that reads need 6.5; rows in
 * the order of the index, or inserted into the partition directly, no faster.
 */

const USERS: BulkInsert<UserRow> = {
  text: `insert into users (tenant, user_id, created_at)
    select tenant, user_id, ${INSTANT('created_at')}
    from unnest($1::int4[], $2::text[], $3::float8[]) as row (tenant, user_id, created_at)
    order by 1, 2
    on conflict do nothing`,
  columns: [numbers((row) => row.tenant), texts((row) => row.userId), numbers((row) => row.createdAt)],
};

const EVENTS: BulkInsert<EventRow> = {
  text: `insert into metric_events
      (tenant, user_id, metric, recorded_at, sequence, local_date, value, total, event_id, fingerprint, attributes)
    select tenant, user_id, metric, ${INSTANT('recorded_at')}, sequence, ${DATE('day')}, value, total, event_id,
      fingerprint, attributes
    from unnest($1::int4[], $2::text[], $3::int4[], $4::float8[], $5::int8[], $6::int4[], $7::float8[], $8::float8[],
        $9::uuid[], $10::int8[], $11::jsonb[])
      as row (tenant, user_id, metric, recorded_at, sequence, day, value, total, event_id, fingerprint, attributes)`,
  again: 'on conflict do nothing',
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.metric),
    numbers((row) => row.recordedAt),
    numbers((row) => row.sequence),
    numbers((row) => row.day),
    numbers((row) => row.value),
    numbers((row) => row.total),
    numbers((row) => row.eventId),
    numbers((row) => row.fingerprint),
    texts((row) => row.attributes),
  ],
};

const AWARDS: BulkInsert<AwardRow> = {
  text: `insert into points_awards
      (tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts)
    select tenant, user_id, system, ${INSTANT('recorded_at')}, sequence, n, id, trigger, ${DATE('day')}, awarded, total,
      boosts::int4[]
    from unnest($1::int4[], $2::text[], $3::int4[], $4::float8[], $5::int8[], $6::int2[], $7::uuid[], $8::int4[],
        $9::int4[], $10::float8[], $11::float8[], $12::text[])
      as row (tenant, user_id, system, recorded_at, sequence, n, id, trigger, day, awarded, total, boosts)`,
  again: 'on conflict do nothing',
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

const COMPLETIONS: BulkInsert<CompletionRow> = {
  text: `insert into completed_achievements (tenant, user_id, achievement, completed_at, local_date)
    select tenant, user_id, achievement, ${INSTANT('completed_at')}, ${DATE('day')}
    from unnest($1::int4[], $2::text[], $3::int4[], $4::float8[], $5::int4[])
      as row (tenant, user_id, achievement, completed_at, day)
    order by 1, 2, 3
    on conflict do nothing`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.achievement),
    numbers((row) => row.completedAt),
    numbers((row) => row.day),
  ],
};

const EXTENSIONS: BulkInsert<ExtensionRow> = {
  text: `insert into streak_extensions (tenant, user_id, frequency, period, length, local_date, extended_at, made_good_by)
    select tenant, user_id, frequency, period, length, ${DATE('day')}, ${INSTANT('extended_at')}, made_good_by
    from unnest($1::int4[], $2::text[], $3::text[], $4::int4[], $5::int4[], $6::int4[], $7::float8[], $8::text[])
      as row (tenant, user_id, frequency, period, length, day, extended_at, made_good_by)
    order by 1, 2, 3, 4
    on conflict do nothing`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    texts((row) => row.frequency),
    numbers((row) => row.period),
    numbers((row) => row.length),
    numbers((row) => row.day),
    numbers((row) => row.extendedAt),
    texts((row) => row.madeGoodBy),
  ],
};

// Two relays may hold changes of the same user and day: whichever writes first, the first change of the day gives the
// previous place and the last one the place. In the order of the key, so that they cannot wait for each other in a circle.
const LEADERBOARD_CHANGES: BulkInsert<LeaderboardChangeRow> = {
  text: `insert into leaderboard_changes as old (tenant, user_id, leaderboard, run_start, local_date, ranking_group, rank,
      value, previous_rank, previous_value, changed_at, first_sequence, last_sequence)
    select tenant, user_id, leaderboard, ${DATE('run')}, ${DATE('day')}, ranking_group, rank, value, previous_rank,
      previous_value, ${INSTANT('changed_at')}, first_sequence, last_sequence
    from unnest($1::int4[], $2::text[], $3::int4[], $4::int4[], $5::int4[], $6::text[], $7::int4[], $8::float8[],
        $9::int4[], $10::float8[], $11::float8[], $12::int8[], $13::int8[])
      as row (tenant, user_id, leaderboard, run, day, ranking_group, rank, value, previous_rank, previous_value,
        changed_at, first_sequence, last_sequence)
    order by 1, 2, 3, 4, 5, 6
    on conflict (tenant, user_id, leaderboard, run_start, local_date, hashtextextended(ranking_group, 0)) do update set
      rank = case when excluded.last_sequence > old.last_sequence then excluded.rank else old.rank end,
      value = case when excluded.last_sequence > old.last_sequence then excluded.value else old.value end,
      changed_at = case when excluded.last_sequence > old.last_sequence then excluded.changed_at else old.changed_at end,
      last_sequence = greatest(excluded.last_sequence, old.last_sequence),
      previous_rank = case when excluded.first_sequence < old.first_sequence
        then excluded.previous_rank else old.previous_rank end,
      previous_value = case when excluded.first_sequence < old.first_sequence
        then excluded.previous_value else old.previous_value end,
      first_sequence = least(excluded.first_sequence, old.first_sequence)
    where excluded.last_sequence > old.last_sequence or excluded.first_sequence < old.first_sequence`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.leaderboard),
    numbers((row) => row.run),
    numbers((row) => row.day),
    texts((row) => row.group),
    numbers((row) => row.rank),
    numbers((row) => row.value),
    numbers((row) => row.previousRank),
    numbers((row) => row.previousValue),
    numbers((row) => row.changedAt),
    numbers((row) => row.firstSequence),
    numbers((row) => row.lastSequence),
  ],
};

/**
 * Writes everything or nothing. What has been written before stays as it is.
 * @throws FencedOffError when `fence` has been raised
 */
export async function writeHistory(
  pool: Pool,
  partitions: Partitions,
  rows: HistoryRows,
  fence: string,
): Promise<void> {
  const instants = new Set<number>();
  for (const event of rows.events) instants.add(event.recordedAt);
  for (const award of rows.awards) instants.add(award.recordedAt);
  await partitions.ensure('month', instants);
  await partitions.ensure('day', instantsOfDeliveries(rows));
  try {
    await insertAll(pool, rows, fence, false);
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    await insertAll(pool, rows, fence, true);
  }
}

const UNIQUE_VIOLATION = '23505';

function insertAll(pool: Pool, rows: HistoryRows, fence: string, isRepeat: boolean): Promise<void> {
  return transaction(pool, async (client) => {
    await assertFence(client, fence);
    await insert(client, 'users', USERS, rows.users, isRepeat);
    await insert(client, 'events', EVENTS, rows.events, isRepeat);
    await insert(client, 'awards', AWARDS, rows.awards, isRepeat);
    await insert(client, 'completions', COMPLETIONS, rows.completions, isRepeat);
    await insert(client, 'extensions', EXTENSIONS, rows.extensions, isRepeat);
    await insert(client, 'leaderboard changes', LEADERBOARD_CHANGES, rows.leaderboardChanges, isRepeat);
    await writeStandings(client, rows, isRepeat);
    for (const row of rows.states) await insertStates(client, row);
    await writeDeliveries(client, rows);
  });
}

/** A row an insert: its buffers go as they are, where an array of them would be text. */
async function insertStates(client: PoolClient, { readAt, users, states }: StatesRow): Promise<void> {
  await client.query({
    name: 'write states',
    text: `insert into relayed_states (read_at, users, states) values (${INSTANT('$1::float8')}, $2, $3)`,
    values: [readAt, users, states],
  });
}

/** @throws FencedOffError when `fence` has been raised */
export function writeDeadEntry(pool: Pool, dead: DeadEntryRow, fence: string, now: number): Promise<void> {
  return transaction(pool, async (client) => {
    await assertFence(client, fence);
    await client.query(
      `insert into dead_entries (tenant, shard, entry_id, reason, fields, died_at) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [dead.tenant, dead.shard, dead.entryId, dead.reason, dead.fields, new Date(now)],
    );
  });
}
