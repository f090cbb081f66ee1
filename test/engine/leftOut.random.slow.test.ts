import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REFILL_EVERY_MS } from '../../src/db/configuration/activations.ts';
import { LEADERBOARD_RESERVE } from '../../src/rules/compile/compileLeaderboards.ts';
import type { Relay } from '../../workers/relay/relay.ts';
import { Random, readSeed } from '../support/random.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/**
 * More users than Redis keeps on a ranking rise, fall, hide, get other ids and are erased. Unless a leaderboard says that it
 * is being filled, its ranks are those of all users, sorted.
 */
const SEED = readSeed('leftOut.random', 20_261_126);
const STEPS = Number(process.env.LAUREL_LEFT_OUT_STEPS ?? 25);
const MAX = 3;
const USERS = MAX + LEADERBOARD_RESERVE + 40;
const CITIES = ['Lima', 'Oslo'];

interface Player {
  id: string;
  city: string;
  total: number;
  /** null before the first event. */
  latest: number | null;
  hiddenFrom: Set<string>;
}

/** What a leaderboard ranks of a player, null without a score; the greatest score is the first. */
const BOARDS: Record<string, { fields: object; score(player: Player): number | null; city?: string }> = {
  sums: { fields: {}, score: ({ total }) => (total > 0 ? total : null) },
  latest: {
    fields: { aggregation: 'latest', runUnit: 'month', runInterval: 1 },
    score: ({ latest }) => latest,
  },
  lowest: {
    fields: { aggregation: 'latest', sortOrder: 'asc', ties: 'shared' },
    score: ({ latest }) => latest && -latest,
  },
  cities: {
    fields: { breakdownAttributes: ['city'] },
    score: ({ total }) => (total > 0 ? total : null),
    city: CITIES[0]!,
  },
};

/** Leaderboards of a metric of the same key, whose users fall. */
const FALLS: Record<string, object> = {
  'fall-latest': { aggregation: 'latest' },
  'fall-sums': {},
  'fall-groups': { breakdownAttributes: ['city'] },
};

const server = useServer();
let relay: Relay;

beforeAll(async () => {
  relay = await server.startRelay();
  const leaderboards = Object.entries(BOARDS).map(([key, { fields }]) => ({
    ...{ key, name: key, rankBy: 'metric', metric: 'lessons', maxParticipants: MAX, start: dayFromStart(-1) },
    ...fields,
  }));
  const attributes = { user: [{ key: 'city', name: 'City' }] };
  const metrics = ['lessons', ...Object.keys(FALLS), 'entered'].map((key) => ({ key, name: key }));
  const fallen = Object.entries({ ...FALLS, entered: {} }).map(([key, fields]) => ({
    ...{ key, name: key, rankBy: 'metric', metric: key, maxParticipants: 2, start: dayFromStart(-1) },
    ...{ runUnit: 'month', runInterval: 1, ...fields },
  }));
  const { status, body } = await server.call('PUT', '/admin/v1/config', {
    attributes,
    metrics,
    leaderboards: [...leaderboards, ...fallen],
  });
  expect(status, JSON.stringify(body)).toBe(200);
});
afterAll(() => relay.stop());

const { answer: call } = server;

/** Ten minutes go by, in which all users fill the leaderboards that need it. */
const fill = (): Promise<void> => {
  const now = new Date(server.clock.now() + REFILL_EVERY_MS).toISOString();
  return call('POST', '/admin/v1/test-clock', { now, stopped: true });
};

/** Compares the leaderboards that are not being filled. @returns the others */
async function compare(players: readonly Player[], title: string): Promise<string[]> {
  const filling: string[] = [];
  for (const [key, { score, city }] of Object.entries(BOARDS)) {
    const query = city === undefined ? '' : `?userAttributes=city:${city}`;
    const { body } = await server.call('GET', `/v1/leaderboards/${key}${query}`);
    if (body.filling) {
      filling.push(key);
      continue;
    }
    const scores = players
      .filter((player) => (city === undefined || player.city === city) && !player.hiddenFrom.has(key))
      .flatMap((player) => score(player) ?? []);
    const expected = scores.sort((a, b) => b - a).slice(0, MAX);
    const ranked = body.rankings.map(({ value }: { value: number }) => (key === 'lowest' ? -value : value));
    expect(ranked, `${title}, ${key}`).toEqual(expected);
  }
  return filling;
}

