import type { Redis } from 'ioredis';
import type { Pool } from '../../src/db/pool.ts';
import { cpuOf, readProcesses } from '../usage/processes.ts';

/** What the stores have used since they were started. */
export interface StoreCost {
  redis_cpu_us: number;
  postgres_cpu_us: number;
  wal_bytes: number;
}

export async function readStoreCost(redis: Redis, pool: Pool): Promise<StoreCost> {
  const cpu = await redis.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(cpu)![1]);
  const { rows } = await pool.query<{ pid: number; wal: string }>(
    `select pg_backend_pid() as pid, pg_current_wal_insert_lsn() - '0/0' as wal`,
  );
  const processes = readProcesses();
  return {
    redis_cpu_us: (seconds('sys') + seconds('user')) * 1e6,
    postgres_cpu_us: cpuOf(processes.get(rows[0]!.pid)!.parent, processes),
    wal_bytes: Number(rows[0]!.wal),
  };
}

export interface TableSize {
  name: string;
  table_bytes: number;
  index_bytes: number;
}

/** Sizes of all tables, partitions under the name of their table. */
export async function readTableSizes(pool: Pool): Promise<TableSize[]> {
  const { rows } = await pool.query<TableSize>(`
    select coalesce(inhparent::regclass, class.oid::regclass)::text as name,
      sum(pg_table_size(class.oid))::float8 as table_bytes, sum(pg_indexes_size(class.oid))::float8 as index_bytes
    from pg_class class left join pg_inherits on inhrelid = class.oid
    where relkind = 'r' and relnamespace = 'public'::regnamespace group by 1 order by 1`);
  return rows;
}
