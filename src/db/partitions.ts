import { type Pool, type PoolClient, transaction } from './pool.ts';

/** How much time a partition of each table holds, in UTC. */
const TABLES = {
  month: ['metric_events', 'points_awards'],
  day: ['webhook_deliveries', 'notification_deliveries'],
} as const;
export type PartitionUnit = keyof typeof TABLES;
export type PartitionedTable = (typeof TABLES)[PartitionUnit][number];

/** Any number will do, as long as every version of laurel uses the same one. */
const PARTITION_LOCK = 7_281_935_467;
/** Partitions that exist before they are needed, so that rows rarely wait for one. */
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
/** Characters of an ISO date that name the period. */
const NAME_CHARS = { month: 'YYYY-MM'.length, day: 'YYYY-MM-DD'.length };

export function firstInstantOf(unit: PartitionUnit, period: number): string {
  return new Date(FIRST_INSTANT_OF[unit](period)).toISOString();
}

/** The period as people write it: YYYY-MM or YYYY-MM-DD. */
export function periodName(unit: PartitionUnit, period: number): string {
  return firstInstantOf(unit, period).slice(0, NAME_CHARS[unit]);
}

/** Until the end of the transaction, nobody else makes partitions or drops them. */
export async function lockPartitions(client: PoolClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
}

const partitionName = (table: string, unit: PartitionUnit, period: number): string =>
  `${table}_${periodName(unit, period).replaceAll('-', '_')}`;

/** A partition of a table and the period that it holds. */
export interface Partition {
  name: string;
  period: number;
}

/** The partitions of a table, oldest first. */
export async function listPartitions(pool: Pool, table: PartitionedTable): Promise<Partition[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass',
    [table],
  );
  return rows
    .map(({ name }) => {
      const [year, month, day] = name
        .slice(table.length + 1)
        .split('_')
        .map(Number);
      const period = day === undefined ? year! * 12 + month! - 1 : dayOf(Date.UTC(year!, month! - 1, day));
      return { name, period };
    })
    .sort((a, b) => a.period - b.period);
}

/** Knows which periods have their partitions, and makes those that are missing. */
export class Partitions {
  readonly #pool: Pool;
  readonly #known = { month: new Set<number>(), day: new Set<number>() };

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * After this, rows of these instants (ms) have their partitions, and those of the next periods too. Costs nothing when
   * they are known. Several processes may do it at once.
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
    // The periods ahead stay unknown: the first row in one of them makes those after it.
    for (const period of missing) known.add(period);
  }

  /** To be called when a partition turns out to be gone: the next `ensure` looks again. */
  forget(): void {
    for (const known of Object.values(this.#known)) known.clear();
  }
}

/** Makes the missing partitions of these periods and the ones after them, in a transaction. */
async function createPartitions(client: PoolClient, unit: PartitionUnit, periods: Iterable<number>): Promise<void> {
  const wanted = new Set<number>();
  for (const period of periods) for (let ahead = 0; ahead <= PERIODS_AHEAD; ahead++) wanted.add(period + ahead);
  await lockPartitions(client);
  for (const period of wanted) for (const table of TABLES[unit]) await createPartition(client, table, unit, period);
}

/** The same for rows of one instant, for those who write seldom. */
export async function ensurePartition(client: PoolClient, unit: PartitionUnit, instant: number): Promise<void> {
  await createPartitions(client, unit, [PERIOD_OF[unit](instant)]);
}

/**
 * Creating a partition in place would lock out everybody who uses the table; one that is attached, complete, does not
 * disturb reads and writes.
 */
async function createPartition(client: PoolClient, table: string, unit: PartitionUnit, period: number): Promise<void> {
  const name = partitionName(table, unit, period);
  const { rows } = await client.query<{ missing: boolean }>('select to_regclass($1) is null as missing', [name]);
  if (!rows[0]!.missing) return;
  await client.query(`create table ${name} (like ${table} including defaults including constraints)`);
  await client.query(
    `alter table ${table} attach partition ${name}
     for values from ('${firstInstantOf(unit, period)}') to ('${firstInstantOf(unit, period + 1)}')`,
  );
}
