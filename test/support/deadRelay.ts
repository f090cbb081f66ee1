import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../src/base/cells.ts';
import type { Clock } from '../../src/base/clock.ts';
import { readFence } from '../../src/db/history/relayFence.ts';
import { Partitions } from '../../src/db/partitions.ts';
import type { Pool } from '../../src/db/pool.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { EntryWriter, readEntry } from '../../workers/relay/entryWriter.ts';
import { OutboxReader, type StreamEntry } from '../../workers/relay/outboxReader.ts';
import { RelayRanks } from '../../workers/relay/relayRanks.ts';
import { StateReader } from '../../workers/relay/stateReader.ts';
import { silent } from './relaying.ts';

export interface RelayStores {
  pool: Pool;
  redis: Redis;
  cells: Cells;
  clock: Clock;
}

/** Name of the consumer of the relay that has died. */
export const DEAD = 'dead';

/** A relay that was handed everything and died. */
export async function takeAndDie(
  { redis, cells }: Pick<RelayStores, 'redis' | 'cells'>,
  consumer = DEAD,
): Promise<StreamEntry[]> {
  const reader = new OutboxReader(redis, cells, consumer);
  await reader.ensureGroups();
  const { entries } = await reader.read(allCells(cells), 1_000, 0);
  reader.close();
  return entries;
}

export function createWriter({ pool, redis, cells, clock }: RelayStores): EntryWriter {
  const states = new StateReader(new Scripts(redis, cells), clock, cells);
  const ranks = new RelayRanks(redis, cells);
  return new EntryWriter({ ranks, pool, partitions: new Partitions(pool), states, clock, log: silent });
}

/** A relay that died when it had written everything and had not acknowledged it. */
export async function writeAndDie(stores: RelayStores): Promise<void> {
  const entries = await takeAndDie(stores);
  await createWriter(stores).write(entries.map(readEntry), await readFence(stores.pool));
}
