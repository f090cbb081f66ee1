import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { Pool } from '../src/db/pool.ts';

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
  return {
    redis_cpu_us: (seconds('sys') + seconds('user')) * 1e6,
    postgres_cpu_us: cpuOfFamily(statOf(rows[0]!.pid)!.parent),
    wal_bytes: Number(rows[0]!.wal),
  };
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface ProcessStat {
  parent: number;
  /** CPU time of the process, and of its children that have ended. */
  cpu_us: number;
}

/** null if the process has ended. */
function statOf(pid: number): ProcessStat | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = fields[11]! + fields[12]! + fields[13]! + fields[14]!;
  return { parent: fields[1]!, cpu_us: (ticks / TICKS_PER_SECOND) * 1e6 };
}

/** CPU time of a process and of all its children, with those that have ended. */
function cpuOfFamily(leader: number): number {
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat !== null && (Number(name) === leader || stat.parent === leader)) sum += stat.cpu_us;
  }
  return sum;
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
