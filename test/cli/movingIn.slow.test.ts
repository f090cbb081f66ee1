import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/base/clock.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import {
  createTeam,
  eventsCsv,
  type Member,
  presentCsv,
  profilesCsv,
  TEAM_CONFIG,
} from '../support/movedTeam.ts';
import { readSeed } from '../support/random.ts';
import { API_KEY, callApi, type Reply } from '../support/server.ts';
import { useDirectory } from '../support/useDirectory.ts';

/**
 * A team moves in by the commands of docs/moving-in.md: members with two years of events, and members of whom
 * only the present values are known. LAUREL_TEAM_MEMBERS and LAUREL_TEAM_DAYS, the days of the events, set the
 * size: a member with events has one on a third of the days.
 */
const MEMBERS = Number(process.env.LAUREL_TEAM_MEMBERS ?? 200);
const SEED = readSeed('movingIn', 20_261_126);
const TIMEOUT_MS = 400_000 + MEMBERS * 400;
/** Members whose values are compared. */
const COMPARED_MAX = 1_000;
const AT_ONCE = 50;

const team = createTeam(SEED, MEMBERS);
const directory = useDirectory();
let installation: Installation;

beforeAll(async () => {
  const LAUREL_CONFIG = await write('config.json', JSON.stringify(TEAM_CONFIG));
  installation = await startInstallation(directory, { LAUREL_CONFIG, LOG_LEVEL: 'warn' });
});
afterAll(() => installation?.stop());

async function write(name: string, content: string | Iterable<string>): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

/** Imports a file, none of whose rows is refused. */
async function importCsv(
  kind: 'users' | 'events',
  name: string,
  rows: number,
  content: Iterable<string>,
): Promise<void> {
  const path = await write(name, content);
  const startMs = monotonicMs();
  const args = ['import', '--kind', kind, path, '--url', installation.url];
  const { stdout, stderr } = await runLaurel(args, { LAUREL_ADMIN_KEY: API_KEY }, TIMEOUT_MS);
  expect(stdout + stderr).toContain(`done; ${rows} of ${rows} rows applied, 0 refused`);
  const ms = monotonicMs() - startMs;
  console.log(`${name}: ${rows} rows in ${(ms / 1_000).toFixed(1)} s, ${Math.round((rows / ms) * 1_000)}/s`);
}

async function expectMembers(members: readonly Member[]): Promise<void> {
  const compared = members.slice(0, COMPARED_MAX);
  for (let i = 0; i < compared.length; i += AT_ONCE) {
    const batch = compared.slice(i, i + AT_ONCE);
    expect(await Promise.all(batch.map(({ id }) => readMember(id)))).toEqual(batch);
  }
}

async function readMember(id: string): Promise<Member> {
  const read = async (path: string): Promise<Reply['body']> => {
    const { status, body } = await callApi(`${installation.url}/v1/users/${id}${path}`, 'GET');
    expect([path, status]).toEqual([path, 200]);
    return body;
  };
  const [user, metric, points, streak, completed] = await Promise.all(
    ['', '/metrics/lessons', '/points/xp', '/streak', '/achievements'].map(read),
  );
  const instants = completed.map(({ key, achievedAt }: Reply['body']) => [key, achievedAt]);
  return {
    id,
    name: user.name,
    tz: user.tz,
    plan: user.attributes.plan,
    lessons: metric.current,
    points: points.total,
    streak: streak.length,
    achievements: Object.fromEntries(instants),
  };
}

test('members as they are have their totals, points, streaks and achievements', {
  timeout: TIMEOUT_MS,
}, async () => {
  await importCsv('users', 'users.csv', team.former.length, presentCsv(team.former));
  await expectMembers(team.former);
});

test('members with events have what the events come to', { timeout: TIMEOUT_MS }, async () => {
  const events = team.active.reduce((sum, { instants }) => sum + instants.length, 0);
  await importCsv('users', 'profiles.csv', team.active.length, profilesCsv(team.active));
  await importCsv('events', 'events.csv', events, eventsCsv(team.active));
  await expectMembers(team.active.map(({ member }) => member));
  const { redisUrl, databaseUrl } = installation.stores;
  await runLaurel(['check', '--all'], { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl });
});
