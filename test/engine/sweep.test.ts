import { describe, expect, test } from 'vitest';
import { cellOf, homeCellOf } from '../../src/base/cells.ts';
import { publishRules } from '../../src/engine/calls/rulesStore.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { countReviews, listReviews, saveReview } from '../../src/redis/state/reviewProgress.ts';
import { useRecorder } from '../support/recorder.ts';
import { until } from '../support/until.ts';

/** What workers look for: all tenants of the cells. */
const recorder = useRecorder();
const { start, at, recorded, read } = recorder;

const METRICS = [{ key: 'lessons', name: 'Lessons' }];
const hourly = (points: number) => [
  { key: 'xp', name: 'XP', triggers: [{ type: 'time', timeUnit: 'hours', timeInterval: 1, points }] },
];
const POINTS_BOARD = { key: 'top', name: 'Top', rankBy: 'points', points: 'xp', start: '2026-11-01' };
const cells = [0, 1, 2, 3];

/** An id of a user in the first cell of the tenant. */
const atHome = (name: string): string => recorder.engine.userIn(recorder.engine.cell, name);

async function marks(): Promise<Record<number, string[]>> {
  const found: Record<number, string[]> = {};
  for (const cell of cells) {
    const members = await recorder.engine.redis.hkeys(keys.review(cell));
    if (members.length > 0) found[cell] = members.sort();
  }
  return found;
}

describe('rules that are new', () => {
  test('leave a mark while the tenant has users who have not been looked at', async () => {
    await start({ metrics: METRICS });
    const { engine } = recorder;
    expect(await marks()).toEqual({});
    await recorded(atHome('ann'));
    await engine.configure({ points: hourly(1) });
    expect(await marks()).toEqual({ [recorder.engine.cell]: [`${engine.tenant}:2`] });
    expect(await engine.sweep.findMarked(cells)).toEqual([recorder.engine.cell]);

    await engine.sweep.review(cells, {
      signal: AbortSignal.abort(),
      usersPerCall: 1,
      callsAtOnce: 1,
      rest: 0,
    });
    expect(await engine.sweep.findMarked(cells)).toEqual([recorder.engine.cell]);
    await engine.sweep.review(cells);
    expect(await marks()).toEqual({});
    at('2026-11-18T13:30:00Z');
    expect(await engine.sweep.findDue(cells, engine.clock.now())).toEqual([recorder.engine.cell]);
  });

  test('are applied by a review that another worker continues where the first one ended', async () => {
    await start({ metrics: METRICS });
    const { engine } = recorder;
    const { redis, sweep, tenant, cell } = engine;
    const users = Array.from({ length: 300 }, (_, i) => atHome(`user-${i}`));
    for (const id of users) await recorded(id, 0);
    await engine.configure({ points: hourly(1) });
    const isDue = async (): Promise<number> => redis.zcard(keys.due(cell));
    const endAfterOnePage = async (): Promise<void> => {
      const ended = new AbortController();
      const review = sweep.review([cell], {
        signal: ended.signal,
        usersPerCall: 50,
        callsAtOnce: 1,
        rest: 1_000,
      });
      const before = await isDue();
      await until(async () => (await isDue()) > before);
      ended.abort();
      await review;
    };
    await endAfterOnePage();
    const first = await countReviews(redis, engine.cells);
    expect(first).toEqual([{ tenant, version: 2, reviewed: await isDue(), users: 300 }]);
    await endAfterOnePage();
    const [second] = await countReviews(redis, engine.cells);
    expect(second).toMatchObject({ reviewed: await isDue() });
    expect(second!.reviewed).toBeGreaterThan(first[0]!.reviewed);

    // A cursor of another Redis process means nothing, so all users are reviewed again.
    const [review] = await listReviews(redis, cell);
    await saveReview(redis, cell, { ...review!, runId: 'another' });
    await redis.del(keys.due(cell));
    await endAfterOnePage();
    const [again] = await countReviews(redis, engine.cells);
    expect(again!.reviewed).toBeLessThan(second!.reviewed);

    await sweep.review([cell]);
    expect(await countReviews(redis, engine.cells)).toEqual([]);
    expect(await marks()).toEqual({});
    at('2026-11-18T13:30:00Z');
    await sweep.settleDue([cell], engine.clock.now());
    for (const id of users) expect((await read(id)).points.get(1)).toBe(1);
  });

  test('leave none when settling goes by the same as before', async () => {
    await start({ metrics: METRICS, points: hourly(1) });
    await recorded(atHome('ann'));
    await recorder.engine.configure({
      achievements: [{ key: 'two', name: 'Two', trigger: 'metric', metric: 'lessons', metricValue: 2 }],
    });
    expect(await marks()).toEqual({});
  });

  test('leave one when Redis has been lost, and with it what marks there were', async () => {
    await start({ metrics: METRICS });
    await recorded(atHome('ann'));
    const { redis, tenant, cell } = recorder.engine;
    const config = await recorder.engine.configure({ points: hourly(1) });
    await redis.del(keys.review(cell), keys.rules(tenant, cell));
    // As a restore ends.
    await publishRules(redis, config, recorder.engine.cells, recorder.engine.clock.now());
    expect(await marks()).toEqual({ [recorder.engine.cell]: [`${tenant}:2`] });
  });

  /** A user was evaluated before a change that has nothing to do with time. Then Redis is restored. */
  const restoreAfterOtherRules = async (): Promise<void> => {
    await start({ metrics: METRICS, points: hourly(1) });
    await recorded(atHome('ann'));
    const { engine } = recorder;
    const config = await engine.configure({ metrics: [...METRICS, { key: 'words', name: 'Words' }] });
    await recorded(atHome('bob'));
    at('2026-11-18T12:30:00Z');
    await engine.redis.del(keys.rules(engine.tenant, engine.cell));
    await publishRules(engine.redis, config, engine.cells, engine.clock.now());
  };

  test('are looked at from a restore on, although a process knew the configuration before', async () => {
    await restoreAfterOtherRules();
    const { engine } = recorder;
    await engine.sweep.review(cells);
    const ann = { tenant: engine.tenant, userId: atHome('ann') };
    expect(await readUserState(engine.redis, engine.cells, ann)).toMatchObject({ version: 2 });
  });

  test('are looked at when a user is due, although no review has found the user', async () => {
    await restoreAfterOtherRules();
    const { engine } = recorder;
    await engine.redis.del(keys.review(engine.cell));
    at('2026-11-18T13:30:00Z');
    const { sweep } = createEngine({ redis: engine.redis, cells: engine.cells, clock: engine.clock });
    await sweep.run(engine.clock.now());
    const { points, version } = await read(atHome('ann'));
    expect([points.get(1), version]).toEqual([1, 2]);
  });
});

