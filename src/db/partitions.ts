import { type Pool, type PoolClient, transaction } from './pool.ts';

const PARTITIONED_TABLES = ['metric_events', 'points_awards'] as const;
/** Any number will do, as long as every version of laurel uses the same one. */
const PARTITION_LOCK = 7_281_935_467;
/** Partitions that exist before they are needed, so that events rarely wait for one. */
const MONTHS_AHEAD = 2;

/** Months since year 0, in UTC. */
export function monthOf(instant: number): number {
  const date = new Date(instant);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export function firstInstantOf(month: number): string {
  return new Date(Date.UTC(Math.floor(month / 12), month % 12, 1)).toISOString();
}

/** Until the end of the transaction, nobody else makes partitions or drops them. */
export async function lockPartitions(client: PoolClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
}

function partitionName(table: string, month: number): string {
  return `${table}_${firstInstantOf(month).slice(0, 7).replace('-', '_')}`;
}

/** Knows which months of history have their partitions, and makes those that are missing. */
export class Partitions {
  readonly #pool: Pool;
  readonly #known = new Set<number>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * After this, whatever happened or will happen at these instants (ms) has its partitions, and the months after them too.
   * Costs nothing when they are known. Several processes may do it at once.
   */
  async ensure(instants: Iterable<number>): Promise<void> {
    const missing = new Set<number>();
    for (const instant of instants) {
      const month = monthOf(instant);
      if (!this.#known.has(month)) for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) missing.add(month + ahead);
    }
    if (missing.size === 0) return;
    await transaction(this.#pool, async (client) => {
      await lockPartitions(client);
      for (const month of missing) await createMonth(client, month);
    });
    // The months ahead stay unknown: the first event in one of them makes those after it.
    for (const instant of instants) this.#known.add(monthOf(instant));
  }

  /** To be called when a partition turns out to be gone: the next `ensure` looks again. */
  forget(): void {
    this.#known.clear();
  }
}

/**
 * Creating a partition in place would lock out everybody who uses the table; one that is attached, complete, does not
 * disturb reads and writes.
 */
async function createMonth(client: PoolClient, month: number): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    const name = partitionName(table, month);
    const { rows } = await client.query<{ missing: boolean }>('select to_regclass($1) is null as missing', [name]);
    if (!rows[0]!.missing) continue;
    await client.query(`create table ${name} (like ${table} including defaults including constraints)`);
    await client.query(
      `alter table ${table} attach partition ${name}
       for values from ('${firstInstantOf(month)}') to ('${firstInstantOf(month + 1)}')`,
    );
  }
}
