import { beforeAll, describe, expect, test } from 'vitest';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import type { Guards } from '../../src/contract/guards.ts';
import { createApiKey } from '../../src/db/access/apiKeyRows.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { useRecorder } from '../support/recorder.ts';
import { allKeys } from '../support/redisData.ts';
import { useRelaying } from '../support/relaying.ts';
import { callApi } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Guards of metrics: which events count. */

const configOf = (guards: Guards): ConfigFile => ({
  metrics: [
    { key: 'lessons', name: 'Lessons', guards },
    { key: 'minutes', name: 'Minutes', guards },
  ],
  achievements: [{ key: 'one', name: 'One', trigger: 'metric', metric: 'lessons', metricValue: 1 }],
});

describe('a guard', () => {
  const recorder = useRecorder();
  const { start, at, record, recorded, read, stored } = recorder;
  const total = async (user: string) => [...(await read(user)).counters.values()].reduce((a, b) => a + b, 0);

  test('lets one of sixty parallel events of a user through a cooldown', async () => {
    await start(configOf({ cooldownSeconds: 20 }));
    at('2026-11-18T12:00:00.500Z');
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => record('ann')));
    expect(outcomes.filter(({ status }) => status === 'recorded')).toHaveLength(1);
    const refusal = {
      status: 'guarded',
      guard: 'cooldownSeconds',
      allowedAt: Date.parse('2026-11-18T12:00:20.500Z'),
    };
    expect(outcomes.filter(({ status }) => status !== 'recorded')).toEqual(new Array(59).fill(refusal));
    at('2026-11-18T12:00:20.499Z');
    expect(await record('ann')).toEqual(refusal);
    at('2026-11-18T12:00:20.500Z');
    await recorded('ann');
    expect(await total('ann')).toBe(2);
  });

  test('counts each user and each metric by itself', async () => {
    await start(configOf({ limits: [{ per: 'day', events: 1 }] }));
    for (const user of ['ann', 'bo'])
      for (const metric of ['lessons', 'minutes']) await recorded(user, 1, undefined, metric);
    expect(await record('ann')).toMatchObject({ status: 'guarded', guard: 'limits' });
  });

  test('that refuses an event leaves everything as it was', async () => {
    await start(configOf({ maxValue: 10 }));
    await recorded('ann', 10);
    const before = await stored();
    const profile = { id: 'ann', name: 'Ann', tz: 'Asia/Tokyo' };
    expect(await record(profile, 10.5)).toEqual({ status: 'guarded', guard: 'maxValue', allowedAt: null });
    expect(await record('bo', 11, 'key')).toMatchObject({ status: 'guarded' });
    expect(await stored()).toEqual(before);
    await recorded('bo', 9, 'key');
  });

  test('does not see a replay, which counts towards no limit', async () => {
    await start(configOf({ cooldownSeconds: 60, limits: [{ per: 'day', events: 2 }] }));
    at('2026-11-18T12:00:00Z');
    await recorded('ann', 1, 'first');
    for (let i = 0; i < 3; i++) expect(await record('ann', 1, 'first')).toMatchObject({ status: 'replayed' });
    expect(await record('ann', 1, 'second')).toMatchObject({ guard: 'cooldownSeconds' });
    at('2026-11-18T12:01:00Z');
    await recorded('ann', 1, 'second');
    expect(await record('ann', 1, 'second')).toMatchObject({ status: 'replayed' });
  });

  const KEPT: [guards: Guards, count: number][] = [
    [{ cooldownSeconds: 20 }, 1],
    [{ limits: [{ per: 'hour', events: 1_000 }] }, 1],
    [{ limits: [{ per: 'hour', value: 1_000 }] }, 1],
    [{ limits: [{ per: 'day', events: 1_000 }] }, 1],
    [{ limits: [{ per: 'day', value: 1_000 }] }, 1],
    [
      {
        cooldownSeconds: 20,
        limits: [
          { per: 'hour', events: 1_000 },
          { per: 'hour', value: 1_000 },
          { per: 'day', events: 1_000 },
          { per: 'day', value: 1_000 },
        ],
      },
      5,
    ],
  ];
  test.each(KEPT)('%j keeps at most 12 bytes a user and limit', async (guards, count) => {
    const bytes = async (): Promise<number> => {
      await recorded('ann', 500);
      const { redis } = recorder.engine;
      const [key] = (await allKeys(redis)).filter((name) => name.endsWith('u:ann'));
      return redis.hstrlen(key!, 'h');
    };
    await start(configOf({ minValue: 0 }));
    const without = await bytes();
    await recorder.engine.close();
    await start(configOf(guards));
    expect((await bytes()) - without).toBeLessThanOrEqual(12 * count);
  });

  const DAYS = [
    { what: 'an ordinary day', day: '2026-11-18', next: '2026-11-19T00:00:00Z' },
    { what: 'the day on which daylight saving begins', day: '2027-03-28', next: '2027-03-28T23:00:00Z' },
    { what: 'the day on which daylight saving ends', day: '2026-10-25', next: '2026-10-26T00:00:00Z' },
  ];
  test.each(DAYS)('limits $what up to midnight of the user', async ({ day, next }) => {
    await start(configOf({ limits: [{ per: 'day', value: 3 }] }), '2026-10-01T00:00:00Z');
    const zone = 'Europe/London';
    at(`${day}T00:00:00`, zone);
    await recorded({ id: 'ann', tz: zone }, 3);
    at(`${day}T23:59:59.999`, zone);
    const refusal = { status: 'guarded', guard: 'limits', allowedAt: Date.parse(next) };
    expect(await record('ann', 0.5)).toEqual(refusal);
    at(next);
    await recorded('ann', 3);
  });

  test('gives no second day to a user who moves to another zone and back', async () => {
    await start(configOf({ limits: [{ per: 'day', events: 1 }] }));
    at('2026-11-18T12:00:00Z');
    await recorded({ id: 'ann', tz: 'Pacific/Kiritimati' });
    expect(await record({ id: 'ann', tz: 'Pacific/Honolulu' })).toMatchObject({ guard: 'limits' });
    expect(await record({ id: 'ann', tz: 'Pacific/Kiritimati' })).toMatchObject({ guard: 'limits' });
    at('2026-11-19T12:00:00Z');
    await recorded({ id: 'ann', tz: 'Pacific/Kiritimati' });
  });

  test('limits an hour of UTC', async () => {
    await start(configOf({ limits: [{ per: 'hour', events: 1 }] }));
    at('2026-11-18T12:59:59.999Z');
    await recorded({ id: 'ann', tz: 'Asia/Kathmandu' });
    expect(await record('ann')).toMatchObject({ allowedAt: Date.parse('2026-11-18T13:00:00Z') });
    at('2026-11-18T13:00:00Z');
    await recorded('ann');
  });

  test('that clamps reduces the value to what is left, and refuses what is left of nothing', async () => {
    await start(configOf({ maxValue: 5, limits: [{ per: 'day', value: 6.1 }], action: 'clamp' }));
    expect(await recorded('ann', 8)).toMatchObject({ total: 5, clamped: { to: 5, by: 'maxValue' } });
    expect(await recorded('ann', 3)).toMatchObject({ total: 6.1, clamped: { to: 1.1, by: 'limits' } });
    expect(await record('ann', 0.1)).toMatchObject({ status: 'guarded', guard: 'limits' });
    expect(await recorded('ann', -2)).not.toHaveProperty('clamped');
    expect(await recorded('ann', 3)).toMatchObject({ total: 6.1, clamped: { to: 2, by: 'limits' } });
  });

  test('refuses a value below the least one, also after it was clamped', async () => {
    await start(configOf({ minValue: 1, limits: [{ per: 'day', value: 1.5 }], action: 'clamp' }));
    expect(await record('ann', 0.9)).toMatchObject({ guard: 'minValue', allowedAt: null });
    await recorded('ann', 1);
    expect(await record('ann', 1)).toMatchObject({ guard: 'limits', allowedAt: null });
  });
});

