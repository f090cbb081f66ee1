import { describe, expect, test } from 'vitest';
import { achievement, DAILY, item, metricBoard, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { DAY_MS } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Which events count, and what they add (docs/conditions.md), over HTTP. */

const ATTRIBUTES = {
  user: [{ key: 'born', name: 'Born', valueType: 'date' }],
  event: [
    { key: 'distance', name: 'Distance', valueType: 'number' },
    { key: 'indoors', name: 'Indoors', valueType: 'boolean' },
    { key: 'made', name: 'Made', valueType: 'date' },
    { key: 'skill', name: 'Skill' },
  ],
};
const LONG = { attribute: 'distance', gte: 10 };
const CONFIG = {
  attributes: ATTRIBUTES,
  metrics: [{ key: 'lessons', name: 'Lessons', guards: { maxValue: 50, action: 'clamp' } }],
  achievements: [
    achievement('long', 1, { aggregate: 'count', where: LONG }),
    achievement('far', 30, { aggregate: { sum: 'distance' }, where: { attribute: 'indoors', ne: true } }),
    achievement('big', 1, { aggregate: 'count', where: { value: { gt: 50 } } }),
    achievement('midweek', 20, { aggregate: 'count', where: { weekday: ['wed'] } }),
    achievement('talk', 2, {
      aggregate: 'count',
      where: { attribute: 'skill', in: ['speaking', 'listening'] },
    }),
    achievement('old', 1, {
      aggregate: 'count',
      where: {
        any: [{ attribute: 'made', lt: '2000-01-01' }, { not: { attribute: 'skill', exists: true } }],
      },
    }),
  ],
  points: [xp([{ ...perLesson(5), aggregate: { sum: 'distance' } }])],
  leaderboards: [
    metricBoard('runs', { ...DAILY, aggregate: 'count', where: LONG }),
    metricBoard('kilometers', { aggregate: { sum: 'distance' } }),
    metricBoard('best', { aggregation: 'best', where: LONG }),
  ],
};

const server = useServer({ config: CONFIG, relay: true, worker: true, tenantEach: true });
const { admin, call } = server;
const send = (value: number, attributes: object, more: object = {}): Promise<Json> =>
  server.record('ann', value, 'lessons', { attributes, ...more });
const completed = async (): Promise<string[]> =>
  (await call('GET', '/v1/users/ann/achievements')).body.map(({ key }: Json) => key).sort();
const progress = async (key: string): Promise<unknown> => {
  const all = (await call('GET', '/v1/users/ann/achievements?includeIncomplete=true')).body;
  return all.find((one: Json) => one.key === key).progress?.current;
};
const score = async (key: string): Promise<number | undefined> =>
  (await call('GET', `/v1/leaderboards/${key}`)).body.rankings[0]?.value;
const xpTotal = async (): Promise<number> => (await call('GET', '/v1/users/ann/points/xp')).body.total;
const NEUTRAL = { skill: 'reading' };
/** The texts of an answer. A file names the field before a colon. */
const saidIn = (body: Json): string =>
  JSON.stringify(body).replaceAll('\\"', '"').replaceAll(': must', ' must').replaceAll(': cannot', ' cannot');

test('numbers are compared and added up, as JSON and as texts', async () => {
  await send(1, { ...NEUTRAL, distance: 9.5 });
  expect([await completed(), await progress('far')]).toEqual([[], 9.5]);
  await send(1, { ...NEUTRAL, distance: '10.25', indoors: 'true' });
  expect([await completed(), await progress('far'), await score('runs')]).toEqual([['long'], 9.5, 1]);
  const { achievements } = await send(2, { ...NEUTRAL, distance: 20.5, indoors: false });
  expect(achievements.map(({ key }: Json) => key)).toEqual(['far']);
  expect([await score('runs'), await score('kilometers'), await score('best')]).toEqual([2, 40.25, 2]);
  expect(await xpTotal()).toBe(200);
});

test('the value is the one that a guard leaves', async () => {
  await send(60, NEUTRAL);
  expect(await completed()).toEqual([]);
});

test('the day is the local one of the user', async () => {
  // 18 November 2026 is a Wednesday, and already Thursday in Kiritimati.
  await send(1, NEUTRAL, { user: { id: 'ann', tz: 'Pacific/Kiritimati' } });
  expect(await progress('midweek')).toBe(0);
  await send(1, NEUTRAL, { user: { id: 'ann', tz: 'UTC' } });
  expect(await progress('midweek')).toBe(1);
});

test('a missing attribute holds for ne and for exists: false only', async () => {
  await send(1, {});
  expect(await completed()).toEqual(['old']);
  expect([await progress('far'), await progress('talk'), await progress('long')]).toEqual([0, 0, 0]);
});

test('late events and undone ones count exactly, and what was taken back can be earned again', async () => {
  const { eventId } = await send(3, { ...NEUTRAL, distance: 12 });
  const timestamp = new Date(server.clock.now() - DAY_MS).toISOString();
  await send(1, { ...NEUTRAL, distance: 20 }, { timestamp });
  expect([await completed(), await score('kilometers'), await score('runs')]).toEqual([
    ['far', 'long'],
    32,
    1,
  ]);
  expect(await xpTotal()).toBe(160);
  const path = `/users/ann/events/${eventId}/undo`;
  const preview = (await admin('GET', path)).body.leaderboards;
  expect(preview.map((one: Json) => [one.leaderboard.key, one.value, one.valueAfter]).sort()).toEqual([
    ['best', 3, 1],
    ['kilometers', 32, 20],
    ['runs', 1, 0],
  ]);
  const undone = await admin('POST', path, { reason: 'Twice', points: true, achievements: true });
  expect(undone.status).toBe(200);
  expect([await completed(), await score('kilometers'), await score('best')]).toEqual([['long'], 20, 1]);
  expect([await progress('far'), await xpTotal()]).toEqual([20, 100]);
  await send(1, { ...NEUTRAL, distance: 10 });
  expect([await completed(), await xpTotal()]).toEqual([['far', 'long'], 150]);
});

test('what takes points follows what the aggregate adds up', async () => {
  const spending = { ...perLesson(-3), aggregate: { sum: 'distance' } };
  const body = {
    ...CONFIG,
    achievements: [],
    points: [xp([{ type: 'user_creation', points: 10 }, spending])],
  };
  expect((await admin('PUT', '/config?prune=true', body)).status).toBe(200);
  await send(1, { distance: 0.5 });
  expect(await xpTotal()).toBe(10);
  await send(1, { distance: 0.5 });
  expect(await xpTotal()).toBe(7);
});

test('a held event shows its attributes as texts, and counts once it is approved', async () => {
  const metrics = [{ key: 'lessons', name: 'Lessons', guards: { maxValue: 5, action: 'hold' } }];
  expect((await admin('PUT', '/config', { ...CONFIG, metrics })).status).toBe(200);
  const event = { user: { id: 'ann' }, value: 6, attributes: { distance: 12.5, indoors: false } };
  expect((await call('POST', '/v1/metrics/lessons/event', event)).status).toBe(202);
  const [held] = (await admin('GET', '/held-events?status=held')).body.events;
  expect(held.attributes).toEqual({ distance: '12.5', indoors: 'false' });
  await admin('POST', '/held-events/approve', { ids: [held.id], reason: 'Seen' });
  expect(await score('kilometers')).toBe(12.5);
});

test('achievements with conditions are granted, and completed silently when they are activated', async () => {
  await send(1, { ...NEUTRAL, distance: 4 });
  const grant = await admin('POST', '/users/ann/achievements/far/grant', { reason: 'A gift' });
  expect([grant.status, await completed()]).toEqual([200, ['far']]);
  const lower = achievement('lower', 4, { aggregate: { sum: 'distance' } });
  expect(
    (await admin('PUT', '/config', { ...CONFIG, achievements: [...CONFIG.achievements, lower] })).status,
  ).toBe(200);
  await expect.poll(completed).toEqual(['far', 'lower']);
});

test('another name, and another achievement with the same condition, keep the counter', async () => {
  // PostgreSQL stores the fields of the condition in another order.
  const where = { attribute: 'distance', gte: 1, lt: 50 };
  const put = (achievements: object[]) => admin('PUT', '/config', { ...CONFIG, achievements });
  const first = achievement('first', 100, { aggregate: 'count', where });
  expect((await put([first])).status).toBe(200);
  await send(1, { ...NEUTRAL, distance: 5 });
  const same = { lt: 50, attribute: 'distance', gte: 1 };
  const second = achievement('second', 100, { aggregate: 'count', where: same });
  expect((await put([{ ...first, name: 'Renamed' }, second])).status).toBe(200);
  await send(1, { ...NEUTRAL, distance: 5 });
  expect([await progress('first'), await progress('second')]).toEqual([2, 2]);
});

describe('an achievement that requires some of several', () => {
  const three = ['a', 'b', 'c'].map((key, i) => achievement(key, i + 1));
  const some = (atLeast: number, of = ['a', 'b', 'c']) => ({
    ...CONFIG,
    achievements: [
      ...three,
      { ...item('some'), trigger: 'achievement' as const, achievements: { atLeast, of } },
    ],
  });

  test('is completed by enough of them, shows its progress, and is lost with them', async () => {
    expect((await admin('PUT', '/config?prune=true', some(2))).status).toBe(200);
    const { eventId } = await send(1, NEUTRAL);
    const all = (await call('GET', '/v1/users/ann/achievements?includeIncomplete=true')).body;
    const shown = all.find(({ key }: Json) => key === 'some');
    expect([shown.atLeast, shown.achievementIds.length, shown.progress]).toEqual([
      2,
      3,
      { current: 1, target: 2 },
    ]);
    const { achievements } = await send(1, NEUTRAL);
    expect(achievements.map(({ key }: Json) => key)).toEqual(['b', 'some']);
    const undo = { reason: 'Twice', points: true, achievements: true };
    expect((await admin('POST', `/users/ann/events/${eventId}/undo`, undo)).status).toBe(200);
    expect(await completed()).toEqual(['a']);
  });

  test('stays while enough of them stay', async () => {
    expect((await admin('PUT', '/config?prune=true', some(1))).status).toBe(200);
    const { eventId } = await send(1, NEUTRAL);
    await send(1, NEUTRAL);
    const undo = { reason: 'Twice', points: true, achievements: true };
    await admin('POST', `/users/ann/events/${eventId}/undo`, undo);
    expect(await completed()).toEqual(['a', 'some']);
  });

  test.each([
    [
      some(4),
      'achievements[3].achievements.atLeast must be a whole number from 1 to the length of the list, 3',
    ],
    [some(0), 'atLeast must be a whole number from 1'],
    [some(1, ['a', 'missing']), 'achievements[3].achievements.of[1]'],
    [some(1, ['a', 'some']), 'must not be circular'],
    [
      {
        ...CONFIG,
        achievements: [{ ...item('some'), trigger: 'achievement', achievements: { atLeast: 1 } }],
      },
      'of',
    ],
    [
      { ...CONFIG, achievements: [{ ...item('some'), trigger: 'achievement', achievements: 5 }] },
      'achievements',
    ],
    [{ ...CONFIG, achievements: [achievement('new', 1, { aggregate: { summ: 'distance' } })] }, 'aggregate'],
  ])('is refused (%#)', async (file, message) => {
    const { status, body } = await admin('PUT', '/config', file);
    expect([status, saidIn(body)]).toEqual([422, expect.stringContaining(message)]);
  });

  test('comes back from the export and from the Admin API as it was given', async () => {
    await admin('PUT', '/config?prune=true', some(2));
    const file = (await admin('GET', '/config')).body;
    expect(file.achievements.at(-1).achievements).toEqual({ atLeast: 2, of: ['a', 'b', 'c'] });
    const all: Json[] = (await admin('GET', '/achievements')).body;
    const { id, achievementIds } = all.find(({ key }) => key === 'some')!;
    expect([achievementIds.atLeast, achievementIds.of.length]).toEqual([2, 3]);
    await admin('PATCH', '/achievements', [{ id, achievementIds: achievementIds.of }]);
    expect((await admin('GET', `/achievements/${id}`)).body.achievementIds).toEqual(achievementIds.of);
  });
});

test('a batch counts as single events do', async () => {
  const event = { key: 'lessons', user: { id: 'ann' }, value: 1, attributes: { ...NEUTRAL, distance: 10 } };
  const { body } = await admin('POST', '/metrics/events', [event, event, event]);
  expect([body.error, await score('kilometers'), await completed()]).toEqual([
    undefined,
    30,
    ['far', 'long'],
  ]);
});

describe('refused', () => {
  test.each([
    [
      { distance: 'far' },
      'attributes.distance must be a number up to 1000000000000000, such as 10.5 or "10.5", not "far"',
    ],
    [{ distance: true }, 'attributes.distance must be a number'],
    [{ distance: '0x10' }, 'not "0x10"'],
    [{ distance: '1e400' }, 'not "1e400"'],
    [{ indoors: 'maybe' }, 'attributes.indoors must be true or false, not "maybe"'],
    [{ made: '2026-02-30' }, 'attributes.made must be an existing date, YYYY-MM-DD, not "2026-02-30"'],
    [{ skill: 5 }, 'attributes.skill must be a text, not 5'],
  ])('an event with %j', async (attributes, message) => {
    const body = { user: { id: 'nobody' }, value: 1, attributes };
    const answer = await call('POST', '/v1/metrics/lessons/event', body);
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining(message)]);
    expect((await call('GET', '/v1/users/nobody')).status).toBe(404);
  });

  test('a user attribute of another type', async () => {
    const answer = await call('PUT', '/v1/users/nobody', { attributes: { born: 'long ago' } });
    expect(answer.body.error).toBe(
      'user.attributes.born must be an existing date, YYYY-MM-DD, not "long ago"',
    );
  });

  const deep = { not: { not: { not: { not: LONG } } } };
  test.each([
    [
      { attribute: 'distanc', gte: 1 },
      'where.attribute must be the key of an event attribute; did you mean "distance"?',
    ],
    [{ all: [LONG, { attribute: 'distance', gte: '10' }] }, 'where.all[1].gte must be a number'],
    [{ attribute: 'skill', gt: 'a' }, 'where.gt must be left out, because skill has the type text'],
    [{ attribute: 'indoors', eq: 'true' }, 'where.eq must be true or false'],
    [{ attribute: 'made', lt: 'soon' }, 'where.lt must be an existing date'],
    [{ attribute: 'distance' }, 'where must have one or two of eq, ne, gt, gte, lt, lte, in'],
    [
      { any: [{ attribute: 'distance', gte: 1, unknown: 2 }] },
      'where.any[0].unknown must be left out beside attribute',
    ],
    [{ any: [{ ...LONG, value: { gt: 1 } }] }, 'where.any[0].value must not stand beside attribute: use all'],
    [{ all: [] }, 'where.all must be a list of at least one condition'],
    [{ not: {} }, 'where.not must have one of attribute, value, weekday, localTime, user, all'],
    [{ not: [5] }, 'where.not must be '],
    [deep, 'must not be deeper than 4 levels'],
    [{ any: Array.from({ length: 21 }, () => LONG) }, 'where must not have more than 20 parts'],
    [
      { attribute: 'skill', in: Array.from({ length: 51 }, String) },
      'where.in must be a list of 1 to 50 values',
    ],
    [{ weekday: [] }, 'where.weekday must be a list of sun, mon'],
  ])('the condition %j, in a file and by the API', async (where, message) => {
    const file = { ...CONFIG, achievements: [achievement('new', 1, { where })] };
    const ofFile = await admin('PUT', '/config', file);
    expect([ofFile.status, saidIn(ofFile.body)]).toEqual([422, expect.stringContaining(message)]);
    const metrics = (await admin('GET', '/metrics')).body;
    const item = { name: 'New', trigger: 'metric', metricId: metrics[0].id, metricValue: 1, where };
    const { body } = await admin('POST', '/achievements', [item]);
    expect([body.created ?? [], saidIn(body)]).toEqual([[], expect.stringContaining(message)]);
  });

  test.each([
    [{ sum: 'skill' }, 'aggregate.sum must name an attribute with valueType number; skill has text'],
    [{ sum: 'nothing' }, 'aggregate.sum must be the key of an event attribute'],
    [{ max: 'skill' }, 'aggregate.max must name an attribute with valueType number; skill has text'],
    [{ distinct: 'skil' }, 'aggregate.distinct must be the key of an event attribute; did you mean "skill"?'],
  ])('the aggregate %j', async (aggregate, message) => {
    const { body } = await admin('PUT', '/config', {
      ...CONFIG,
      achievements: [achievement('new', 1, { aggregate })],
    });
    expect(saidIn(body)).toContain(message);
  });

  test('a greatest value on a leaderboard, days within hours, and a period without a metric', async () => {
    const boards = [
      metricBoard('new', { aggregate: { max: 'distance' } }),
      metricBoard('hours', { aggregate: 'days', startTime: '09:00' }),
    ];
    const faults = await Promise.all([
      ...boards.map((board) => admin('PUT', '/config', { ...CONFIG, leaderboards: [board] })),
      admin('PUT', '/config', {
        ...CONFIG,
        achievements: [{ key: 'new', name: 'New', trigger: 'api', per: 'day' }],
      }),
    ]);
    expect(faults.map(({ status }) => status)).toEqual([422, 422, 422]);
    const said = faults.map(({ body }) => saidIn(body));
    expect(said[0]).toContain('aggregate must be one of count, days');
    expect(said[1]).toContain('aggregate must not be days with startTime or endTime');
    expect(said[2]).toContain('per must be left out');
  });

  test('an aggregate of a leaderboard of best values', async () => {
    const board = metricBoard('new', { aggregation: 'best', aggregate: 'count' });
    const { body } = await admin('PUT', '/config', { ...CONFIG, leaderboards: [board] });
    expect(saidIn(body)).toContain('aggregate must be left out when aggregation is best');
  });

  test('another type, or the deletion, of an attribute in use; one that is not in use may change', async () => {
    const attributes: Json[] = (await admin('GET', '/attributes')).body;
    const { id } = attributes.find(({ key }) => key === 'distance')!;
    const changed = await admin('PATCH', '/attributes', [{ id, valueType: 'text' }]);
    expect(saidIn(changed.body)).toContain(
      'valueType cannot be changed while a condition or an aggregate names the attribute (it is number)',
    );
    const deleted = await admin('DELETE', `/attributes?ids=${id}`);
    expect(JSON.stringify(deleted.body)).toContain('long');
    expect((await admin('GET', `/attributes/${id}`)).status).toBe(200);
    const born = attributes.find(({ key }) => key === 'born')!;
    const freed = await admin('PATCH', '/attributes', [{ id: born.id, valueType: 'text' }]);
    expect(freed.body.issues ?? []).toEqual([]);
  });
});

test('an event is undone although an attribute has another type by now', async () => {
  const file = { ...CONFIG, achievements: [], points: [], leaderboards: [] };
  expect((await admin('PUT', '/config?prune=true', file)).status).toBe(200);
  const { eventId } = await send(2, { skill: 'speaking' });
  const typed = ATTRIBUTES.event.map((one) => (one.key === 'skill' ? { ...one, valueType: 'number' } : one));
  await admin('PUT', '/config', { ...file, attributes: { ...ATTRIBUTES, event: typed } });
  const undone = await admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'Twice' });
  expect([undone.status, undone.body.total]).toEqual([200, 0]);
});

test('a configuration comes back as it was exported', async () => {
  const { body } = await admin('GET', '/config');
  expect(body.achievements.find(({ key }: Json) => key === 'far')).toMatchObject({
    aggregate: { sum: 'distance' },
    where: { attribute: 'indoors', ne: true },
  });
  const again = await admin('PUT', '/config', body);
  expect([again.status, again.body.changes ?? []]).toEqual([200, []]);
});
