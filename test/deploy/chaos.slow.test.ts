import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type History, readHistory, readState, uncounted } from '../support/chaos/books.ts';
import { CONFIG, expectedAchievements, expectedXp } from '../support/chaos/config.ts';
import { type ExtraRole, startExtraRole } from '../support/chaos/extraRole.ts';
import { Load, sendEvent } from '../support/chaos/load.ts';
import { freePort, type Installation, isAlive, startInstallation } from '../support/installation.ts';
import { Random, readSeed } from '../support/random.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/**
 * `npm start`, a second server and a second worker under load, while kill -9 hits each of them, the stores,
 * and everything at once, in turn and repeatedly. Afterwards the books must balance: what clients were told,
 * what Redis holds and what PostgreSQL adds up to. The seed decides when each is hit; LAUREL_SEED sets it,
 * LAUREL_CHAOS_ROUNDS lengthens it.
 */
const SEED = readSeed('chaos', 20_261_118);
/** Each round hits every part once. */
const ROUNDS = Number(process.env.LAUREL_CHAOS_ROUNDS ?? 1);
const USERS = Number(process.env.LAUREL_CHAOS_USERS ?? 40);
const CLIENTS = Number(process.env.LAUREL_CHAOS_CLIENTS ?? 32);
/** Answers between two hits: the service has to be back before the next one. */
const ANSWERS_BETWEEN = { min: 50, max: 400 };
const BACK_MS_MAX = 120_000;
/** Entries of a worker that was killed wait for 10 s until another one takes them over. */
const DRAIN_MS_MAX = 120_000;
const REPLAYS = 1_000;

const VICTIMS = [
  'server',
  'worker',
  'redis',
  'postgres',
  'second server',
  'second worker',
  'everything',
] as const;

const dataDir = useDirectory();
let env: Record<string, string>;
let installation: Installation;
let secondServer: ExtraRole;
let secondWorker: ExtraRole;
let urls: string[];

beforeAll(async () => {
  const configFile = join(dataDir, 'chaos.json');
  await writeFile(configFile, JSON.stringify(CONFIG));
  const ports = [await freePort(), await freePort()];
  env = { LAUREL_CONFIG: configFile, PORT: String(ports[0]), LOG_LEVEL: 'warn' };
  installation = await startInstallation(dataDir, env);
  const extraEnv = {
    LAUREL_DATA_DIR: dataDir,
    LAUREL_ADMIN_KEY: API_KEY,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'fatal',
  };
  secondServer = await startExtraRole('server', { ...extraEnv, PORT: String(ports[1]) });
  secondWorker = await startExtraRole('worker', extraEnv);
  urls = ports.map((port) => `http://127.0.0.1:${port}`);
});
afterAll(async () => {
  await Promise.all([secondServer?.stop(), secondWorker?.stop()]);
  await installation?.stop();
});

async function hit(victim: (typeof VICTIMS)[number]): Promise<void> {
  if (victim === 'second server') {
    await secondServer.kill();
  } else if (victim === 'second worker') {
    await secondWorker.kill();
  } else if (victim === 'everything') {
    await installation.killTree();
    installation = await startInstallation(dataDir, env);
  } else {
    await installation.signal(victim, 'SIGKILL');
  }
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.int(0, left.length - 1), 1)[0]!);
}

const answered = (load: Load): number => load.counts.recorded + load.counts.replayed;

async function runThrough(load: Load, random: Random): Promise<void> {
  const moreAnswers = (count: number): Promise<unknown> => {
    const enough = answered(load) + count;
    return until(() => answered(load) >= enough, BACK_MS_MAX);
  };
  load.start(CLIENTS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const victim of shuffled(VICTIMS, random)) {
      await moreAnswers(random.int(ANSWERS_BETWEEN.min, ANSWERS_BETWEEN.max));
      await hit(victim);
    }
  }
  await moreAnswers(ANSWERS_BETWEEN.max);
  await load.stop();
}

async function isDrained(): Promise<boolean> {
  const { body } = await callApi(`${urls[0]}/metrics`, 'GET');
  return /^laurel_outbox_entries 0$/m.test(body);
}

describe('kill -9 of every part, under load', () => {
  // Not the one of the victims: how many draws the clients make depends on how fast they are.
  const load = () => new Load(new Random(SEED + 1), urls, USERS);
  let traffic: Load;
  let state: Awaited<ReturnType<typeof readState>>;
  let history: History;

  beforeAll(
    async () => {
      traffic = load();
      await runThrough(traffic, new Random(SEED));
      await until(isDrained, DRAIN_MS_MAX);
      state = await readState(urls[0]!, traffic.userIds);
      history = await readHistory(installation.stores.databaseUrl, traffic.userIds);
      console.log(`chaos: ${JSON.stringify(traffic.counts)}, ${history.awards.rows} awards`);
    },
    120_000 + ROUNDS * 120_000,
  );

  test('every answer is 201, 202 for a repetition, or 503', () => {
    expect(traffic.wrong).toEqual([]);
    expect(traffic.counts.repeated).toBeGreaterThan(0);
  });

  test('every event counts once: answers, history, totals and leaderboards agree for every user and metric', () => {
    expect(uncounted(history, traffic)).toEqual([]);
    expect(history.accounts).toEqual(state);
    for (const { totals, scores } of state.values()) expect(scores).toEqual(totals);
    expect(history).toMatchObject({ users: USERS, deadEntries: 0 });
  });

  test('every achievement is completed once, and every award made once', async () => {
    for (const [userId, { totals, achievements, points }] of state) {
      const expected = expectedAchievements(totals);
      if (traffic.completed.has(userId)) expected.add('profile');
      expect([userId, achievements]).toEqual([userId, expected]);
      expect([userId, points.xp]).toEqual([userId, expectedXp(totals, achievements)]);
    }
    expect(history.awards.ids).toBe(history.awards.rows);
    const { body } = await callApi(`${urls[0]}/v1/achievements`, 'GET');
    for (const { key, completions } of body) {
      const holders = [...state.values()].filter(({ achievements }) => achievements.has(key)).length;
      expect([key, completions]).toEqual([key, holders]);
    }
  });

  test('every idempotency key that was used is known', async () => {
    const random = new Random(SEED);
    const sample = random.some(traffic.keyed, Math.min(1, REPLAYS / traffic.keyed.length));
    const replies = await Promise.all(sample.map((event) => sendEvent(urls[0]!, event)));
    expect(replies.length).toBeGreaterThan(0);
    expect(replies.filter(({ status }) => status !== 202)).toEqual([]);
  });

  test('SIGTERM stops everything and leaves no process', async () => {
    const before = installation.processes();
    expect(before.length).toBeGreaterThanOrEqual(5);
    expect(await installation.stop()).toBe(0);
    await until(() => before.every((pid) => !isAlive(pid)));
  });
});
