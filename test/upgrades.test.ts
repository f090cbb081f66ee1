import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { pack } from '../src/redis/codec.ts';
import { keys } from '../src/redis/keys.ts';
import { readRelayLag } from '../src/redis/outbox.ts';
import { countLeftEntries } from '../src/redis/relayProgress.ts';
import { OutboxReader, type StreamEntry } from '../workers/outboxReader.ts';
import { NOON, useRelaying } from './support/relaying.ts';

/** What processes of different versions leave to each other. */
const relaying = useRelaying();
const { createRelay, drain, record, rowsOf } = relaying;

const HOUR_MS = 3_600_000;

/** An entry that a server of a newer version has written. */
async function addNewerEntry(shard: number): Promise<void> {
  const { redis, tenant } = relaying.engine;
  const fields = { fn: 'recordEvents/999', tenant, now: NOON, in: pack('another layout') };
  await redis.xadd(keys.outbox(shard), '*', ...Object.entries(fields).flat());
}

/** Reads everything as one consumer, which then hangs or leaves it to others. */
async function readAs(consumer: string, then: (reader: OutboxReader, entries: StreamEntry[]) => Promise<void>) {
  const { redis, shards } = relaying.engine;
  const reader = new OutboxReader(redis, shards, consumer);
  await reader.ensureGroups();
  const { entries } = await reader.read(1_000, 0);
  await then(reader, entries);
  reader.close();
}

describe('a relay that meets entries of a newer format', () => {
  test('leaves them, writes the others and says so once', async () => {
    const { redis, shards } = relaying.engine;
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    for (let shard = 0; shard < shards; shard++) await addNewerEntry(shard);
    for (let i = 0; i < 20; i++) await record(`user-${i}`);
    await addNewerEntry(0);

    const relay = createRelay({ log });
    await drain(relay);
    expect(await rowsOf('metric_events')).toHaveLength(20);
    expect((await relaying.pool.query('select from dead_entries')).rowCount).toBe(0);
    expect(relay.counts).toMatchObject({ deadEntries: 0, leftEntries: shards + 1 });
    expect((await readRelayLag(redis, shards)).entries).toBe(shards + 1);
    expect(await countLeftEntries(redis, shards)).toEqual(new Map([['recordEvents/999', shards + 1]]));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ format: 'recordEvents/999' });
  });

  test('still takes over what a relay that died has read', async () => {
    const { shards } = relaying.engine;
    for (let i = 0; i < 100; i++) await addNewerEntry(0);
    await drain();
    for (let i = 0; i < 20; i++) await record(`user-${i}`);
    await readAs('dead', async () => {});
    await drain(createRelay({ takeOverIdleMs: 1 }));
    expect(await rowsOf('metric_events')).toHaveLength(20);
    expect(await countLeftEntries(relaying.engine.redis, shards)).toEqual(new Map([['recordEvents/999', 100]]));
  });
});

test('entries that a relay of another version has left are written at once by one that knows them', async () => {
  const { redis, shards } = relaying.engine;
  for (let i = 0; i < 20; i++) await record(`user-${i}`);
  await readAs('other version', (reader, entries) => reader.leave(entries, 'recordEvents/1'));
  expect(await countLeftEntries(redis, shards)).toEqual(new Map([['recordEvents/1', 20]]));

  await drain(createRelay({ takeOverIdleMs: HOUR_MS }));
  expect(await rowsOf('metric_events')).toHaveLength(20);
  expect((await readRelayLag(redis, shards)).entries).toBe(0);
  expect(await countLeftEntries(redis, shards)).toEqual(new Map());
});
