import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import type { Progress } from '../../base/progress.ts';
import type { PoolClient } from '../../db/pool.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

/** Context of a restore of one tenant. The client sees one snapshot of PostgreSQL. */
export interface RestoreContext {
  client: PoolClient;
  redis: Redis;
  rules: Rules;
  /** Whether the rankings of a run are final. Final rankings stay in PostgreSQL. */
  isFinal: (leaderboard: number, run: number) => boolean;
  tenant: number;
  cells: Cells;
  now: number;
  progress: Progress;
}
