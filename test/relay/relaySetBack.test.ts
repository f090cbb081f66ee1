import { expect, test } from 'vitest';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { useRelaying } from '../support/relaying.ts';

const relaying = useRelaying();
const { record, drain, isDrained, rowsOf, createRelay } = relaying;

async function sumOf(kind: string, column: 'count' | 'sum'): Promise<number> {
  const found = (await rowsOf('daily_counts')).filter((row) => row.kind === kind);
  return found.reduce((sum, row) => sum + Number(row[column]), 0);
}

/** All entries of all outboxes, as Redis has them now. */
async function copyOutboxes(): Promise<[key: string, id: string, fields: Buffer[]][]> {
  const { redis, cells } = relaying.engine;
  const copies: [string, string, Buffer[]][] = [];
  for (let cell = 0; cell < cells.count; cell++) {
    const key = keys.outbox(cell);
    for (const [id, fields] of await redis.xrangeBuffer(key, '-', '+'))
      copies.push([key, id.toString(), fields]);
  }
  return copies;
}

test('a Redis that is set back, so that entries return to the outbox, counts nothing twice', async () => {
  const { redis } = relaying.engine;
  const relay = createRelay();
  for (const user of ['ann', 'ben', 'cas']) await record(user, 2);
  const copies = await copyOutboxes();
  await drain(relay);
  // The next batch forgets that these entries have been counted.
  await record('dan');
  await drain(relay);
  const before = await rowsOf('event_history', 'user_id');
  const relayed = (await copyOutboxes()).length;
  expect([before.length, relayed]).toEqual([4, 0]);

  await redis.unlink([...new Set(copies.map(([key]) => key))]);
  for (const [key, id, fields] of copies) await redis.xadd(key, id, ...fields);
  await record('eve');
  await drain(createRelay());
  expect(await isDrained()).toBe(true);
  expect(await rowsOf('event_history', 'user_id')).toHaveLength(5);
  expect(await sumOf('metricEvents', 'count')).toBe(5);
  const awards = await rowsOf('award_history');
  expect(await sumOf('pointsGained', 'sum')).toBe(
    awards.reduce((sum, { awarded }) => sum + Number(awarded), 0),
  );
  expect(await sumOf('newUsers', 'count')).toBe(5);
});