test('ranks are those of all users, sorted', { timeout: 600_000 }, async () => {
  const random = new Random(SEED);
  let names = 0;
  const newPlayer = (): Player => ({
    id: `player-${++names}`,
    city: random.weighted([
      [9, CITIES[0]!],
      [1, CITIES[1]!],
    ]),
    total: 0,
    latest: null,
    hiddenFrom: new Set(),
  });
  const players = Array.from({ length: USERS }, newPlayer);
  let [wasFilling, filled] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    const title = `step ${step}`;
    // Events are recorded together, in any order: each user has one of them.
    const level = random.pick([0, 0, 1_000, -1_000]);
    const acting = random.some(players, step === 0 ? 1 : random.pick([0.05, 0.3, 0.99]));
    const events = acting.map((player) => {
      const value = level + random.int(1, 500);
      player.total += value;
      player.latest = value;
      return { key: 'lessons', user: { id: player.id, attributes: { city: player.city } }, value };
    });
    if (events.length > 0) await call('POST', '/admin/v1/metrics/events', events);
    for (const player of random.some(players, 0.01)) {
      const key = random.pick(Object.keys(BOARDS));
      const isShown = player.hiddenFrom.delete(key);
      if (!isShown) player.hiddenFrom.add(key);
      const path = `/admin/v1/users/${player.id}/leaderboards/${key}/${isShown ? 'show' : 'hide'}`;
      await call('POST', path, { reason: 'Test' });
    }
    for (const player of random.some(players, 0.02)) {
      if (player.latest === null || player.id.endsWith("'")) continue;
      const id = `${player.id}'`;
      await call('POST', `/admin/v1/users/${player.id}/rename`, { id });
      player.id = id;
    }
    if (random.chance(0.2)) {
      const [erased] = players.splice(random.int(0, players.length - 1), 1, newPlayer());
      if (erased!.latest !== null) await call('DELETE', `/admin/v1/users/${erased!.id}`);
    }
    wasFilling += (await compare(players, title)).length;
    if (random.chance(0.5)) {
      await fill();
      expect(await compare(players, `${title}, filled`)).toEqual([]);
      filled++;
    }
  }
  expect(Math.min(wasFilling, filled)).toBeGreaterThan(0);
});

describe('users outside who are better than users on the ranking', () => {
  const kept = LEADERBOARD_RESERVE + 2;
  const [city] = CITIES as [string];
  const send = (key: string, count: number, name: string, value: (i: number) => number) =>
    call(
      'POST',
      '/admin/v1/metrics/events',
      Array.from({ length: count }, (_, i) => ({
        key,
        user: { id: `${key}-${name}${i}`, attributes: { city } },
        value: value(i),
      })),
    );
  const page = async (key: string) => {
    const query = key === 'fall-groups' ? `?userAttributes=city:${city}` : '';
    const { filling, rankings } = (await server.call('GET', `/v1/leaderboards/${key}${query}`)).body;
    return {
      filling,
      ranks: rankings.map((one: { userId: string; value: number }) => [one.userId, one.value]),
    };
  };

  test.each<[string, (i: number) => number]>([
    ['fall-latest', (i) => i + 1],
    ['fall-sums', (i) => i - 1_999_999],
    ['fall-groups', (i) => i - 1_999_999],
  ])('%s: take the ranks', async (key, fallen) => {
    await send(key, kept, 'in', () => 2_000_000);
    await send(key, 60, 'out', (i) => 500 + i);
    expect((await page(key)).filling).toBeUndefined();
    await send(key, kept, 'in', fallen);
    expect((await page(key)).filling).toBe(true);
    await fill();
    const ranks = [
      [`${key}-out59`, 559],
      [`${key}-out58`, 558],
    ];
    expect(await page(key)).toEqual({ filling: undefined, ranks });
  });

  test('come before those who have entered a place that was free', async () => {
    const key = 'entered';
    await send(key, kept, 'in', () => 2_000_000);
    await send(key, 60, 'out', (i) => 500 + i);
    await send(key, 60, 'in', () => -2_000_000);
    await send(key, 60, 'low', (i) => i + 1);
    await fill();
    await send(key, kept, 'in', (i) => (i < 60 ? 0 : -2_000_000));
    expect((await page(key)).ranks.map(([, value]: [string, number]) => value)).toEqual([559, 558]);
  });
});
