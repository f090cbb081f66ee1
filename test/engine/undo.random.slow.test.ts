import { expect, test } from 'vitest';
import { cellsOf } from '../../src/base/cells.ts';
import { DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { groupName } from '../../src/redis/decoding/outcome.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { userIdOf } from '../../src/redis/state/rankingEntries.ts';
import { computeLocalTime, dateOfDay } from '../../src/rules/calendar.ts';
import type { Leaderboard } from '../../src/rules/config.ts';
import { openRunOf } from '../../src/rules/inForce/lateCalendar.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import { Random, readSeed } from '../support/random.ts';
import { useServer } from '../support/useServer.ts';

/**
 * An undo of an event with its points and achievements leaves no trace. Each user has a twin. The twin sends
 * the same events, except those that are undone.
 */
const SEED = readSeed('undo.random', 20_261_127);
const USERS = Number(process.env.LAUREL_UNDO_USERS ?? 8);
const STEPS = 30;
const HOUR_MS = 3_600_000;
const START = Date.parse('2031-03-03T06:00:00Z');
const ORDERS = [
  { aggregation: 'best' },
  { aggregation: 'best', sortOrder: 'asc' },
  { aggregation: 'latest' },
  { eventAttributes: { device: 'phone' } },
  { aggregation: 'best', startTime: '05:00', endTime: '15:00' },
  { aggregation: 'best', timeZone: 'Pacific/Auckland' },
  { timeZone: 'Asia/Tokyo' },
  {},
];

const server = useServer({ config: 'none', relay: true });

const leaderboards = ORDERS.flatMap((order, i) =>
  [
    {},
    { runUnit: 'day', runInterval: 2 },
    { runUnit: 'month', runInterval: 1, breakdownAttributes: ['city'] },
  ]
    .filter((run) => !('startTime' in order) || 'runUnit' in run)
    .map((run, j) => ({
      ...{ key: `board-${i}-${j}`, name: 'Board', rankBy: 'metric', metric: 'lessons', start: '2031-01-01' },
      ...order,
      ...run,
    })),
);
/** Keys of those with a group for each city. */
const grouped = new Set(leaderboards.flatMap((board) => ('breakdownAttributes' in board ? board.key : [])));
/** What an undo lowers, with and without periods. */
const COUNTED = [
  { aggregate: 'days', metricValue: 4 },
  { aggregate: 'days', per: 'week', metricValue: 3 },
  { aggregate: 'count', per: 'day', metricValue: 3 },
  { per: 'month', metricValue: 30 },
].map((counting, i) => ({
  ...{ key: `counted-${i}`, name: 'Counted', trigger: 'metric', metric: 'lessons', ...counting },
}));
const config = {
  attributes: { event: [{ key: 'device', name: 'Device' }], user: [{ key: 'city', name: 'City' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  settings: { lateEvents: { maxAgeSeconds: 9 * 86_400 } },
  achievements: [
    ...[6, 20, 40].map((metricValue) => ({
      ...{
        key: `lessons-${metricValue}`,
        name: 'Lessons',
        trigger: 'metric',
        metric: 'lessons',
        metricValue,
      },
    })),
    {
      ...{ key: 'phone', name: 'Phone', trigger: 'metric', metric: 'lessons', metricValue: 10 },
      eventAttributes: { device: 'phone' },
    },
    ...COUNTED,
    { key: 'both', name: 'Both', trigger: 'achievement', achievements: ['phone', 'lessons-20'] },
  ],
  points: [
    {
      key: 'units',
      name: 'Units',
      triggers: [
        { type: 'metric', metric: 'lessons', metricThreshold: 2, points: 3 },
        {
          type: 'metric',
          metric: 'lessons',
          metricThreshold: 1,
          points: 5,
          eventAttributes: { device: 'phone' },
        },
      ],
      boosts: [{ name: 'Double', start: '2031-03-05', end: '2031-03-07', multiplier: 2 }],
    },
  ],
  leaderboards: [
    ...leaderboards,
    { key: 'points', name: 'Points', rankBy: 'points', points: 'units', start: '2031-01-01' },
    ...[1, 3].map((runInterval) => ({
      ...{
        key: `points-${runInterval}`,
        name: 'Points',
        rankBy: 'points',
        points: 'units',
        start: '2031-01-01',
      },
      ...{ runUnit: 'day', runInterval },
    })),
  ],
};

test('an event that is undone with its points and achievements was never there', {
  timeout: 300_000,
}, async () => {
  const { answer: call } = server;
  let now = START;
  const advance = (ms: number) => {
    now += ms;
    return call('POST', '/admin/v1/test-clock', { now: new Date(now).toISOString(), stopped: true });
  };
  await advance(0);
  await call('PUT', '/admin/v1/config', config);
  const random = new Random(SEED);
  const players = Array.from({ length: USERS }, (_, i) => ({
    ...{ id: `ann-${i}`, twin: `bea-${i}` },
    // After a fall of the total, other events earn less than without the event.
    falls: i % 2 === 1,
  }));
  for (const { id, twin } of players) {
    const profile = {
      tz: random.pick(['UTC', 'Asia/Kolkata', 'America/Lima']),
      attributes: { city: 'Lima' },
    };
    for (const user of [id, twin]) await call('PUT', `/v1/users/${user}`, profile);
  }
  /** Events that will be undone. */
  const faults: { id: string; eventId: string; isUndone: boolean }[] = [];
  const sent: string[] = [];
  let previewed = 0;
  const undo = async (fault: (typeof faults)[number]) => {
    await advance(1);
    fault.isUndone = true;
    const { id, eventId } = fault;
    sent.push(`undo ${id} ${eventId}`);
    const body = { reason: 'A fault', points: true, achievements: true };
    const path = `/admin/v1/users/${id}/events/${eventId}/undo`;
    const preview = await call('GET', path);
    await call('POST', path, body);
    for (const { leaderboard, run, isTotal, valueAfter, rankAfter } of preview.leaderboards) {
      const query = new URLSearchParams({ limit: '100', ...(!isTotal && { run }) });
      if (grouped.has(leaderboard.key)) query.set('userAttributes', 'city:Lima');
      const page = await call('GET', `/v1/leaderboards/${leaderboard.key}?${query}`);
      const entry = page.rankings.find(({ userId }: { userId: string }) => userId === id);
      expect([leaderboard.key, entry?.rank ?? null]).toEqual([leaderboard.key, rankAfter]);
      if (entry) expect([leaderboard.key, entry.value]).toEqual([leaderboard.key, valueAfter]);
    }
    previewed += preview.leaderboards.length;
  };
  for (let step = 0; step < STEPS; step++) {
    await advance(random.int(1, 7 * HOUR_MS));
    for (const { id, twin, falls } of players) {
      const isFault = random.chance(0.3);
      const timestamp = random.chance(0.2) ? now - random.int(1, 40 * HOUR_MS) : null;
      const event = {
        value: isFault || !falls || random.chance(0.85) ? 2 * random.int(1, 4) : -2 * random.int(1, 3),
        ...(random.chance(0.5) && { attributes: { device: random.pick(['phone', 'tablet']) } }),
        ...(timestamp !== null && { timestamp: new Date(timestamp).toISOString() }),
      };
      const path = '/v1/metrics/lessons/event';
      if (!isFault) await call('POST', path, { user: { id: twin }, ...event });
      const { eventId } = await call('POST', path, { user: { id }, ...event });
      sent.push(`${new Date(now).toISOString()} ${id} ${eventId} ${isFault} ${JSON.stringify(event)}`);
      if (isFault) faults.push({ id, eventId, isUndone: false });
    }
    for (const fault of faults) if (!fault.isUndone && random.chance(0.2)) await undo(fault);
  }
  for (const fault of faults) if (!fault.isUndone) await undo(fault);

  const { pool, redis } = server;
  const cells = (await readCells(pool))!;
  const rules = new Rules(await loadConfig(pool, DEFAULT_TENANT));
  const boards = rules.config.leaderboards;
  const openRun = (board: Leaderboard, at: number) =>
    openRunOf(rules, board, computeLocalTime('UTC', at), at, now);
  /** Scores in all runs that are not final. */
  const scoresOf = async (userId: string) => {
    const scores: Record<string, number> = {};
    for (const board of boards)
      for (let hours = 0; hours < 96; hours += 12) {
        const run = openRun(board, now - hours * HOUR_MS);
        const group = board.breakdownAttributes.length > 0 ? groupName(['Lima']) : '';
        if (run === null) continue;
        for (const cell of cellsOf(DEFAULT_TENANT, cells)) {
          const ranking = keys.board(DEFAULT_TENANT, cell, board.no, run.start, group);
          const members = await redis.zrange(ranking, 0, '-1', 'WITHSCORES');
          const at = members.findIndex((member) => userIdOf(member) === userId);
          if (at >= 0) scores[`${board.key} ${dateOfDay(run.start)}`] = Number(members[at + 1]);
        }
      }
    return scores;
  };
  const stateOf = async (userId: string, falls: boolean) => {
    const state = (await readUserState(redis, cells, { tenant: DEFAULT_TENANT, userId }))!;
    const { counters, points, achievements } = state;
    const scores = Object.entries(await scoresOf(userId));
    return {
      ...{ counters, achievements: [...achievements.keys()].sort(), points: falls || points },
      scores: scores.filter(([key]) => !falls || !key.startsWith('points')),
    };
  };
  const completionsOf = async (userId: string) => {
    await call('GET', `/admin/v1/users/${userId}/timeline`);
    const { rows } = await pool.query('select achievement from completed_achievements where user_id = $1', [
      userId,
    ]);
    return rows.map(({ achievement }) => achievement).sort();
  };
  for (const { id, twin, falls } of players) {
    const history = sent.filter((line) => line.includes(`${id} `)).join('\n');
    expect(await stateOf(id, falls), history).toEqual(await stateOf(twin, falls));
    expect(await completionsOf(id), history).toEqual(await completionsOf(twin));
  }
  expect(Math.min(faults.length, previewed)).toBeGreaterThan(USERS);
});
