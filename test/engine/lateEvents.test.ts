import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TICKET } from '../../src/redis/lua/scriptConstants.ts';
import type { Relay } from '../../workers/relay/relay.ts';
import { DAILY, items, lessonStreak, metricBoard, perLesson, xp } from '../support/items.ts';
import { useRelaying } from '../support/relaying.ts';
import { DAY_MS, dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Events that say when they happened; lateEvents.random.test.ts compares them with events in time. */

const CONFIG = {
  attributes: { user: items('city') },
  metrics: items('lessons'),
  streak: lessonStreak({ freezes: { startCount: 1, maxCount: 2 } }),
  points: [
    xp([perLesson(10), { type: 'streak', streakLength: 3, points: 100 }], {
      boosts: [{ name: 'Yesterday', start: dayFromStart(-1), end: dayFromStart(-1), multiplier: 3 }],
    }),
  ],
  leaderboards: [
    metricBoard('days', { ...DAILY, start: dayFromStart(-9) }),
    metricBoard('cities', { ...DAILY, start: dayFromStart(-9), breakdownAttributes: ['city'] }),
  ],
};

describe('over HTTP', () => {
  const server = useServer();
  let relay: Relay;

  beforeAll(async () => {
    relay = await server.startRelay();
    await server.call('PUT', '/admin/v1/config', CONFIG);
  });
  afterAll(() => relay.stop());

  const ago = (ms: number): string => new Date(server.clock.now() - ms).toISOString();
  const send = (id: string, timestamp: string | undefined, more = {}) =>
    server.call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1, timestamp, ...more });
  const totalOf = async (id: string) => (await server.call('GET', `/v1/users/${id}/metrics/lessons`)).status;

  test.each([
    ['yesterday', 'timestamp must be an ISO 8601 instant with an offset'],
    ['2026-11-18T10:00:00', 'timestamp must be an ISO 8601 instant with an offset'],
    ['2026-02-30T10:00:00Z', 'timestamp must be an ISO 8601 instant with an offset'],
    ['2026-11-01T10:00:00Z', 'timestamp must not be older than 172800 seconds'],
    ['2026-11-19T10:00:00Z', 'timestamp must not be more than 300 seconds ahead'],
  ])('%s is refused and changes nothing', async (timestamp, message) => {
    const { status, body } = await send('nobody', timestamp);
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
    expect(await totalOf('nobody')).toBe(404);
  });

  test('a repeated event is answered as before, although its timestamp is too old by now', async () => {
    const setMaxAge = (maxAgeSeconds: number) =>
      server.call('PATCH', '/admin/v1/settings', { lateEvents: { maxAgeSeconds } });
    const timestamp = ago(DAY_MS);
    const first = await send('repeated', timestamp, { idempotencyKey: 'first' });
    expect(first.status).toBe(201);
    expect((await setMaxAge(3_600)).status).toBe(200);
    const repeated = await send('repeated', timestamp, { idempotencyKey: 'first' });
    const other = await send('repeated', timestamp, { idempotencyKey: 'other' });
    const another = await send('nobody', timestamp, { idempotencyKey: 'other' });
    expect((await setMaxAge(172_800)).status).toBe(200);
    expect([repeated.status, repeated.body.eventId, repeated.body.total]).toEqual([
      202,
      first.body.eventId,
      1,
    ]);
    for (const { status, body } of [other, another])
      expect([status, body.error]).toEqual([
        422,
        expect.stringMatching(/must not be older than 3600 seconds/),
      ]);
    expect(await totalOf('nobody')).toBe(404);
  });

  test('an instant ahead by less than five minutes counts as now', async () => {
    const { status, body } = await send('ahead', ago(-200_000));
    expect([status, body.total]).toEqual([201, 1]);
    expect(Date.parse(body.points.xp.awards[0].date)).toBeLessThanOrEqual(server.clock.now());
  });

  test('points have the date of the event and the boosts of its day', async () => {
    const { body } = await send('boosted', ago(DAY_MS));
    expect(body.points.xp).toMatchObject({ added: 30 });
    expect(body.points.xp.awards[0].date.slice(0, 10)).toBe(dayFromStart(-1));
    const days = (
      await server.call(
        'GET',
        '/v1/users/boosted/metrics/lessons/event-summary?aggregation=daily&startDate=' +
          dayFromStart(-1) +
          '&endDate=' +
          dayFromStart(0),
      )
    ).body;
    expect(days).toMatchObject([{ change: 1 }, { change: 0 }]);
  });

  test('a repetition with the same idempotency key changes nothing', async () => {
    const timestamp = ago(DAY_MS);
    const first = await send('twice', timestamp, { idempotencyKey: 'one' });
    const again = await send('twice', timestamp, { idempotencyKey: 'one' });
    expect([first.status, again.status]).toEqual([201, 202]);
    expect(again.body).toMatchObject({ eventId: first.body.eventId, total: 1, idempotentReplayed: true });
  });

  test('a batch mixes events of several users, and refuses those that are too old or ahead', async () => {
    const item = (id: string, timestamp?: string) => ({ key: 'lessons', user: { id }, value: 1, timestamp });
    const items = [
      item('ann', ago(DAY_MS)),
      item('ann'),
      item('bo', ago(9 * DAY_MS)),
      item('bo', ago(-DAY_MS)),
      item('cy', ago(1_000)),
    ];
    const { status, body } = await server.call('POST', '/admin/v1/metrics/events?results=true', items);
    expect([status, body.accepted]).toEqual([202, 3]);
    expect(
      body.refused.map(({ index, status: of }: { index: number; status: number }) => [index, of]),
    ).toEqual([
      [2, 422],
      [3, 422],
    ]);
    const malformed = await server.call('POST', '/admin/v1/metrics/events', [
      item('dan'),
      item('eve', 'now'),
    ]);
    expect([malformed.status, malformed.body.error]).toEqual([
      422,
      expect.stringContaining('[1]: timestamp'),
    ]);
    expect(await totalOf('dan')).toBe(404);
  });

  test('a missed day that arrives late repairs the streak, gives the freeze back and awards its length', async () => {
    await send('repaired', ago(2 * DAY_MS - 3_600_000));
    await send('repaired', undefined);
    const before = (await server.call('GET', '/v1/users/repaired/streak?historyPeriods=3')).body;
    expect(before).toMatchObject({ length: 2, freezes: 0 });
    const { body } = await send('repaired', ago(DAY_MS));
    expect(body.currentStreak).toMatchObject({ length: 3, extended: true });
    expect(body.points.xp.added).toBe(30 + 300);
    const after = (await server.call('GET', '/v1/users/repaired/streak?historyPeriods=3')).body;
    expect(after).toMatchObject({ length: 3, freezes: 1 });
    expect(
      after.streakHistory.map(({ length, usedFreeze }: Record<string, unknown>) => [length, usedFreeze]),
    ).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ]);
  });

  test('0 refuses events of the past', async () => {
    await server.call('PATCH', '/admin/v1/settings', { lateEvents: { maxAgeSeconds: 0 } });
    const { status, body } = await send('nobody', ago(1_000));
    expect([status, body.error]).toEqual([422, expect.stringContaining('lateEvents.maxAgeSeconds is 0')]);
    await server.call('PATCH', '/admin/v1/settings', { lateEvents: { maxAgeSeconds: 172_800 } });
  });
});

