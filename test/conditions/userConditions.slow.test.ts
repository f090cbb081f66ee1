import { expect, test } from 'vitest';
import { all } from '../../src/db/rows.ts';
import { achievement, metricBoard } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { DAY_MS } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Conditions on the user's clock and on attributes of the user (docs/conditions.md), over HTTP. */

const count = (where: object) => ({ aggregate: 'count' as const, where });
const user = (compared: object) => count({ user: compared });
const NIGHT = { localTime: { from: '22:00', to: '05:00' } };
const CONFIG = {
  attributes: {
    user: [
      { key: 'plan', name: 'Plan' },
      { key: 'level', name: 'Level', valueType: 'number' as const },
      { key: 'premium', name: 'Premium', valueType: 'boolean' as const },
      { key: 'born', name: 'Born', valueType: 'date' as const },
    ],
    event: [{ key: 'distance', name: 'Distance', valueType: 'number' as const }],
  },
  metrics: [
    { key: 'lessons', name: 'Lessons' },
    { key: 'others', name: 'Others' },
  ],
  achievements: [
    achievement('morning', 90, count({ localTime: { from: '05:00', to: '07:00' } })),
    achievement('night', 91, count(NIGHT)),
    achievement('paying', 92, user({ attribute: 'plan', in: ['pro', 'team'] })),
    achievement('not-pro', 93, user({ attribute: 'plan', ne: 'pro' })),
    achievement('planless', 94, user({ attribute: 'plan', exists: false })),
    achievement('planned', 95, user({ attribute: 'plan', exists: true })),
    achievement('high', 96, user({ attribute: 'level', gte: 10, lt: 20 })),
    achievement('basic', 97, user({ attribute: 'premium', eq: false })),
    achievement('young', 98, user({ attribute: 'born', gt: '2010-01-01' })),
    achievement('mixed', 99, {
      aggregate: { sum: 'distance' },
      where: { any: [{ all: [NIGHT, { user: { attribute: 'level', lt: 5 } }] }, { value: { gt: 100 } }] },
    }),
  ],
  leaderboards: [
    metricBoard('nights', count(NIGHT)),
    metricBoard('best', { aggregation: 'best', where: { user: { attribute: 'plan', eq: 'pro' } } }),
  ],
};

const server = useServer({ config: CONFIG, relay: true, worker: true, tenantEach: true });
const { admin, call } = server;
const send = (id: string, profile: object = {}, more: object = {}): Promise<Json> =>
  server.record(id, 1, 'lessons', { user: { id, ...profile }, attributes: { distance: 2.5 }, ...more });
/** Progress of a user by key, without zeros. */
const progressOf = async (id: string): Promise<Record<string, number>> => {
  const listed = (await call('GET', `/v1/users/${id}/achievements?includeIncomplete=true`)).body;
  const counted = listed.filter((one: Json) => one.progress.current !== 0);
  return Object.fromEntries(counted.map((one: Json) => [one.key, one.progress.current]));
};
const score = async (key: string): Promise<number | undefined> =>
  (await call('GET', `/v1/leaderboards/${key}`)).body.rankings[0]?.value;
const HOUR_MS = 3_600_000;
/** Moves to the next time of the day in UTC. */
async function moveToNext(time: string): Promise<void> {
  const now = server.clock.now();
  const today = Date.parse(`${new Date(now).toISOString().slice(0, 10)}T${time}Z`);
  await server.moveTo(today > now ? today : today + DAY_MS);
}
const IN_TOKYO = { tz: 'Asia/Tokyo' };

test('the clock is the local one of the user, and a range may go over midnight', async () => {
  await moveToNext('20:00:00');
  // 05:00 in Tokyo.
  await send('ann', IN_TOKYO);
  await send('ann', { tz: 'UTC' });
  // One second before 07:00 in Tokyo, and then 22:00 in UTC.
  await moveToNext('21:59:59');
  await send('ann', IN_TOKYO);
  await server.moveTo(server.clock.now() + 1_000);
  await send('ann');
  await send('ann', { tz: 'UTC' });
  expect(await progressOf('ann')).toEqual({ morning: 2, night: 1, 'not-pro': 5, planless: 5 });
  expect(await score('nights')).toBe(1);
});