test('what a run waits for includes what new rules bring to those nobody has looked at', async () => {
  await start({ metrics: METRICS });
  const { engine } = recorder;
  await recorded(atHome('ann'));
  at('2026-11-18T12:30:00Z');
  await engine.configure({ points: hourly(1) });
  at('2026-11-18T15:30:00Z');
  await engine.sweep.settleDueOf(engine.tenant, Date.parse('2026-11-18T14:00:00Z'));
  const score = await engine.redis.zscore(
    keys.due(engine.cell),
    keys.dueMember(engine.tenant, atHome('ann')),
  );
  expect(new Date(Number(score) * 1000).toISOString()).toBe('2026-11-18T15:00:00.000Z');
});

test('a sweep at a pace settles everybody, a few users a call', async () => {
  await start({ metrics: METRICS, points: hourly(1) });
  const { engine } = recorder;
  const users = Array.from({ length: 30 }, (_, i) => `user-${i}`);
  for (const id of users) await recorded(id, 0);
  at('2026-11-18T15:30:00Z');
  const pace = { signal: new AbortController().signal, usersPerCall: 2, callsAtOnce: 1, rest: 0.1 };
  await engine.sweep.settleDue(cells, engine.clock.now(), pace);
  expect(await engine.sweep.findDue(cells, engine.clock.now())).toEqual([]);
  for (const id of users) expect((await read(id)).points.get(1)).toBe(3);
});

