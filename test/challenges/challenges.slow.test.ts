import { describe, expect, test } from 'vitest';
import { goal, item, items, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { restoreServer } from '../support/restoreServer.ts';
import { useServer } from '../support/useServer.ts';
import { weeksApart } from '../support/weeksApart.ts';

/** Challenges over HTTP (docs/challenges.md). Each test begins on a Wednesday, four weeks after the one before. */

const WEEKLY = { start: '2026-01-01', runUnit: 'week', runInterval: 1 };
const CONFIG = {
  attributes: { user: items('plan'), event: items('kind') },
  metrics: items('lessons', 'minutes'),
  achievements: [
    item('medal', { trigger: 'api' }),
    item('after', { trigger: 'achievement', achievements: ['medal'] }),
  ],
  points: [
    xp([perLesson(1), { type: 'achievement', achievement: 'medal', points: 7 }], {
      boosts: [{ name: 'Double', start: '2026-01-01', multiplier: 2 }],
    }),
  ],
  challenges: [
    item('weekly', {
      ...WEEKLY,
      goals: [
        goal('ten', 10, { aggregate: 'count' }),
        goal('days', 2, { aggregate: 'days' }),
        goal('time', 30, { metric: 'minutes' }),
      ],
      complete: { atLeast: 2 },
      rewards: { points: [{ system: 'xp', points: 50 }], achievement: 'medal' },
    }),
    item('pro', {
      ...WEEKLY,
      where: { user: { attribute: 'plan', eq: 'pro' } },
      goals: [
        goal('kinds', 2, { aggregate: { distinct: 'kind' } }),
        goal('best', 5, { aggregate: { max: 'value' } }),
      ],
    }),
  ],
};

const server = useServer({ config: CONFIG, relay: true, worker: true, tenantEach: true });
const { call } = server;
const send = (value = 1, more: object = {}, metric = 'lessons'): Promise<Json> =>
  server.record('ann', value, metric, more);
const { day, at } = weeksApart(server, 4);
const challenge = async (key: string, query = ''): Promise<Json> =>
  (await call('GET', `/v1/users/ann/challenges/${key}${query}`)).body;
const progressOf = ({ goals }: Json): Json =>
  Object.fromEntries(goals.map((one: Json) => [one.key, one.progress]));

describe('goals', () => {
  test('an event answers what it has changed', async () => {
    const { challenges } = await send(4);
    expect(challenges).toEqual({
      weekly: {
        id: expect.any(String),
        key: 'weekly',
        name: 'Weekly',
        run: day(-2),
        goals: [
          { key: 'ten', name: 'Ten', progress: 1, target: 10, completed: false },
          { key: 'days', name: 'Days', progress: 1, target: 2, completed: false },
          { key: 'time', name: 'Time', progress: 0, target: 30, completed: false },
        ],
        completed: false,
        claimable: false,
        rewards: {
          points: [{ key: 'xp', points: 50 }],
          achievement: { key: 'medal', name: 'Medal' },
          freezes: null,
          boost: null,
        },
      },
    });
  });

  test('the challenge is completed once in a run, and gives its reward', async () => {
    await send(40, {}, 'minutes');
    await at(1);
    await send();
    await at(2);
    const { challenges, achievements, points } = await send();
    expect([challenges.weekly.completed, progressOf(challenges.weekly)]).toEqual([
      true,
      { ten: 2, days: 2, time: 30 },
    ]);
    expect(achievements.map(({ key }: Json) => key)).toEqual(['medal', 'after']);
    expect(points.xp.awards.map(({ awarded, trigger }: Json) => [awarded, trigger.type])).toEqual([
      [2, 'metric'],
      [14, 'achievement'],
      [50, 'challenge'],
    ]);
    const again = await send();
    expect([again.achievements, again.points.xp.added]).toEqual([[], 2]);
    await at(5);
    const next = await send();
    expect([next.challenges.weekly.run, next.challenges.weekly.completed]).toEqual([day(5), false]);
    expect((await challenge('weekly', `?run=${day(0)}`)).completed).toBe(true);
  });
});

describe('runs', () => {
  test('an achievement that follows from the reward is reported, also beside anniversaries of the past', async () => {
    await server.configure({
      achievements: [
        ...CONFIG.achievements,
        item('year', { trigger: 'anniversary', anniversaryYears: 1 }),
        item('both', { trigger: 'achievement', achievements: ['year', 'medal'] }),
      ],
      challenges: [item('weekly', { ...WEEKLY, goals: [goal('one', 1)], rewards: { achievement: 'medal' } })],
    });
    const { achievements } = await server.record({ id: 'ann', signUpDate: '2024-11-18' }, 1);
    expect(achievements.map(({ key }: Json) => key).sort()).toEqual(['after', 'both', 'medal']);
  });

  test('Monday begins when the Monday of the user begins, and once', async () => {
    // Sunday noon in UTC is Monday in Kiritimati.
    await at(4, '12:00:00');
    const east = await send(1, { user: { id: 'ann', tz: 'Pacific/Kiritimati' } });
    expect(east.challenges.weekly.run).toBe(day(5));
    const west = await send(1, { user: { id: 'ann', tz: 'Pacific/Honolulu' } });
    expect([west.challenges.weekly.run, progressOf(west.challenges.weekly).ten]).toEqual([day(5), 2]);
    expect((await challenge('weekly')).run).toBe(day(5));
    // A week later the next run begins on the Monday of Honolulu.
    await at(12, '09:59:59');
    expect((await send()).challenges.weekly.run).toBe(day(5));
    await at(12);
    expect((await send()).challenges.weekly.run).toBe(day(12));
  });

  test('a run stays if its user travels back before the start, where another challenge begins', async () => {
    const challenges = [
      item('ahead', { start: day(5), goals: [goal('one', 5)] }),
      item('open', { start: day(0), goals: [goal('one', 5, { metric: 'minutes' })] }),
    ];
    expect((await server.admin('PUT', '/config', { ...CONFIG, challenges })).status).toBe(200);
    await at(4, '12:00:00');
    await send(1, { user: { id: 'ann', tz: 'Pacific/Kiritimati' } });
    await send(1, { user: { id: 'ann', tz: 'Pacific/Honolulu' } }, 'minutes');
    await at(5);
    expect(progressOf(await challenge('ahead'))).toEqual({ one: 1 });
  });

  test('a late event counts in the run before, but not in an earlier one', async () => {
    await server.admin('PATCH', '/settings', { lateEvents: { maxAgeSeconds: 30 * 86_400 } });
    await send(40, {}, 'minutes');
    await at(6);
    const first = await send(1, { timestamp: `${day(0)}T11:00:00Z` });
    expect([first.challenges.weekly.run, first.challenges.weekly.completed]).toEqual([day(-2), false]);
    const second = await send(1, { timestamp: `${day(1)}T11:00:00Z` });
    expect([second.challenges.weekly.completed, second.achievements.length]).toEqual([true, 2]);
    expect((await challenge('weekly')).goals[0].progress).toBe(0);
    expect((await send(1, { timestamp: `${day(-6)}T11:00:00Z` })).challenges).toEqual({});
    const { status, body } = await call('GET', `/v1/users/ann/challenges/weekly?run=${day(-6)}`);
    expect([status, body.error]).toEqual([404, expect.stringContaining('or of the one before')]);
  });

  test('the end closes the challenge, whose last run is shown', async () => {
    const [{ id }] = (await server.admin('GET', '/challenges')).body;
    await server.admin('PATCH', '/challenges', [{ id, end: day(1) }]);
    await send();
    await at(2);
    expect((await send()).challenges).toEqual({});
    expect((await call('GET', '/v1/users/ann/challenges')).body).toEqual([]);
    expect(await challenge('weekly')).toMatchObject({
      run: day(-2),
      start: `${day(-2)}T00:00:00.000Z`,
      end: `${day(2)}T00:00:00.000Z`,
      goals: [{ progress: 1 }, { progress: 1 }, { progress: 0 }],
    });
  });
});

describe('what counts', () => {
  test('only users for whom the condition holds take part', async () => {
    expect((await send(9, { attributes: { kind: 'a' } })).challenges.pro).toBeUndefined();
    const listed = async () =>
      (await call('GET', '/v1/users/ann/challenges')).body.map(({ key }: Json) => key);
    expect(await listed()).toEqual(['weekly']);
    const user = { id: 'ann', attributes: { plan: 'pro' } };
    const { challenges } = await send(9, { user, attributes: { kind: 'a' } });
    expect([progressOf(challenges.pro), await listed()]).toEqual([{ kinds: 1, best: 5 }, ['weekly', 'pro']]);
    expect((await send(2, { attributes: { kind: 'b' } })).challenges.pro.completed).toBe(true);
    await send(1, { user: { id: 'ann', attributes: { plan: 'free' } }, attributes: { kind: 'c' } });
    expect((await challenge('pro')).goals[0].progress).toBe(2);
  });

  test('an undo lowers the progress; what was completed and given stays', async () => {
    await send(40, {}, 'minutes');
    const { eventId } = await send();
    await at(1);
    expect((await send()).challenges.weekly.completed).toBe(true);
    await server.relayed();
    const undo = await server.admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'A test' });
    expect(undo.status).toBe(200);
    const { goals, completed } = await challenge('weekly');
    expect([goals.map(({ progress }: Json) => progress), completed]).toEqual([[1, 1, 30], true]);
    expect(goals[1].completed).toBe(true);
    expect((await call('GET', '/v1/users/ann/points/xp')).body.awards[0].trigger.type).toBe('challenge');
  });

  test('an undo takes nothing from a goal that began after the run of the event', async () => {
    await server.admin('PATCH', '/settings', { lateEvents: { maxAgeSeconds: 30 * 86_400 } });
    const { eventId } = await send();
    const [{ id, goals }] = (await server.admin('GET', '/challenges')).body;
    await at(6);
    const more = { ...goals[0], key: 'more', name: 'More', aggregate: undefined, target: 5 };
    const changed = await server.admin('PATCH', '/challenges', [{ id, goals: [...goals, more] }]);
    expect(changed.body.issues).toEqual([]);
    const { challenges } = await send(2, { timestamp: `${day(0)}T11:00:00Z` });
    expect(progressOf(challenges.weekly)).toEqual({ ten: 2, days: 1, time: 0, more: 2 });
    await server.relayed();
    await server.admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'A test' });
    const former = await challenge('weekly', `?run=${day(0)}`);
    expect(progressOf(former)).toEqual({ ten: 1, days: 1, time: 0, more: 2 });
  });

  test('a batch counts like single events, and the timeline has the completion', async () => {
    const events = [
      { key: 'minutes', user: { id: 'ann' }, value: 30 },
      ...Array.from({ length: 10 }, () => ({ key: 'lessons', user: { id: 'ann' }, value: 1 })),
    ];
    const { body } = await server.admin('POST', '/metrics/events?results=true', events);
    expect(body.results.map(({ event }: Json) => event.challenges.weekly.completed)).toEqual([
      ...Array(10).fill(false),
      true,
    ]);
    await server.relayed();
    const { items } = (await server.admin('GET', '/users/ann/timeline?kinds=challenge')).body;
    expect(items).toEqual([
      {
        kind: 'challenge',
        change: 'completed',
        at: expect.any(String),
        challenge: { key: 'weekly', name: 'Weekly' },
        run: day(-2),
      },
    ]);
  });

  test('a restore of Redis brings everything back', async () => {
    await send();
    await send(12, {}, 'minutes');
    const before = (await call('GET', '/v1/users/ann/challenges')).body;
    await restoreServer(server);
    expect((await call('GET', '/v1/users/ann/challenges')).body).toEqual(before);
    expect(progressOf((await send()).challenges.weekly)).toEqual({ ten: 2, days: 1, time: 12 });
  });
});

