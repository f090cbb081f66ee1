import { describe, expect, test } from 'vitest';
import { achievement, item, items, metricBoard, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Rewards of leaderboards through the APIs: how they are configured, and how awards name them. */

const CONFIG = {
  metrics: items('lessons'),
  achievements: [item('champion', { trigger: 'api' }), achievement('ten', 10)],
  points: [xp([])],
  leaderboards: [
    metricBoard('cup', {
      start: '2031-03-01',
      end: '2031-03-07',
      rewards: [
        { from: 1, to: 1, points: { system: 'xp', amount: 500 } },
        { from: 1, to: 2, achievement: 'champion' },
      ],
    }),
  ],
};
const REWARD = { from: 1, to: 1, points: { system: 'xp', amount: 1 } };

const inLeague = (reward: object) => ({
  start: '2031-03-03',
  runUnit: 'week',
  runInterval: 1,
  league: {
    groupSize: 5,
    tiers: [item('bronze', { promote: 1 }), item('gold', { demote: 1 })],
  },
  rewards: [reward],
});

const server = useServer({ config: CONFIG, now: '2031-03-02T12:00:00Z', relay: true });
const { admin, call, get, moveTo } = server;
const boardOf = async (): Promise<Json> =>
  (await get('/admin/v1/leaderboards')).find(({ key }: Json) => key === 'cup');

describe('the configuration of rewards', () => {
  test('is the same as a file and in the Admin API', async () => {
    const { id, rewards } = await boardOf();
    const [points, achievement] = rewards;
    expect(rewards).toEqual([
      { from: 1, to: 1, points: { systemId: expect.any(String), amount: 500 } },
      { from: 1, to: 2, achievementId: expect.any(String) },
    ]);
    const change = [points, { from: 3, to: 4, points: null, achievementId: achievement.achievementId }];
    expect(
      (await admin('PATCH', '/leaderboards', [{ id, rewards: change }])).body.updated[0].rewards,
    ).toEqual([points, { from: 3, to: 4, achievementId: achievement.achievementId }]);
    expect((await get('/admin/v1/config')).leaderboards[0].rewards[1]).toEqual({
      from: 3,
      to: 4,
      achievement: 'champion',
    });
    const cleared = (await admin('PATCH', '/leaderboards', [{ id, rewards: null }])).body.updated[0];
    expect(cleared).not.toHaveProperty('rewards');
    expect((await admin('PUT', '/config', CONFIG)).status).toBe(200);
    expect((await admin('PUT', '/config', CONFIG)).body).toMatchObject({ updated: [] });
  });

  const cup = CONFIG.leaderboards[0]!;
  const refused: [string, object, string, RegExp][] = [
    ['without runs and end', { end: null }, 'rewards', /need runUnit or end/],
    [
      'an unknown system',
      { rewards: [{ ...REWARD, points: { system: 'xq', amount: 1 } }] },
      'rewards[0].points.system',
      /no points system "xq"/,
    ],
    [
      'an unknown achievement',
      { rewards: [{ from: 1, to: 1, achievement: 'champ' }] },
      'rewards[0].achievement',
      /no achievement "champ"/,
    ],
    [
      'an achievement of another trigger',
      { rewards: [{ from: 1, to: 1, achievement: 'ten' }] },
      'rewards[0].achievement',
      /ten has trigger metric/,
    ],
    ['ranks upside down', { rewards: [{ ...REWARD, from: 3, to: 2 }] }, 'rewards[0].to', /at least from, 3/],
    [
      'ranks beyond the places',
      { maxParticipants: 5, rewards: [{ ...REWARD, to: 6 }] },
      'rewards[0].to',
      /from 1 to 5/,
    ],
    [
      'points and an achievement',
      { rewards: [{ ...REWARD, achievement: 'champion' }] },
      'rewards[0]',
      /either points or an achievement/,
    ],
    [
      'no condition',
      { rewards: [{ achievement: 'champion' }] },
      'rewards[0]',
      /must have ranks \(from and to\)/,
    ],
    [
      'a first rank alone',
      { rewards: [{ from: 1, achievement: 'champion' }] },
      'rewards[0].to',
      /required with from/,
    ],
    [
      'a last rank alone',
      { rewards: [{ to: 1, achievement: 'champion' }] },
      'rewards[0].from',
      /required with to/,
    ],
    [
      'a tier without a league',
      { rewards: [{ ...REWARD, tier: 'gold' }] },
      'rewards[0].tier',
      /without a league/,
    ],
    [
      'promotion without a league',
      { rewards: [{ ...REWARD, promoted: true }] },
      'rewards[0].promoted',
      /without a league/,
    ],
    [
      'an unknown tier',
      inLeague({ ...REWARD, tier: 'golden' }),
      'rewards[0].tier',
      /a tier of the league: bronze, gold/,
    ],
    [
      'promotion to the lowest tier',
      inLeague({ ...REWARD, tier: 'bronze', promoted: true }),
      'rewards[0].tier',
      /must not be the lowest/,
    ],
    ['ranks beyond a group', inLeague({ ...REWARD, to: 6 }), 'rewards[0].to', /from 1 to 5/],
    ['nothing to give', { rewards: [{ from: 1, to: 1 }] }, 'rewards[0]', /either points or an achievement/],
    [
      'no points',
      { rewards: [{ ...REWARD, points: { system: 'xp', amount: 0 } }] },
      'rewards[0].points.amount',
      /from 1 to 1000000000/,
    ],
    ['too many', { rewards: Array(21).fill(REWARD) }, 'rewards', /more than 20/],
  ];
  test.each(refused)('refuses %s', async (_, fields, field, message) => {
    const { status, body } = await admin('PUT', '/config', {
      ...CONFIG,
      leaderboards: [{ ...cup, ...fields }],
    });
    expect(status).toBe(422);
    expect(body.error).toContain(`leaderboards[0].${field}: `);
    expect(body.error).toMatch(message);
  });

  test('has tiers and promotions of a league', async () => {
    const reward = { tier: 'gold', promoted: true, points: { system: 'xp', amount: 7 } };
    const item = { ...cup, key: 'league', ...inLeague(reward) };
    const leaderboards = [cup, { ...item, end: '2031-03-30' }];
    expect((await admin('PUT', '/config', { ...CONFIG, leaderboards })).status).toBe(200);
    const league = (await get('/admin/v1/leaderboards')).find(({ key }: Json) => key === 'league');
    expect(league.rewards).toEqual([
      { tier: 'gold', promoted: true, points: { systemId: expect.any(String), amount: 7 } },
    ]);
    expect((await get('/admin/v1/config')).leaderboards[1].rewards).toEqual([reward]);
    const bronze = { ...league.league, tiers: items('bronze') };
    const { body } = await admin('PATCH', '/leaderboards', [{ id: league.id, league: bronze }]);
    expect(body).toMatchObject({
      updated: [],
      issues: [{ message: expect.stringContaining('rewards[0].tier') }],
    });
    expect((await admin('PUT', '/config', CONFIG)).status).toBe(200);
  });

  test('keeps what rewards give from being deleted', async () => {
    const [system] = await get('/admin/v1/points');
    const { body } = await admin('DELETE', `/points?ids=${system.id}`);
    expect(JSON.stringify(body)).toContain('is used by leaderboard \\"cup\\"');
    expect(await get('/admin/v1/points')).toHaveLength(1);
  });
});

test('awards, the timeline and analytics name the leaderboard, the run and the rank', async () => {
  for (const [id, value] of [
    ['ann', 5],
    ['ben', 3],
  ] as const)
    await call('POST', '/v1/metrics/lessons/event', { user: { id }, value });
  await moveTo('2031-03-09T08:00:00Z');
  const trigger = {
    type: 'leaderboard',
    points: 500,
    leaderboardKey: 'cup',
    leaderboardName: 'Cup',
    run: '2031-03-01',
    rank: 1,
  };
  const { total, awards } = await get('/v1/users/ann/points/xp');
  expect({ total, awards }).toMatchObject({
    total: 500,
    awards: [{ awarded: 500, date: '2031-03-08T12:00:00.000Z', trigger, boosts: [] }],
  });
  const [achieved] = await get('/v1/users/ben/achievements');
  expect(achieved).toMatchObject({ key: 'champion', achievedAt: expect.stringMatching(/^2031-03-09T08:00/) });
  const items: Json[] = (await get('/admin/v1/users/ann/timeline')).items;
  expect(items.find(({ kind }) => kind === 'points')).toMatchObject({ awarded: 500, trigger });
  const range = 'startDate=2031-03-07&endDate=2031-03-08';
  expect(await get(`/v1/users/ann/points/xp/event-summary?aggregation=daily&${range}`)).toMatchObject([
    { date: '2031-03-07', total: 500, change: 500 },
    { date: '2031-03-08', total: 500, change: 0 },
  ]);
  const { sources } = await get('/admin/v1/analytics/points/xp?from=2031-03-01&to=2031-03-09');
  const leaderboard = { key: 'cup', name: 'Cup' };
  expect(sources).toEqual([{ trigger: null, type: 'leaderboard', leaderboard, awards: 1, points: 500 }]);
});
