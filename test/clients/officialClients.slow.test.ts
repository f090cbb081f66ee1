import { join } from 'node:path';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Client } from 'undici';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { ADMIN_PROMISES } from '../support/clientPromises/admin.ts';
import { APPLICATION_PROMISES } from '../support/clientPromises/application.ts';
import {
  achievement,
  item,
  items,
  lessonStreak,
  metricBoard,
  perLesson,
  xp,
  xpBoard,
} from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { API_KEY, callApi, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';
import { fillIn, readWireFile, type WireRequest } from '../support/wireFile.ts';

/** The requests of Trophy's clients that do not run here. `@trophyso/node` does, in `sdk.test.ts`. */
const CLIENTS = ['python', 'go', 'csharp', 'java', 'php', 'ruby'];
const PROMISES = { ...APPLICATION_PROMISES, ...ADMIN_PROMISES };

const inLondon = { userAttributes: { city: 'london' } };
const CONFIG = {
  attributes: { user: items('city'), event: items('skill') },
  metrics: items('lessons'),
  streak: lessonStreak({
    customizationEnabled: true,
    freezes: { startCount: 1, maxCount: 2, autoEarnInterval: 7, autoEarnAmount: 1 },
  }),
  points: [
    xp([perLesson(10, inLondon), { type: 'achievement', achievement: 'first', points: 5 }], {
      maxPoints: 1_000_000,
      levels: [{ key: 'novice', name: 'Novice', points: 10 }],
      boosts: [{ name: 'Double', start: '2026-11-01', multiplier: 2 }],
    }),
  ],
  achievements: [
    achievement('first', 1, { ...inLondon, eventAttributes: { skill: 'reading' } }),
    achievement('hundred', 100),
    item('week', { trigger: 'streak', streakLength: 7 }),
    item('profile', { trigger: 'api' }),
    item('both', { trigger: 'achievement', achievements: ['first', 'profile'] }),
  ],
  leaderboards: [
    xpBoard('weekly', { start: '2026-01-05', runUnit: 'day', runInterval: 7 }),
    metricBoard('cities', { start: '2026-01-05', breakdownAttributes: ['city'] }),
  ],
};

const checkers = new Map<TSchema, ReturnType<typeof Compile>>();

/** How an answer breaks its promise; empty if it does not. */
function breaches({ name }: WireRequest, status: number, body: unknown): string[] {
  const promise = PROMISES[name];
  if (promise === undefined) return [`${name}: nothing is promised`];
  if (status !== promise.status) return [`${name}: ${status} ${JSON.stringify(body)}`];
  const checker = checkers.get(promise.body) ?? Compile(promise.body);
  checkers.set(promise.body, checker);
  return checker.Errors(body).map(({ instancePath, message }) => `${name}: ${instancePath} ${message}`);
}

/** Lists within answers that say nothing if they are empty. Answers that are lists have items, too. */
const WITH_ITEMS = {
  'metrics.event': ['achievements'],
  'users.leaderboard': ['history'],
  'users.points': ['awards'],
  'users.streak': ['streakHistory'],
  'points.system': ['triggers'],
  'leaderboards.get': ['rankings'],
};

const emptyLists = (answers: Record<string, Json>): string[] => [
  ...Object.keys(answers).filter((name) => Array.isArray(answers[name]) && answers[name].length === 0),
  ...Object.entries(WITH_ITEMS).flatMap(([name, fields]) =>
    fields.filter((field) => answers[name][field].length === 0).map((field) => `${name}.${field}`),
  ),
];

describe.each(CLIENTS)('the client for %s', (client) => {
  const server = useServer({ config: CONFIG, relay: true });

  test('gets answers as its types promise', async () => {
    // Sends paths as they are written, which fetch does not.
    const connection = new Client(server.url);
    const answers: Record<string, Json> = { apiKey: API_KEY };
    const found: string[] = [];
    for (const request of readWireFile(join(packageRoot(), `test/clients/wire/${client}.http`))) {
      const { name, method, path, headers, body } = request;
      const reply = await connection.request({
        method: method as 'GET',
        path: fillIn(path, answers),
        headers: Object.entries(headers).flatMap(([key, value]) => [key, fillIn(value, answers)]),
        body: body && fillIn(body, answers),
      });
      answers[name] = await reply.body.json();
      found.push(...breaches(request, reply.statusCode, answers[name]));
    }
    await connection.close();
    expect(found).toEqual([]);
    expect(emptyLists(answers)).toEqual([]);
  });
});

/** They repeat 408, 429 and 5xx, after whole seconds that the answer names, at most a minute. */
test('a client that is told to wait is served afterwards, and its event counts once', async () => {
  const slow = await startTestServer({ env: { LAUREL_ADMIN_REQUESTS_PER_SECOND: '1' } });
  const headers = { 'Idempotency-Key': 'lesson 1' };
  const record = () =>
    callApi(`${slow.url}/v1/metrics/lessons/event`, 'POST', { user: { id: 'ada' }, value: 1 }, headers);
  await until(async () => (await record()).status === 429);
  const refused = await record();
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]$|^[1-5]\d$|^60$/);
  const repeated = await until(async () => {
    const reply = await record();
    return reply.status === 429 ? null : reply;
  });
  expect(repeated).toMatchObject({ status: 202, body: { total: 1, idempotentReplayed: true } });
  await slow.stop();
});
