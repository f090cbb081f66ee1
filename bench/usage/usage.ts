import type { Redis } from 'ioredis';
import pg from 'pg';
import { cpuOf, readProcesses } from './processes.ts';

/** Parts whose CPU time is measured. */
export const PARTS = ['server', 'redis', 'worker', 'postgres'] as const;
export type Part = (typeof PARTS)[number];

/** What the processes and stores have used. */
export interface Usage {
  cpu_us: Record<Part, number>;
  redisCommands: number;
  /** Bytes of Redis's append-only file and of PostgreSQL's write-ahead log. */
  aof_bytes: number;
  wal_bytes: number;
}

/** Process ids of each part. */
export type Processes = Record<Part, number[]>;

/** Reads what has been used so far. The processes must live. */
export class UsageMeter {
  readonly #redis: Redis;
  readonly #database: pg.Client;

  private constructor(redis: Redis, database: pg.Client) {
    this.#redis = redis;
    this.#database = database;
  }

  static async open(redis: Redis, databaseUrl: string): Promise<UsageMeter> {
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    // The stores stop at once when a scenario fails.
    database.on('error', () => {});
    return new UsageMeter(redis, database);
  }

  async read(processes: Processes): Promise<Usage> {
    const [persistence, commands, wal] = await Promise.all([
      this.#redis.info('persistence'),
      this.#redis.info('commandstats'),
      this.#database.query<{ bytes: string }>(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
      ),
    ]);
    const table = readProcesses();
    const cpu = (pids: number[]): number => pids.reduce((sum, pid) => sum + cpuOf(pid, table), 0);
    return {
      cpu_us: {
        server: cpu(processes.server),
        redis: cpu(processes.redis),
        worker: cpu(processes.worker),
        postgres: cpu(processes.postgres),
      },
      redisCommands: countCommands(commands),
      aof_bytes: Number(/^aof_current_size:(\d+)/m.exec(persistence)![1]),
      wal_bytes: Number(wal.rows[0]!.bytes),
    };
  }

  async close(): Promise<void> {
    await this.#database.end();
  }
}

/** Commands of the answer to INFO commandstats, with those inside scripts, without INFO. */
export function countCommands(info: string): number {
  let sum = 0;
  for (const [, name, calls] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm))
    if (name !== 'info') sum += Number(calls);
  return sum;
}

/**
 * Usage between two readings, for each of `units`. Null instead of the append-only file if Redis has
 * rewritten it.
 */
export function usagePer(units: number, before: Usage, after: Usage): UsagePerUnit {
  const per = (from: number, to: number): number => (to - from) / units;
  const cpu = (part: Part): number => per(before.cpu_us[part], after.cpu_us[part]);
  return {
    cpu_us: { server: cpu('server'), redis: cpu('redis'), worker: cpu('worker'), postgres: cpu('postgres') },
    redisCommands: per(before.redisCommands, after.redisCommands),
    aof_bytes: after.aof_bytes < before.aof_bytes ? null : per(before.aof_bytes, after.aof_bytes),
    wal_bytes: per(before.wal_bytes, after.wal_bytes),
  };
}

export interface UsagePerUnit {
  cpu_us: Record<Part, number>;
  redisCommands: number;
  aof_bytes: number | null;
  wal_bytes: number;
}
