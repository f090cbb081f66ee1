import { POSTGRES_CONNECTIONS_SERVER, POSTGRES_CONNECTIONS_WORKER } from '../base/limits.ts';
import { COSTS } from './costs.ts';
import type { Demand } from './demand.ts';

/** Share of a core that is used at the peak, so that bursts and restarts find room. */
const LOAD = 0.6;
/** The whole day at this share of the peak makes as many events as an ordinary day. */
const DAY_SHARE_OF_PEAK = 1 / 3;
/** How long PostgreSQL may be down at the peak before the outbox fills the memory. */
const OUTAGE_SECONDS = 3_600;
/** Memory that Redis needs beyond its data: fragmentation, buffers, pages copied while the append-only file is rewritten. */
const REDIS_MEMORY_FACTOR = 2;
/** One of a kind is none while it restarts. */
const INSTANCES_MIN = 2;
const POSTGRES_CONNECTIONS_MAX = 97;
const CELLS_PER_PRIMARY = 16;
const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30;

/** What an installation needs; bytes and CPU cores. */
export interface Sizing {
  eventsPerDay: number;
  redis: { cores: number; primaries: number; cells: number; data: number; memory: number; aofPerSecond: number };
  postgres: { cores: number; diskPerDay: number; diskPerMonth: number; walPerDay: number; connections: number };
  servers: number;
  workers: number;
  /** What has to be set or known beyond the numbers. */
  notes: string[];
}

/** Computes what an installation needs from the measured costs. docs/sizing.md shows the formulas. */
export function sizeFor(demand: Demand): Sizing {
  const { eventsPerSecond, users, keysPerEvent, keyDays } = demand;
  const eventsPerDay = demand.eventsPerDay ?? eventsPerSecond * DAY_SECONDS * DAY_SHARE_OF_PEAK;
  const cores = (us: number): number => (eventsPerSecond * us) / 1e6 / LOAD;
  const redisCores = cores(COSTS.redisCpu.value + keysPerEvent * COSTS.keyRedisCpu.value);
  const primaries = Math.max(1, Math.ceil(redisCores));
  const keys = eventsPerDay * keyDays * keysPerEvent;
  const backlog = eventsPerSecond * OUTAGE_SECONDS * COSTS.aof.value;
  const data = users * COSTS.user.value + keys * COSTS.key.value + backlog;
  const servers = instances(cores(COSTS.serverCpu.value + keysPerEvent * COSTS.keyServerCpu.value));
  const workers = instances(cores(COSTS.workerCpu.value));
  const diskPerDay = eventsPerDay * COSTS.history.value;
  const sizing: Omit<Sizing, 'notes'> = {
    eventsPerDay,
    redis: {
      cores: redisCores,
      primaries,
      cells: Math.max(CELLS_PER_PRIMARY, nextPowerOfTwo(primaries * CELLS_PER_PRIMARY)),
      data,
      memory: data * REDIS_MEMORY_FACTOR,
      aofPerSecond: eventsPerSecond * COSTS.aof.value,
    },
    postgres: {
      cores: cores(COSTS.postgresCpu.value),
      diskPerDay,
      diskPerMonth: diskPerDay * MONTH_DAYS,
      walPerDay: eventsPerDay * COSTS.wal.value,
      connections: servers * POSTGRES_CONNECTIONS_SERVER + workers * POSTGRES_CONNECTIONS_WORKER,
    },
    servers,
    workers,
  };
  return { ...sizing, notes: notesOn(sizing) };
}

const instances = (cores: number): number => Math.max(INSTANCES_MIN, Math.ceil(cores));

const nextPowerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(value));

function notesOn({ redis, postgres }: Omit<Sizing, 'notes'>): string[] {
  const notes: string[] = [];
  if (redis.primaries > 1) {
    notes.push(
      `Redis Cluster with ${redis.primaries} primaries and LAUREL_CELLS=${redis.cells}; one tenant uses one primary, so the events must come from several tenants`,
    );
  }
  if (postgres.connections > POSTGRES_CONNECTIONS_MAX) {
    notes.push(
      `max_connections of PostgreSQL of ${postgres.connections + 10}, or a smaller LAUREL_POSTGRES_CONNECTIONS, or PgBouncer`,
    );
  }
  return notes;
}
