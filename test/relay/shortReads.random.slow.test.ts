import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cells, cellOf } from '../../src/base/cells.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { readKeptHistory } from '../../src/redis/decoding/keptHistory.ts';
import { recentHistory } from '../../src/redis/decoding/recentPeriods.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { localTime, periodOf } from '../../src/rules/calendar.ts';
import { type Importing, useImports } from '../support/importing.ts';
import { Random, readSeed } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { API_KEY } from '../support/server.ts';
import { BOARDS, METRICS, ShortReadSteps, SYSTEMS } from '../support/shortReadSteps.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Periods of streaks, awards, days on leaderboards and days of metrics that Redis keeps are those of
 * PostgreSQL, whatever happens. In each round, every user gets one random step. After it, a read of every user
 * is compared in its default form, which Redis answers, and in a longer one, which PostgreSQL answers.
 */
const STEPS = Number(process.env.LAUREL_SHORT_READS_STEPS ?? 1_000);
const USERS = Array.from({ length: 100 }, (_, i) => `user-${i}-`);
/** Of the users, those of whom all reads are compared, and of whom it is counted what Redis could answer. */
const SAMPLED_SHARE = 0.02;
const AT_ONCE = 50;
const ROWS = 10;
const PERIODS = 7;
const DAY_MS = 86_400_000;

const server = useServer({ config: 'none', relay: true });
let imports: Importing;
let cells: Cells;
let client: Pool;
beforeAll(async () => {
  client = new Pool(server.url, { connections: AT_ONCE });
  imports = await useImports(server);
  cells = (await readCells(server.pool))!;
});
afterAll(async () => {
  await imports.close();
  await client.close();
});

/** A read in its default form and in a longer one, which PostgreSQL answers. */
interface Compared {
  short: string;
  long: string;
  /** The end of what the long form answers. */
  expected(long: Json): Json;
}

const listOf = (path: string, parameter: string, name: string): Compared => ({
  short: path,
  long: `${path}?${parameter}=${ROWS + 1}`,
  expected: (long) => ({ ...long, [name]: long[name].slice(0, ROWS) }),
});

const STREAK: Compared = {
  short: 'streak',
  long: `streak?historyPeriods=${PERIODS + 1}`,
  expected: (long) => ({ ...long, streakHistory: long.streakHistory.slice(-PERIODS) }),
};

function daysOf(metric: string, now: number): Compared {
  const after = (days: number): string => new Date(now + days * DAY_MS).toISOString().slice(0, 10);
  const from = (days: number): string =>
    `metrics/${metric}/event-summary?aggregation=daily&startDate=${after(-days)}&endDate=${after(1)}`;
  return { short: from(29), long: from(300), expected: (long) => long.slice(-31) };
}

const readsAt = (now: number): Compared[] => [
  STREAK,
  ...SYSTEMS.map((key) => listOf(`points/${key}`, 'awards', 'awards')),
  ...BOARDS.map((key) => listOf(`leaderboards/${key}`, 'numEvents', 'history')),
  ...METRICS.map((key) => daysOf(key, now)),
];

/** How many reads Redis could answer before anybody has read. */
const served = { streaks: 0, histories: 0, compared: 0 };

async function countServed(userId: string, steps: ShortReadSteps): Promise<void> {
  const { redis } = server;
  const user = { tenant: DEFAULT_TENANT, userId };
  const state = await readUserState(redis, cells, user);
  if (state === null) return;
  const list = await redis.lrangeBuffer(
    keys.history(user.tenant, cellOf(user.tenant, userId, cells), userId),
    0,
    -1,
  );
  const last = periodOf(localTime(state.tz ?? 'UTC', steps.now), steps.frequency);
  const span = { first: last - PERIODS + 1, last };
  served.compared++;
  if (state.keepsHistory && readKeptHistory(list, state.sequence) !== null) served.histories++;
  if (recentHistory(state.recentPeriods, steps.frequency, span) !== null) served.streaks++;
}

/** The answer of a read, without the checks of the contract; null if the user is unknown. */
async function read(userId: string, path: string): Promise<Json> {
  const { statusCode, body } = await client.request({
    method: 'GET',
    path: `/v1/users/${userId}/${path}`,
    headers: { 'X-API-KEY': API_KEY },
  });
  const answer = await body.json();
  if (statusCode === 404) return null;
  expect(statusCode, JSON.stringify(answer)).toBe(200);
  return answer;
}

async function compare(userId: string, steps: ShortReadSteps, random: Random): Promise<void> {
  const reads = readsAt(steps.now);
  const isSampled = random.chance(SAMPLED_SHARE);
  const chosen = isSampled ? reads : [random.pick(reads)];
  if (isSampled) await countServed(userId, steps);
  for (const { short, long, expected } of chosen) {
    const answer = await read(userId, short);
    if (answer === null) return;
    const whole = expected(await read(userId, long));
    if (!isDeepStrictEqual(answer, whole))
      expect(answer, `${userId} ${long}\n${steps.doneTo(userId)}`).toEqual(whole);
  }
}

test('short reads answer what long ones answer, after each of many random steps', {
  timeout: 3_600_000,
}, async () => {
  const random = new Random(readSeed('shortReads.random', 20_261_127));
  const steps = new ShortReadSteps({ server, imports, random, users: USERS });
  await steps.begin();
  for (let done = 0; done < STEPS; done += USERS.length) {
    if (random.chance(0.05)) await steps.configure();
    if (random.chance(0.1)) await steps.import();
    if (random.chance(0.5)) await steps.erase();
    await steps.passSome();
    await Promise.all(USERS.map((userId) => steps.act(userId)));
    await Promise.all(USERS.map((userId) => compare(userId, steps, random)));
  }
  await server.expectSameStores();
  expect(steps.unanswered).toBeLessThanOrEqual(STEPS / 1_000);
  expect(served.histories).toBeGreaterThan(served.compared / 3);
  expect(served.streaks).toBeGreaterThan(served.compared / 5);
});
