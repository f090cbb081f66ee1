import { type Pool, type PoolClient, type Queryable, transaction } from './pool.ts';
import { column, execute, value } from './rows.ts';
import { raw } from './sql.ts';

/** Partitioned tables by the time, in UTC, that a partition covers. */
const TABLES = {
  month: ['recorded_events', 'points_awards'],
  day: ['webhook_deliveries', 'notification_deliveries'],
} as const;
export type PartitionUnit = keyof typeof TABLES;
export type PartitionedTable = (typeof TABLES)[PartitionUnit][number];

/** Key of an advisory lock; every version of laurel must use the same one. */
const PARTITION_LOCK = 7_281_935_467;
/** Periods whose partitions are created in advance, so that rows rarely wait for one. */
const PERIODS_AHEAD = 2;
const DAY_MS = 86_400_000;

/** Months since year 0, in UTC. */
export function monthOf(instant: number): number {
  const date = new Date(instant);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Days since 1970, in UTC. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS);
}

const PERIOD_OF = { month: monthOf, day: dayOf };
const FIRST_INSTANT_OF = {
  month: (month: number) => Date.UTC(Math.floor(month / 12), month % 12, 1),
  day: (day: number) => day * DAY_MS,
};
/** Length of the part of an ISO date that names the period. */
const NAME_CHARS = { month: 'YYYY-MM'.length, day: 'YYYY-MM-DD'.length };

export function firstInstantOf(unit: PartitionUnit, period: number): string {
  return new Date(FIRST_INSTANT_OF[unit](period)).toISOString();
}

/** Name of a period: YYYY-MM or YYYY-MM-DD. */
export function periodName(unit: PartitionUnit, period: number): string {
  return firstInstantOf(unit, period).slice(0, NAME_CHARS[unit]);
}

/** Until the end of the transaction, no other process creates or drops partitions. */
async function lockPartitions(client: PoolClient): Promise<void> {
  await execute(client)`select pg_advisory_xact_lock(${PARTITION_LOCK})`;
}

/**
 * Longest wait for a lock. Dropping a partition locks the whole table for a moment; while it waits for that
 * lock behind a long read, all other statements wait behind it.
 */
const DROP_LOCK_MS_MAX = 2_000;

/**
 * Prepares to drop a partition in this transaction. If a lock is not free in time, the transaction fails
 * without a change, and the next run tries again.
 */
export async function prepareDrop(client: PoolClient): Promise<void> {
  await execute(client)`set local lock_timeout = ${raw(DROP_LOCK_MS_MAX)}`;
  await lockPartitions(client);
}

const partitionName = (table: string, unit: PartitionUnit, period: number): string =>
  `${table}_${periodName(unit, period).replaceAll('-', '_')}`;

/** A partition of a table and the period that it covers. */
export interface Partition {
  name: string;
  period: number;
}

/** The periods of all partitions, by their unit. */
export async function listPeriods(db: Queryable): Promise<Record<PartitionUnit, number[]>> {
  const read = async (unit: PartitionUnit): Promise<number[]> =>
    (await listPartitions(db, TABLES[unit][0])).map(({ period }) => period);
  return { month: await read('month'), day: await read('day') };
}

/** The partitions of a table, oldest first. */
export async function listPartitions(db: Queryable, table: PartitionedTable): Promise<Partition[]> {
  const names = await column(db)<string>`
    select inhrelid::regclass::text from pg_inherits where inhparent = ${table}::regclass`;
  return names
    .map((name) => {
      const [year, month, day] = name
        .slice(table.length + 1)
        .split('_')
        .map(Number);
      const period = day === undefined ? year! * 12 + month! - 1 : dayOf(Date.UTC(year!, month! - 1, day));
      return { name, period };
    })
    .sort((a, b) => a.period - b.period);
}

/** Creates missing partitions, and remembers which exist. */
export class Partitions {
  readonly #pool: Pool;
  readonly #known = { month: new Set<number>(), day: new Set<number>() };

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Creates the partitions for rows of these instants (ms), and those of the next periods, unless they are
   * known to exist. Several processes may do this at once.
   */
  async ensure(unit: PartitionUnit, instants: Iterable<number>): Promise<void> {
    const known = this.#known[unit];
    const missing = new Set<number>();
    for (const instant of instants) {
      const period = PERIOD_OF[unit](instant);
      if (!known.has(period)) missing.add(period);
    }
    if (missing.size === 0) return;
    await transaction(this.#pool, (client) => createPartitions(client, unit, missing));
    // The periods ahead are not marked as known, so the first row in one of them creates the ones after it.
    for (const period of missing) known.add(period);
  }

  /** Call this if a partition turns out to be missing: the next `ensure` checks again. */
  forget(): void {
    for (const known of Object.values(this.#known)) known.clear();
  }
}

/** Creates the missing partitions of these periods and the ones after them, in a transaction. */
export async function createPartitions(
  client: PoolClient,
  unit: PartitionUnit,
  periods: Iterable<number>,
): Promise<void> {
  const wanted = new Set<number>();
  for (const period of periods)
    for (let ahead = 0; ahead <= PERIODS_AHEAD; ahead++) wanted.add(period + ahead);
  await lockPartitions(client);
  for (const period of wanted)
    for (const table of TABLES[unit]) await createPartition(client, table, unit, period);
}

/** Creates the partitions for rows of one instant (ms), without remembering them; for rare writes. */
export const ensurePartition = (client: PoolClient, unit: PartitionUnit, instant: number): Promise<void> =>
  createPartitions(client, unit, [PERIOD_OF[unit](instant)]);

/**
 * Creates the partition as a separate table and attaches it. `create table … partition of` would lock the
 * whole table; attaching does not block reads and writes.
 */
async function createPartition(
  client: PoolClient,
  table: string,
  unit: PartitionUnit,
  period: number,
): Promise<void> {
  const name = partitionName(table, unit, period);
  if ((await value(client)`select to_regclass(${name})`) !== null) return;
  await execute(client)`
    create table ${raw(name)} (like ${raw(table)} including defaults including constraints)`;
  await execute(client)`
    alter table ${raw(table)} attach partition ${raw(name)}
    for values from ('${raw(firstInstantOf(unit, period))}') to ('${raw(firstInstantOf(unit, period + 1))}')`;
}
