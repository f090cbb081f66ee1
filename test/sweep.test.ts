import { describe, expect, test } from 'vitest';
import { shardOf } from '../src/base/shards.ts';
import { publishRules } from '../src/engine/rulesStore.ts';
import { keys } from '../src/redis/keys.ts';
import { useRecorder } from './support/recorder.ts';

/** What workers look for: all tenants in the places of the shards. */
const recorder = useRecorder();
const { start, at, recorded, read } = recorder;

const METRICS = [{ key: 'lessons', name: 'Lessons' }];
const hourly = (points: number) => [
  { key: 'xp', name: 'XP', triggers: [{ type: 'time', unit: 'hours', interval: 1, points }] },
];
const shards = [0, 1, 2, 3];
const shardOfAnn = shardOf('ann', shards.length);

async function marks(): Promise<Record<number, string[]>> {
  const found: Record<number, string[]> = {};
  for (const shard of shards) {
    const members = await recorder.engine.redis.smembers(keys.review(shard));
    if (members.length > 0) found[shard] = members.sort();
  }
  return found;
}

describe('rules that are new', () => {
  test('leave a mark where the tenant has users, until everybody there has been looked at', async () => {
    await start({ metrics: METRICS });
    const { engine } = recorder;
    expect(await marks()).toEqual({});
    await recorded('ann');
    await engine.configure({ points: hourly(1) });
    expect(await marks()).toEqual({ [shardOfAnn]: [`${engine.tenant}:2`] });
    expect(await engine.sweep.findMarked(shards)).toEqual([shardOfAnn]);

    await engine.sweep.review(shards, { signal: AbortSignal.abort(), usersPerCall: 1, rest: 0 });
    expect(await engine.sweep.findMarked(shards)).toEqual([shardOfAnn]);
    await engine.sweep.review(shards);
    expect(await marks()).toEqual({});
    at('2026-11-18T13:30:00Z');
    expect(await engine.sweep.findDue(shards, engine.clock.now())).toEqual([shardOfAnn]);
  });

  test('leave none when settling goes by the same as before', async () => {
    await start({ metrics: METRICS, points: hourly(1) });
    await recorded('ann');
    await recorder.engine.configure({
      achievements: [{ key: 'two', name: 'Two', trigger: 'metric', metric: 'lessons', value: 2 }],
    });
    expect(await marks()).toEqual({});
  });

  test('leave one when Redis has been lost, and with it what marks there were', async () => {
    await start({ metrics: METRICS });
    await recorded('ann');
    const { redis, tenant } = recorder.engine;
    const config = await recorder.engine.configure({ points: hourly(1) });
    await redis.del(keys.review(shardOfAnn), keys.rules(tenant));
    // As a restore ends.
    await publishRules(redis, config, shards.length, recorder.engine.clock.now());
    expect(await marks()).toEqual({ [shardOfAnn]: [`${tenant}:2`] });
  });
});

test('what a run waits for includes what new rules bring to those nobody has looked at', async () => {
  await start({ metrics: METRICS });
  const { engine } = recorder;
  await recorded('ann');
  at('2026-11-18T12:30:00Z');
  await engine.configure({ points: hourly(1) });
  at('2026-11-18T15:30:00Z');
  await engine.sweep.settleDueOf(engine.tenant, shards, Date.parse('2026-11-18T14:00:00Z'));
  const score = await engine.redis.zscore(keys.due(shardOfAnn), keys.dueMember(engine.tenant, 'ann'));
  expect(new Date(Number(score) * 1000).toISOString()).toBe('2026-11-18T15:00:00.000Z');
});

test('a sweep at a pace settles everybody, a few users a call', async () => {
  await start({ metrics: METRICS, points: hourly(1) });
  const { engine } = recorder;
  const users = Array.from({ length: 30 }, (_, i) => `user-${i}`);
  for (const id of users) await recorded(id, 0);
  at('2026-11-18T15:30:00Z');
  const pace = { signal: new AbortController().signal, usersPerCall: 2, rest: 0.1 };
  await engine.sweep.settleDue(shards, engine.clock.now(), pace);
  expect(await engine.sweep.findDue(shards, engine.clock.now())).toEqual([]);
  for (const id of users) expect((await read(id)).points.get(1)).toBe(3);
});

test('a tenant whose users cannot be settled keeps no other waiting', async () => {
  await start({ metrics: METRICS, points: hourly(1) });
  const { engine } = recorder;
  const { redis, sweep, rulesStore, clock } = engine;
  const stuck = engine.tenant + 1;
  const config = { ...engine.rules().config, tenant: stuck };
  await publishRules(redis, config, shards.length, recorder.engine.clock.now());
  await recorded('ann', 0);
  await engine.users.identify(await rulesStore.load(stuck), 'bo', {});
  // More than one look finds, and all of them before the others.
  const users = Array.from({ length: 1_000 }, (_, i) => `gone-${i}`).filter((id) => shardOf(id, 4) === shardOfAnn);
  const early = users.flatMap((userId) => [clock.now() / 1000, keys.dueMember(stuck, userId)]);
  await redis.zadd(keys.due(shardOfAnn), ...early);
  await redis.del(keys.rules(stuck), ...shards.map((shard) => keys.version(stuck, shard)));
  at('2026-11-18T14:30:00Z');

  await expect(sweep.settleDue(shards, clock.now())).rejects.toThrow('The store is empty');
  const score = await redis.zscore(keys.due(shardOfAnn), keys.dueMember(engine.tenant, 'ann'));
  expect(new Date(Number(score) * 1000).toISOString()).toBe('2026-11-18T15:00:00.000Z');

  await publishRules(redis, config, shards.length, recorder.engine.clock.now());
  await sweep.settleDue(shards, clock.now());
  expect(await sweep.findDue(shards, clock.now())).toEqual([]);
  expect((await read('ann')).points.get(1)).toBe(2);
  expect((await engine.users.read(await rulesStore.load(stuck), 'bo')).user.points.get(1)).toBe(2);
});