describe('the history', () => {
  const relaying = useRelaying();

  test('has the value that counts', async () => {
    await relaying.engine.configure(configOf({ maxValue: 2, action: 'clamp' }));
    await relaying.record({ id: 'ann' }, 7);
    await relaying.drain();
    expect(await relaying.rowsOf('event_history')).toMatchObject([{ user_id: 'ann', value: 2, total: 2 }]);
  });
});

describe('over HTTP', () => {
  const server = useServer({
    prepare: async (pool) => {
      keyOfBo = (await createApiKey(pool, { tenant: DEFAULT_TENANT, userId: 'bo' }, 0)).key;
    },
  });
  let keyOfBo: string;

  beforeAll(async () => {
    await server.call('PUT', '/admin/v1/config', {
      metrics: [
        { key: 'quizzes', name: 'Quizzes', guards: { cooldownSeconds: 20 } },
        { key: 'steps', name: 'Steps', guards: { maxValue: 100, action: 'clamp' } },
      ],
    });
  });

  const send = (metric: string, id: string, value = 1, headers = {}) =>
    server.call('POST', `/v1/metrics/${metric}/event`, { user: { id }, value }, headers);

  test('a refusal names the guard, its number, and when the event may count', async () => {
    await send('quizzes', 'ada');
    const { status, body } = await send('quizzes', 'ada');
    expect(status).toBe(422);
    expect(body).toEqual({
      error: 'The event is refused by a guard of the metric quizzes: cooldownSeconds, 20',
      code: 'guard',
      guard: 'cooldownSeconds',
      retryAt: expect.any(String),
    });
    const waitMs = Date.parse(body.retryAt) - server.clock.now();
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(20_000);
  });

  test('a key of a user is not told the number of a guard', async () => {
    const headers = { 'X-API-KEY': keyOfBo };
    const event = { user: { id: 'bo' }, value: 1 };
    await callApi(`${server.url}/v1/metrics/quizzes/event`, 'POST', event, headers);
    const { body } = await callApi(`${server.url}/v1/metrics/quizzes/event`, 'POST', event, headers);
    expect(body.error).toBe('The event is refused by a guard of the metric quizzes: cooldownSeconds');
    expect(body.guard).toBe('cooldownSeconds');
  });

  test('an answer shows the value that was sent, a minimal one, too', async () => {
    expect((await send('steps', 'cy', 500)).body).toMatchObject({ total: 100, clampedFrom: 500 });
    const { body } = await send('steps', 'cy', 300, { Prefer: 'return=minimal' });
    expect(body).toMatchObject({ total: 200, clampedFrom: 300 });
    expect((await send('steps', 'cy', 100)).body).not.toHaveProperty('clampedFrom');
  });

  const VALUES: [sent: string, status: number, total?: number][] = [
    ['1e12', 201, 100],
    ['1e13', 422],
    ['1e400', 422],
    ['-1e13', 422],
    ['NaN', 400],
    ['Infinity', 400],
    ['"5"', 422],
    ['null', 422],
    ['-0', 201, 0],
    ['-3', 201, -3],
    ['0.1', 201, 0.1],
    ['100.00000001', 201, 100],
  ];
  test.each(VALUES)('a clamped event of the value %s is answered %i', async (sent, status, total) => {
    const id = `value ${sent}`;
    const event = `{"user":{"id":${JSON.stringify(id)}},"value":${sent}}`;
    const reply = await server.call('POST', '/v1/metrics/steps/event', event);
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    expect(reply.body.total).toBe(total);
    const user = await server.call('GET', `/v1/users/${encodeURIComponent(id)}`);
    expect(user.status).toBe(status === 201 ? 200 : 404);
  });

  test('a batch names the guard of each refused event', async () => {
    const events = [1, 2].map((value) => ({ key: 'quizzes', user: { id: 'dee' }, value }));
    const { body } = await server.call('POST', '/admin/v1/metrics/events?results=true', events);
    expect(body).toMatchObject({ accepted: 1, refused: [{ index: 1, code: 'guard' }] });
    expect(body.results[1]).toMatchObject({ status: 422, guard: 'cooldownSeconds' });
  });

  test('/metrics counts refused and clamped events by metric and guard', async () => {
    await send('quizzes', 'eve');
    await send('quizzes', 'eve');
    await send('steps', 'eve', 101);
    const { body } = await server.call('GET', '/metrics');
    const count = (labels: string) =>
      Number(new RegExp(`^laurel_guarded_events_total{${labels}} (\\d+)$`, 'm').exec(body)?.[1]);
    expect(count('metric="quizzes",guard="cooldownSeconds",action="refuse"')).toBeGreaterThan(0);
    expect(count('metric="steps",guard="maxValue",action="clamp"')).toBeGreaterThan(0);
  });

  test('the Admin API sets, shows and removes guards', async () => {
    const guards = { minValue: 0, limits: [{ per: 'day', value: 100 }], action: 'refuse' };
    const item = { key: 'pages', name: 'Pages', guards };
    const { body } = await server.call('POST', '/admin/v1/metrics', [item]);
    expect(body.created[0].guards).toEqual(guards);
    const { id } = body.created[0];
    const changed = await server.call('PATCH', '/admin/v1/metrics', [{ id, guards: null }]);
    expect(changed.body.updated[0].guards).toBeNull();
  });

  const FAULTS: [guards: object, message: string][] = [
    [{}, 'guards: must have a guard, or be null'],
    [{ minValue: 2, maxValue: 1 }, 'guards.maxValue: must be at least minValue, 2'],
    [
      { minValue: 5, limits: [{ per: 'day', value: 3 }] },
      'guards.limits[0].value: must be at least minValue, 5',
    ],
    [{ cooldownSeconds: 0 }, 'guards.cooldownSeconds: must be a whole number from 1 to 604800'],
    [{ limits: [{ per: 'day' }] }, 'guards.limits[0]: must have either events or value'],
    [{ limits: [{ per: 'day', value: 0 }] }, 'guards.limits[0].value: must be greater than 0'],
    [
      {
        limits: [
          { per: 'hour', events: 1 },
          { per: 'hour', events: 2 },
        ],
      },
      'guards.limits[1]: limits the same as an earlier item',
    ],
  ];
  test.each(FAULTS)('%j is refused, by file and by API', async (guards, message) => {
    const metrics = [{ key: 'pages', name: 'Pages', guards }];
    const file = await server.call('PUT', '/admin/v1/config', { metrics });
    expect(file.status).toBe(422);
    expect(file.body.error).toContain(`metrics[0].${message}`);
    const item = await server.call('POST', '/admin/v1/metrics', [{ ...metrics[0], key: 'new' }]);
    expect(JSON.stringify(item.body.issues)).toContain(message.replace(': ', ' ').replace(/^guards\S* /, ''));
  });

  test('a misspelt guard is named with the one that was probably meant', async () => {
    const metrics = [{ key: 'pages', name: 'Pages', guards: { cooldownSecond: 5 } }];
    const { body } = await server.call('PUT', '/admin/v1/config', { metrics });
    expect(body.error).toContain('metrics[0].guards.cooldownSecond');
    expect(body.error).toContain('cooldownSeconds');
  });
});
