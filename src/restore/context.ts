import type { Redis } from 'ioredis';
import type { Progress } from '../base/progress.ts';
import type { PoolClient } from '../db/pool.ts';
import type { Rules } from '../rules/rules.ts';

/** What the parts of a restore work with: one tenant, and PostgreSQL as it was at one moment. */
export interface RestoreContext {
  client: PoolClient;
  redis: Redis;
  rules: Rules;
  /** Whether the rankings of a run are final: those are read from PostgreSQL. */
  isFinal: (leaderboard: number, run: number) => boolean;
  tenant: number;
  shards: number;
  now: number;
  progress: Progress;
}