test.each([
  ['in several calls at once', [], 3],
  ['in one call after the other, if a leaderboard ranks what they get', [POINTS_BOARD], 1],
])('users who are due at one instant are settled %s', async (_, leaderboards, expected) => {
  await start({ metrics: METRICS, points: hourly(1), leaderboards });
  const { engine } = recorder;
  const users = Array.from({ length: 60 }, (_, i) => atHome(`user-${i}`));
  for (const id of users) await recorded(id, 0);
  at('2026-11-18T13:30:00Z');
  const { sweep, scripts } = createEngine({ redis: engine.redis, cells: engine.cells, clock: engine.clock });
  const settleUsers = scripts.settleUsers.bind(scripts);
  const underWay = { now: 0, most: 0 };
  scripts.settleUsers = async (call) => {
    underWay.most = Math.max(underWay.most, ++underWay.now);
    return settleUsers(call).finally(() => underWay.now--);
  };
  const pace = { signal: new AbortController().signal, usersPerCall: 10, callsAtOnce: 3, rest: 0 };
  await sweep.settleDue([engine.cell], engine.clock.now(), pace);
  expect(underWay.most).toBe(expected);
  for (const id of users) expect((await read(id)).points.get(1)).toBe(1);
});

test('a page of users in many zones takes one call, once the zones of the tenant are known', async () => {
  await start({ metrics: METRICS, points: hourly(1) });
  const { engine } = recorder;
  const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'Pacific/Apia'];
  const users = Array.from({ length: 120 }, (_, i) => ({
    id: atHome(`user-${i}`),
    tz: zones[i % zones.length]!,
  }));
  for (const user of users) await recorded(user, 0);
  at('2026-11-18T13:30:00Z');
  // The sweep of a worker, which has seen none of the users.
  const { sweep, scripts } = createEngine({ redis: engine.redis, cells: engine.cells, clock: engine.clock });
  const settleUsers = scripts.settleUsers.bind(scripts);
  let calls = 0;
  scripts.settleUsers = (call) => {
    calls++;
    return settleUsers(call);
  };
  const pace = { signal: new AbortController().signal, usersPerCall: 20, callsAtOnce: 1, rest: 0 };
  await sweep.settleDue(cells, engine.clock.now(), pace);
  expect(calls).toBe(120 / 20 + 1);
  for (const { id } of users) expect((await read(id)).points.get(1)).toBe(1);
});

test('a tenant whose users cannot be settled keeps no other waiting', async () => {
  await start({ metrics: METRICS, points: hourly(1) });
  const { engine } = recorder;
  const { redis, sweep, rulesStore, clock } = engine;
  let stuck = engine.tenant + 1;
  while (homeCellOf(stuck, engine.cells) !== engine.cell) stuck++;
  const config = { ...engine.rules().config, tenant: stuck };
  await publishRules(redis, config, engine.cells, recorder.engine.clock.now());
  await recorded(atHome('ann'), 0);
  const inCell = (name: string): string => {
    let id = name;
    for (let i = 1; cellOf(stuck, id, engine.cells) !== engine.cell; i++) id = `${name}-${i}`;
    return id;
  };
  const bo = inCell('bo');
  await engine.users.identify(await rulesStore.load(stuck), bo, {});
  // More than one look finds, and all of them before the others.
  const users = Array.from({ length: 1_000 }, (_, i) => inCell(`gone-${i}`));
  const early = users.flatMap((userId) => [clock.now() / 1000, keys.dueMember(stuck, userId)]);
  await redis.zadd(keys.due(engine.cell), ...early);
  await redis.del(keys.rules(stuck, engine.cell), keys.version(stuck, engine.cell));
  at('2026-11-18T14:30:00Z');

  await expect(sweep.settleDue(cells, clock.now())).rejects.toThrow('Redis is empty');
  const score = await redis.zscore(keys.due(engine.cell), keys.dueMember(engine.tenant, atHome('ann')));
  expect(new Date(Number(score) * 1000).toISOString()).toBe('2026-11-18T15:00:00.000Z');

  await publishRules(redis, config, engine.cells, recorder.engine.clock.now());
  await sweep.settleDue(cells, clock.now());
  expect(await sweep.findDue(cells, clock.now())).toEqual([]);
  expect((await read(atHome('ann'))).points.get(1)).toBe(2);
  expect((await engine.users.read(await rulesStore.load(stuck), bo)).user.points.get(1)).toBe(2);
});