describe('drawn goals', () => {
  test('each user gets some goals in a run, and others in the next one', async () => {
    const goals = ['a', 'b', 'c', 'd'].map((key) => goal(key, 3));
    const file = {
      ...CONFIG,
      challenges: [item('quests', { start: day(0), runUnit: 'day', runInterval: 1, goals, pick: 2 })],
    };
    expect((await server.admin('PUT', '/config', file)).status).toBe(200);
    const drawn: string[] = [];
    for (let i = 0; i <= 10; i++) {
      await at(i);
      const { challenges } = await send();
      drawn.push(challenges.quests.goals.map(({ key }: Json) => key).join());
      expect((await challenge('quests')).goals).toEqual(challenges.quests.goals);
    }
    expect(drawn.every((set, i) => /^\w,\w$/.test(set) && set !== drawn[i - 1])).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(2);
  });
});

describe('reads and changes', () => {
  test('of users are answered, or say what is wrong', async () => {
    await send();
    const { body: listed } = await call('GET', '/v1/challenges');
    expect(listed.map(({ key, status, runUnit }: Json) => [key, status, runUnit])).toEqual([
      ['weekly', 'active', 'week'],
      ['pro', 'active', 'week'],
    ]);
    const statusOf = async (path: string): Promise<number> => (await call('GET', `/v1${path}`)).status;
    expect(await statusOf('/challenges?since=now')).toBe(422);
    expect(await statusOf('/users/ann/challenges?run=2026-11-16')).toBe(200);
    expect(await statusOf('/users/ann/challenges?run=monday')).toBe(422);
    expect(await statusOf('/users/nobody/challenges')).toBe(404);
    const { status, body } = await call('GET', '/v1/users/ann/challenges/weakly');
    expect([status, body.error]).toEqual([404, expect.stringContaining('weekly')]);
  });

  test('of administrators are answered, or say what is wrong', async () => {
    const { body: all } = await server.admin('GET', '/challenges');
    const [{ id }] = all;
    expect((await server.admin('GET', `/challenges/${id}`)).body).toEqual(all[0]);
    const statusOf = async (...request: [string, string, unknown?]): Promise<number> =>
      (await server.admin(...request)).status;
    const missing = '00000000-0000-0000-0000-000000000000';
    expect(await statusOf('GET', `/challenges/${missing}`)).toBe(404);
    expect(await statusOf('GET', '/challenges?limit=0')).toBe(422);
    expect(await statusOf('POST', '/challenges', [{ name: 1 }])).toBe(422);
    expect(await statusOf('PATCH', '/challenges', [{ id: 1 }])).toBe(422);
    expect(await statusOf('DELETE', '/challenges')).toBe(422);
    const { body } = await server.admin('DELETE', `/challenges?ids=${id}`);
    expect(body.deleted).toEqual([{ id }]);
    expect((await send()).challenges).toEqual({});
  });
});

