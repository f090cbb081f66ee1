import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import type { Pool } from '../../db/pool.ts';
import type { RulesStore } from '../calls/rulesStore.ts';

/** Where configurations are stored and where they are published. */
export interface Stores {
  pool: Pool;
  redis: Redis;
  cells: Cells;
  /**
   * Rules in use in this process. The process adopts rules at once when it publishes them; other processes
   * get a message.
   */
  rulesStore?: Pick<RulesStore, 'adopt'>;
}
