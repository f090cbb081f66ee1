import type { Redis } from 'ioredis';
import type { Pool } from '../db/pool.ts';

/** Where configurations are stored and where they are published. */
export interface Stores {
  pool: Pool;
  redis: Redis;
  /** Number of cells of the installation. */
  cells: number;
}