describe('configuration', () => {
  const create = async (more: object): Promise<Json> => {
    const { body: metrics } = await server.admin('GET', '/metrics');
    const [{ id: metricId }] = metrics;
    const valid = { key: 'new', name: 'New', goals: [{ key: 'g', name: 'G', metricId, target: 1 }] };
    return (await server.admin('POST', '/challenges', [{ ...valid, ...more }])).body;
  };

  test('a challenge begins today, and shows what was given', async () => {
    const { created, issues } = await create({ runUnit: 'week', runInterval: 1 });
    expect(issues).toEqual([]);
    expect(created[0]).toMatchObject({
      start: day(0),
      complete: 'all',
      status: 'inactive',
      goals: [{ key: 'g', name: 'G', metricId: expect.any(String), target: 1 }],
    });
    const [change] = [{ id: created[0].id, start: day(1) }];
    const { body } = await server.admin('PATCH', '/challenges', [change]);
    expect(body.issues[0].message).toContain(`start cannot be changed (it is ${day(0)})`);
  });

  test.each([
    [{ goals: [] }, 'goals must have 1 to 10 items'],
    [
      { goals: [{ key: 'g', name: 'G', metricId: 'x', target: 0 }] },
      'goals[0].metricId must name an existing metric',
    ],
    [{ complete: { atLeast: 2 } }, 'complete.atLeast must be a whole number from 1 to 1'],
    [{ pick: 2 }, 'pick must be at most the number of goals, 1'],
    [{ runUnit: 'week' }, 'runInterval is required with runUnit'],
    [{ where: { weekday: ['mon'] } }, 'where must look at user only'],
    [{ rewards: {} }, 'rewards must have points, an achievement, freezes or a boost'],
    [
      { rewards: { points: [{ systemId: 'x', points: 1 }] } },
      'rewards.points[0].systemId must name an existing points system',
    ],
    [{ end: '2026-11-01' }, 'end must not be before start'],
  ])('%j is refused: %s', async (more, message) => {
    const { created, issues } = await create(more);
    expect([created, JSON.stringify(issues).replaceAll('\\"', '"')]).toEqual([
      [],
      expect.stringContaining(message),
    ]);
  });

  test('a file says the path of a fault, and an export is the file', async () => {
    const faulty = structuredClone(CONFIG) as Json;
    faulty.challenges[0].goals[1].metric = 'lesson';
    const refused = await server.admin('PUT', '/config', faulty);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining('challenges[0].goals[1].metric'),
    ]);
    const { body: file } = await server.admin('GET', '/config');
    expect(file.challenges).toEqual(
      CONFIG.challenges.map((one) => ({
        join: 'automatic',
        claim: 'automatic',
        complete: 'all',
        status: 'active',
        ...one,
      })),
    );
  });
});
