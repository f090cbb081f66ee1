import type { Redis } from 'ioredis';
import { allCells } from '../../base/cells.ts';
import { DUE } from '../scripts/scriptLayout.ts';
import { keys } from './keys.ts';

/** The earliest due time of all users, past or future, milliseconds since 1970; null if no user has one. */
export async function readOldestDueUser(redis: Redis, cells: number): Promise<number | null> {
  const first = await Promise.all(allCells(cells).map((cell) => redis.zrange(keys.due(cell), '0', '0', 'WITHSCORES')));
  const instants = first.flatMap(([, score]) => (score === undefined ? [] : [Number(score)]));
  const oldest = Math.min(...instants, DUE.never);
  return oldest === DUE.never ? null : oldest * 1_000;
}
