import type { Redis } from 'ioredis';
import type { Cells } from '../base/cells.ts';
import type { Progress } from '../base/progress.ts';
import type { Pool } from '../db/pool.ts';
import type { Scripts } from '../redis/scripts/scripts.ts';
import type { Rules } from '../rules/rules.ts';
import type { Findings } from './differences.ts';

/** Context of a check of one tenant. */
export interface CheckContext {
  pool: Pool;
  redis: Redis;
  scripts: Scripts;
  cells: Cells;
  tenant: number;
  rules: Rules;
  /** Whether the rankings of a run are final. */
  isFinal: (leaderboard: number, run: number) => boolean;
  findings: Findings;
  progress: Progress;
}