describe('on leaderboards', () => {
  const relaying = useRelaying();
  const at = (hours: number): string =>
    new Date(relaying.engine.clock.now() - hours * 3_600_000).toISOString();
  const record = (hours: number | null, city?: string) =>
    relaying.engine.record('lessons', {
      user: { id: 'ann', ...(city !== undefined && { attributes: { city } }) },
      value: 1,
      ...(hours !== null && { timestamp: at(hours) }),
    });
  /** By ranking (leaderboard, first day of the run, group), the users with their scores. */
  const scores = async (): Promise<Record<string, Record<string, number>>> => {
    const { engine } = relaying;
    const found: Record<string, Record<string, number>> = {};
    for (const name of await engine.rankingNames()) {
      found[name] = {};
      for (const key of engine.rankingKeys(name)) {
        const flat = await engine.redis.zrange(key, '0', '-1', 'WITHSCORES');
        for (let i = 0; i < flat.length; i += 2)
          found[name][flat[i]!.slice(TICKET.size)] = Number(flat[i + 1]);
      }
    }
    return found;
  };

  test('an event counts in its run until the run is final', async () => {
    await relaying.engine.configure({ ...CONFIG, settings: { lateEvents: { maxAgeSeconds: 9 * 86_400 } } });
    await relaying.engine.rulesStore.load(relaying.engine.tenant);
    relaying.createRelay().start();
    const today = Math.floor(relaying.engine.clock.now() / DAY_MS);
    const [days, cities] = ['days', 'cities'].map((key) => relaying.no('leaderboards', key));
    // The run of yesterday is final 12 hours after its end: at noon of this day.
    relaying.engine.clock.set(relaying.engine.clock.now() - 3_600_000);
    await record(null, 'Rome');
    await record(20);
    await record(20);
    await record(60);
    expect(await scores()).toMatchObject({
      [`${days}:${today}:`]: { ann: 1 },
      [`${days}:${today - 1}:`]: { ann: 2 },
      [`${cities}:${today}:4:Rome`]: { ann: 1 },
      [`${cities}:${today - 1}:4:Rome`]: { ann: 2 },
    });
    expect(Object.keys(await scores()).filter((name) => name.startsWith(`${days}:`))).toHaveLength(2);
    relaying.engine.clock.set(relaying.engine.clock.now() + 2 * 3_600_000);
    await record(20);
    expect((await scores())[`${days}:${today - 1}:`]).toEqual({ ann: 2 });
    expect((await relaying.engine.users.read(relaying.engine.rules(), 'ann')).user.counters.get(1)).toBe(5);
  });

  test('after a journey west, an event in time counts in the newer run, a late one in the run of its date', async () => {
    const { engine } = relaying;
    await engine.configure(CONFIG);
    await engine.rulesStore.load(engine.tenant);
    relaying.createRelay().start();
    const send = (tz: string, timestamp?: string) =>
      engine.record('lessons', { user: { id: 'ann', tz }, value: 1, timestamp });
    await send('Pacific/Kiritimati');
    await send('Pacific/Pago_Pago');
    await send('Pacific/Pago_Pago', at(0.5));
    const board = relaying.no('leaderboards', 'days');
    const today = Math.floor(engine.clock.now() / DAY_MS);
    expect(await scores()).toMatchObject({
      [`${board}:${today + 1}:`]: { ann: 2 },
      [`${board}:${today}:`]: { ann: 1 },
    });
  });

  test('an event counts in the group that the user had in its run, whatever the attributes are now', async () => {
    const { engine } = relaying;
    await engine.configure(CONFIG);
    await engine.rulesStore.load(engine.tenant);
    relaying.createRelay().start();
    const now = engine.clock.now() - 3_600_000;
    const yesterday = Math.floor(now / DAY_MS) - 1;
    const send = (id: string, value: number, city: string | null, hours: number | null) =>
      engine.record('lessons', {
        user: { id, ...(city !== null && { attributes: { city } }) },
        value,
        ...(hours !== null && { timestamp: new Date(now - hours * 3_600_000).toISOString() }),
      });
    engine.clock.set(now - 20 * 3_600_000);
    await send('moved', 2, 'Oslo', null);
    await send('late', 2, 'Oslo', null);
    await send('undone', 1_000, 'Oslo', null);
    await send('joined', 2, null, null);

    engine.clock.set(now);
    // Only the first move of today says where the user was yesterday.
    for (const city of ['Paris', 'Lima']) await send('moved', 1, city, null);
    await send('moved', 5, null, 19);
    // The late event itself moves the user.
    await send('late', 5, 'Paris', 19);
    await send('undone', 1, 'Paris', null);
    await send('undone', -1_000, null, 19);
    // Had no group yesterday.
    await send('joined', 1, 'Paris', null);
    await send('joined', 5, null, 19);

    const board = relaying.no('leaderboards', 'cities');
    const found = Object.entries(await scores()).filter(([name]) => name.startsWith(`${board}:`));
    expect(Object.fromEntries(found)).toEqual({
      [`${board}:${yesterday}:4:Oslo`]: { moved: 7, late: 7 },
      [`${board}:${yesterday + 1}:4:Lima`]: { moved: 2 },
      [`${board}:${yesterday + 1}:5:Paris`]: { undone: 1, joined: 1 },
    });
  });
});