test('attributes of the user are compared by their types, after the profile of the event', async () => {
  await moveToNext('12:00:00');
  const attributes = { plan: 'team', level: '10.0', premium: 'false', born: '2011-02-03' };
  await send('ann', { attributes });
  const all = { paying: 1, 'not-pro': 1, planned: 1, high: 1, basic: 1, young: 1 };
  expect(await progressOf('ann')).toEqual(all);
  await send('ann', { attributes: { plan: 'pro', level: 20, premium: true, born: '2010-01-01' } });
  expect(await progressOf('ann')).toEqual({ ...all, paying: 2, planned: 2 });
  await send('ann', { attributes: { plan: null, level: null, premium: null, born: null } });
  expect(await progressOf('ann')).toEqual({ ...all, paying: 2, planned: 2, 'not-pro': 2, planless: 1 });
});

test('a late event has its own clock, and the attributes of its arrival', async () => {
  await moveToNext('12:00:00');
  await send('ann', { tz: 'UTC', attributes: { level: 3 } });
  const timestamp = new Date(server.clock.now() - 12 * HOUR_MS).toISOString();
  await send('ann', { attributes: { plan: 'pro' } }, { timestamp });
  expect(await progressOf('ann')).toMatchObject({ night: 1, mixed: 2.5, paying: 1, planned: 1 });
  expect([await score('nights'), await score('best')]).toEqual([1, 1]);
});

test('an undo takes back what the event has added, whatever the user is by now', async () => {
  await moveToNext('23:00:00');
  const { eventId } = await send('ann', { tz: 'UTC', attributes: { plan: 'pro', level: 1 } });
  await server.moveTo(server.clock.now() + 12 * HOUR_MS);
  await send('ann', { tz: 'America/New_York', attributes: { plan: null, level: 9 } });
  expect(await progressOf('ann')).toMatchObject({ night: 1, mixed: 2.5, paying: 1, planless: 1 });
  await server.relayed();
  const path = `/users/ann/events/${eventId}/undo`;
  const preview = (await admin('GET', path)).body.leaderboards;
  expect(preview.map((one: Json) => [one.leaderboard.key, one.value, one.valueAfter]).sort()).toEqual([
    ['best', 1, null],
    ['nights', 1, 0],
  ]);
  expect((await admin('POST', path, { reason: 'Twice', points: true, achievements: true })).status).toBe(200);
  // It is six in New York.
  expect(await progressOf('ann')).toEqual({ morning: 1, 'not-pro': 1, planless: 1 });
  await server.relayed();
  const kept = await all(server.pool)<{ attributes: Json }>`
    select attributes from recorded_events join user_numbers on user_no = no
    where tenant = ${server.no} order by sequence`;
  const facts = kept.map(({ attributes: { '0': _origin, ...rest } }) => rest);
  expect(facts[2]).toEqual(facts[0]);
});

test('no answer shows what the history keeps, and metrics without such conditions keep nothing', async () => {
  await send('ann', { attributes: { plan: 'secret' } });
  await server.record('ann', 1, 'others', {});
  await server.relayed();
  const { items } = (await admin('GET', '/users/ann/timeline')).body;
  const events = items.filter(({ kind }: Json) => kind === 'event');
  expect(events.map(({ attributes }: Json) => attributes)).toEqual([{}, { distance: '2.5' }]);
  const rows = await all(server.pool)<{ attributes: Json }>`
    select attributes from recorded_events join user_numbers on user_no = no
    where tenant = ${server.no} order by sequence`;
  const keys = rows.map(({ attributes }) => Object.keys(attributes ?? {}).length);
  expect(keys).toEqual([6, 0]);
  const wrapped = await call('GET', '/v1/users/ann/wrapped');
  expect([wrapped.status, JSON.stringify(wrapped.body.activity).includes('secret')]).toEqual([200, false]);
});

test('a batch counts as single events do', async () => {
  await moveToNext('22:30:00');
  const profiles = [
    { tz: 'UTC', attributes: { plan: 'pro', level: 4 } },
    {},
    { tz: 'Asia/Tokyo', attributes: { plan: 'team' } },
    { attributes: { plan: null, level: 15, born: '2012-02-29' } },
  ];
  for (const profile of profiles) await send('ann', profile);
  const events = profiles.map((profile) => ({
    key: 'lessons',
    user: { id: 'bob', ...profile },
    value: 1,
    attributes: { distance: 2.5 },
  }));
  expect((await admin('POST', '/metrics/events', events)).status).toBe(202);
  expect(await progressOf('bob')).toEqual(await progressOf('ann'));
  expect(await progressOf('bob')).toMatchObject({ night: 2, mixed: 5, paying: 3, young: 1 });
});

