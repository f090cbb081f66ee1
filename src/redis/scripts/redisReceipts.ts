import type { Redis } from 'ioredis';
import { type RedisCommand, runPipeline } from '../connection/pipeline.ts';
import { keys } from '../keys/redisKeys.ts';
import { readRecords } from '../layouts/recordLayout.ts';
import { SCORED } from '../layouts/reportLayout.ts';

/** Receipts that each cell keeps (src/engine/recovery/compareReceipts.ts). */
export const RECEIPTS_PER_CELL = 100;

/** Names a transaction of a relay. */
export interface Receipt {
  /** A random UUID, which no other transaction has, also after a restore. */
  token: string;
  /** Rises in the order of the transactions, roughly. */
  no: number;
}

/** The receipts of a cell: token → number. */
export type CellReceipts = Map<string, number>;

/** By cell. */
export async function readReceipts(
  redis: Redis,
  cells: readonly number[],
): Promise<Map<number, CellReceipts>> {
  const replies = await runPipeline(
    redis,
    cells.map((cell) => ['zrange', keys.receipts(cell), 0, -1, 'WITHSCORES']),
  );
  return new Map(cells.map((cell, i) => [cell, toReceipts((replies[i] as Buffer[]).map(String))]));
}

const toReceipts = (flat: string[]): CellReceipts =>
  new Map(readRecords(SCORED, flat).map(({ member, score }) => [member, Number(score)]));

/**
 * Replaces the receipts of all cells. The new ones are added first, so that a comparison meanwhile finds none
 * missing.
 */
export async function replaceReceipts(redis: Redis, receipts: readonly CellReceipts[]): Promise<void> {
  const present = await readReceipts(redis, Array.from(receipts.keys()));
  const commands: RedisCommand[] = [];
  for (const [cell, wanted] of receipts.entries()) {
    const key = keys.receipts(cell);
    if (wanted.size > 0)
      commands.push(['zadd', key, ...Array.from(wanted, ([token, no]) => [no, token]).flat()]);
    const others = [...present.get(cell)!.keys()].filter((token) => !wanted.has(token));
    if (others.length > 0) commands.push(['zrem', key, ...others]);
  }
  await runPipeline(redis, commands);
}
