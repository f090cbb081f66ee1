import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { type Commit, createGitRepository } from '../support/gitRepository.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import { Random, readSeed } from '../support/random.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { DAY_MS, START_MS } from '../support/testTime.ts';
import { useDirectory } from '../support/useDirectory.ts';

/**
 * The commits of a git repository, imported into a service without a test clock, give what a replay by the
 * test clock gives, and what a plain program computes. LAUREL_GIT_HISTORY names a repository; without it the
 * test makes one.
 */
const GIVEN = process.env.LAUREL_GIT_HISTORY;
const TIMEOUT_MS = GIVEN === undefined ? 600_000 : 7_200_000;
const COMMITS = 700;
const EXAMPLE = join(packageRoot(), 'examples', 'git');

/** What PostgreSQL has of all users, without ids, sequence numbers and ranks. */
const HISTORY = {
  events: `select user_id, metric, recorded_at, local_date, value, total, awards
    from recorded_events join user_numbers on no = user_no`,
  awards: 'select user_id, system, trigger, recorded_at, local_date, awarded, total from points_awards',
  points: 'select user_id, system, total from points_totals',
  achievements: 'select user_id, achievement, completed_at, local_date from completed_achievements',
  periods: `select user_id, frequency, period, length, local_date, extended_at, made_good_by
    from streak_extensions`,
  losses: 'select user_id, frequency, period, length, lost_at from streak_losses',
  streaks: 'select user_id, frequency, length, last_period, longest from streak_standings',
  streakCounts: 'select frequency, length, users from streak_counts where users > 0',
  users: 'select user_id, created_at, name from users',
  // An import ranks nobody in runs that are over.
  days: `select kind, day, no, detail, count, sum from daily_counts
    where kind not in ('participants', 'rankChanges')`,
};

const directory = useDirectory();
const installations: Installation[] = [];
afterAll(() => Promise.all(installations.map((installation) => installation.stop())));

async function start(name: string, testClock: string): Promise<Installation> {
  const installation = await startInstallation(join(directory, name), {
    LAUREL_CONFIG: join(EXAMPLE, 'config.yaml'),
    LAUREL_TEST_CLOCK: testClock,
    LOG_LEVEL: 'warn',
  });
  installations.push(installation);
  return installation;
}

/** Two years of authors who have busy weeks and long breaks, at many offsets. */
async function generate(): Promise<string> {
  const random = new Random(readSeed('git history', 20_261_124));
  const authors = Array.from({ length: 40 }, (_, i) => ({
    author: `author-${i}`,
    offset: random.pick(['+00:00', '+05:30', '-08:00', '+13:00', '-10:00', '+05:45', '-09:30', '+14:00']),
    at: START_MS - random.int(60, 730) * DAY_MS,
  }));
  const commits: (Commit & { instant: number })[] = [];
  while (commits.length < COMMITS) {
    const one = random.pick(authors);
    one.at += random.chance(0.97) ? random.int(0, 1.4 * DAY_MS) : random.int(0, 30 * DAY_MS);
    const instant = Math.floor(one.at / 1000) * 1000;
    if (instant > START_MS - 3 * DAY_MS) continue;
    const { author, offset } = one;
    const east = Number(`${offset[0]}1`) * (60 * Number(offset.slice(1, 3)) + Number(offset.slice(4)));
    const at = new Date(instant + east * 60_000).toISOString().slice(0, 19) + offset;
    commits.push({ instant, author, at, lines: random.pick([0, 1, 2, 5, 12]) });
  }
  const repository = await mkdtemp(join(directory, 'repository-'));
  createGitRepository(
    repository,
    commits.sort((a, b) => a.instant - b.instant),
  );
  return repository;
}

async function toHistory(repository: string): Promise<string> {
  const path = join(directory, 'history.ndjson');
  const child = execFile('node', [join(EXAMPLE, 'toHistory.mjs'), repository], { maxBuffer: 2 ** 31 });
  await pipeline(child.stdout!, createWriteStream(path));
  return path;
}

const laurel = (installation: Installation, ...args: string[]) =>
  runLaurel([...args, '--url', installation.url], { LAUREL_ADMIN_KEY: API_KEY }, TIMEOUT_MS);

async function check(repository: string, { url }: Installation, ...options: string[]): Promise<string> {
  const args = [join(EXAMPLE, 'check.mjs'), repository, url, ...options];
  const env = { ...process.env, LAUREL_ADMIN_KEY: API_KEY };
  const { stdout } = await promisify(execFile)('node', args, { env });
  return stdout;
}

async function readHistory({ stores }: Installation): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: stores.databaseUrl });
  await client.connect();
  const found: Record<string, string[]> = {};
  for (const [name, text] of Object.entries(HISTORY)) {
    const { rows } = await client.query<{ row: string }>(
      `select row_to_json(r)::text as row from (${text}) r`,
    );
    found[name] = rows.map(({ row }) => row).sort();
  }
  await client.end();
  return found;
}

test(
  'the import of a history equals its replay, and what a plain program computes',
  async () => {
    const repository = GIVEN ?? (await generate());
    const history = await toHistory(repository);
    const imported = await start('imported', '');
    const { stdout } = await laurel(imported, 'import', '--kind', 'events', history);
    console.log(stdout);
    expect(stdout).toMatch(/done; (\d+) of \1 rows applied, 0 refused/);
    expect(await check(repository, imported, '--imported')).toContain(' 0 differ');

    const replayed = await start('replayed', '1970-01-02T00:00:00Z');
    await laurel(replayed, 'replay', history);
    expect(await check(repository, replayed)).toContain(' 0 differ');
    // Streaks that last at the end of the history are lost in both.
    const now = new Date().toISOString();
    expect((await callApi(`${replayed.url}/admin/v1/test-clock`, 'POST', { now })).status).toBe(200);
    const [found, expected] = [await readHistory(imported), await readHistory(replayed)];
    for (const name of Object.keys(HISTORY)) expect(found[name], name).toEqual(expected[name]);
    await runLaurel(['check', '--all'], {
      REDIS_URL: imported.stores.redisUrl,
      DATABASE_URL: imported.stores.databaseUrl,
    });
  },
  TIMEOUT_MS,
);