test('an event that was held counts by the clock of its timestamp once it is approved', async () => {
  const metrics = [{ ...CONFIG.metrics[0]!, guards: { maxValue: 5, action: 'hold' as const } }];
  expect((await admin('PUT', '/config', { ...CONFIG, metrics })).status).toBe(200);
  await moveToNext('22:30:00');
  await send('ann', { tz: 'UTC' });
  const event = { user: { id: 'ann' }, value: 6, attributes: { distance: 1 } };
  expect((await call('POST', '/v1/metrics/lessons/event', event)).status).toBe(202);
  await server.moveTo(server.clock.now() + 8 * HOUR_MS);
  const [held] = (await admin('GET', '/held-events?status=held')).body.events;
  await admin('POST', '/held-events/approve', { ids: [held.id], reason: 'Seen' });
  expect(await progressOf('ann')).toMatchObject({ night: 2 });
});

test.each([
  [{ localTime: { from: '05:00', to: '05:00:00' } }, 'where.localTime.to must differ from from'],
  [{ all: [{ localTime: { from: '5:00', to: '24:00' } }] }, 'where.all[0].localTime.from must be a time of'],
  [{ all: [{ localTime: { from: '05:00' } }] }, 'where.all[0].localTime.to must be a time of day'],
  [{ all: [{ localTime: { form: '05:00' } }] }, 'localTime.form is unknown; did you mean "from"?'],
  [{ not: { localTime: '05:00' } }, 'where.not.localTime must be times, such as { from'],
  [{ not: { ...NIGHT, weekday: ['sun'] } }, 'where.not.localTime must not stand beside weekday: use all'],
  [{ user: { attribute: 'plans', eq: 'pro' } }, 'must be the key of a user attribute; did you mean "plan"?'],
  [{ not: { user: { attribute: 'distance', eq: 1 } } }, 'user.attribute must be the key of a user attribute'],
  [{ user: { attribute: 'level', eq: '3' } }, 'where.user.eq must be a number up to'],
  [
    { user: { attribute: 'plan', gte: 'a' } },
    'where.user.gte must be left out, because plan has the type te',
  ],
  [{ not: { user: { attribute: 'plan', equals: 'a' } } }, 'where.not.user.equals is unknown'],
  [{ not: { user: 'plan' } }, 'where.not.user must compare a user attribute, such as'],
])('the condition %j is refused', async (where, message) => {
  const file = { ...CONFIG, achievements: [achievement('new', 1, { where })] };
  const { status, body } = await admin('PUT', '/config', file);
  const said = JSON.stringify(body)
    .replaceAll('\\"', '"')
    .replaceAll(': must', ' must')
    .replaceAll(': is', ' is');
  expect([status, said]).toEqual([422, expect.stringContaining(message)]);
});

test('a user attribute in use is not deleted, and keeps its type', async () => {
  const attributes: Json[] = (await admin('GET', '/attributes')).body;
  const { id } = attributes.find(({ key }) => key === 'level')!;
  const changed = await admin('PATCH', '/attributes', [{ id, valueType: 'text' }]);
  expect(JSON.stringify(changed.body)).toContain('valueType');
  expect(JSON.stringify(changed.body)).toContain('names the attribute (it is number)');
  expect(JSON.stringify((await admin('DELETE', `/attributes?ids=${id}`)).body)).toContain('high');
  expect((await admin('GET', `/attributes/${id}`)).body.valueType).toBe('number');
});

test('values from before a change of the type that are none of it count as missing', async () => {
  const { attributes, achievements } = CONFIG;
  let free = { ...CONFIG, achievements: [] as typeof achievements, leaderboards: [] as [] };
  expect((await admin('PUT', '/config?prune=true', free)).status).toBe(200);
  const texts = ['007', '0x10', '1e3', ' 5', '-0.5', '2026-02-30', '2024-02-29', '1900-02-29', 'true'];
  for (const [i, plan] of texts.entries()) await send(`user-${i}`, { attributes: { plan } });
  for (const [valueType, fits] of [
    ['number', ['1e3', '-0.5']],
    ['date', ['2024-02-29']],
    ['boolean', ['true']],
  ] as const) {
    await admin('PUT', '/config?prune=true', free);
    const typed = attributes.user.map((one) => (one.key === 'plan' ? { ...one, valueType } : one));
    const known = achievements.filter(({ key }) => key === 'planned');
    free = { ...free, attributes: { ...attributes, user: typed as typeof attributes.user } };
    const put = await admin('PUT', '/config?prune=true', { ...free, achievements: known });
    expect(put.body.error ?? put.status).toBe(200);
    const counted: string[] = [];
    for (const [i, text] of texts.entries()) {
      const before = (await progressOf(`user-${i}`)).planned ?? 0;
      await send(`user-${i}`);
      if (((await progressOf(`user-${i}`)).planned ?? 0) > before) counted.push(text);
    }
    expect([valueType, counted]).toEqual([valueType, fits]);
  }
});
