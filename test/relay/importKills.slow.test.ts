import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROGRAM } from '../../tools/program.ts';
import { freePort, type Installation, type Part, startInstallation } from '../support/installation.ts';
import { items, perLesson, xp } from '../support/items.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import { API_KEY, callApi, type Reply } from '../support/server.ts';
import { dayFromStart } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** `laurel import` as an operator runs it, also when it, the worker and the stores are killed. */
const USERS = 12_000;
const EVENT_USERS = 1_000;
const EVENTS_OF_USER = 24;
/** A job whose worker was killed is done again when its lock has run out. */
const APPLY_MS_MAX = 240_000;
const AT_ONCE = 200;
const CONFIG = {
  metrics: items('lessons'),
  points: [xp([perLesson(2)])],
};

const dataDir = useDirectory();
let installation: Installation;

beforeAll(async () => {
  const LAUREL_CONFIG = await write('config.json', JSON.stringify(CONFIG));
  // A server that was killed comes back under the same address.
  const PORT = String(await freePort());
  installation = await startInstallation(dataDir, { LAUREL_CONFIG, LOG_LEVEL: 'warn', PORT });
});
afterAll(() => installation?.stop());

async function write(name: string, content: string | Buffer): Promise<string> {
  const path = join(dataDir, name);
  await writeFile(path, content);
  return path;
}

const linesOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Starts the command. `ended` has its exit code, null if it was killed. */
function runImport(kind: 'users' | 'events', ...files: string[]) {
  const args = ['import', '--kind', kind, ...files, '--url', installation.url];
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, LAUREL_ADMIN_KEY: API_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += String(chunk);
    });
  }
  const ended = new Promise<{ code: number | null; printed: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, printed })),
  );
  return { ended, kill: () => child.kill('SIGKILL') };
}

/** Reads again while a store that was killed makes calls fail. */
async function read(path: string): Promise<Reply['body']> {
  const reply = await until(async () => {
    const found = await callApi(installation.url + path, 'GET');
    expect(found.status).not.toBe(503);
    return found;
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body;
}

const latestImport = async (): Promise<Reply['body']> => (await read('/admin/v1/imports?limit=1'))[0];

/** The values that `/v1/users/{id}/{path}` has for users, in their order. */
async function readAll(ids: readonly string[], path: string, field: string): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const batch = ids.slice(i, i + AT_ONCE).map((id) => read(`/v1/users/${id}/${path}`));
    values.push(...(await Promise.all(batch)).map((body) => body[field]));
  }
  return values;
}

test('users and events come from every format, and refused rows are kept with their reasons', async () => {
  const csv = await write(
    'users.csv',
    'id,name,metric.lessons,points.xp\nann,"Ann, of ""Ulm""",5,70\nbob,Bob,many,1\ncem,,7,\n',
  );
  const users = await runImport('users', csv).ended;
  expect(users.printed).toContain('rows sent');
  expect(users.printed).toContain(`${csv}: done; 2 of 3 rows applied, 1 refused`);
  expect(users.code).toBe(1);
  const refused = JSON.parse(await readFile(`${csv}.refused.ndjson`, 'utf8'));
  expect(refused).toMatchObject({
    line: 3,
    userId: 'bob',
    reason: expect.stringContaining('metric.lessons must be a number'),
  });
  expect(JSON.parse(refused.row)).toMatchObject({ id: 'bob', name: 'Bob' });
  expect(await read('/v1/users/ann')).toMatchObject({ name: 'Ann, of "Ulm"' });
  expect(await readAll(['ann', 'cem'], 'metrics/lessons', 'current')).toEqual([5, 7]);
  expect(await readAll(['ann', 'cem'], 'points/xp', 'total')).toEqual([70, 0]);

  const events = [
    `timestamp,metric,value,user.id,user.tz,idempotencyKey`,
    `${dayFromStart(-9)}T08:00:00Z,lessons,2,dan,Europe/Berlin,a`,
    `${dayFromStart(-9)}T09:00:00Z,lessons,2,dan,,a`,
    `${dayFromStart(-8)}T08:00:00Z,lessons,1.5,dan,,`,
    `${dayFromStart(-8)}T08:00:00Z,lessons,two,dan,,`,
    `${dayFromStart(-8)}T08:00:00Z,lessons,1,,,`,
  ];
  const eventsCsv = await write('events.csv', `${events.join('\n')}\n`);
  const dated = await runImport('events', eventsCsv).ended;
  expect(dated).toMatchObject({
    code: 1,
    printed: expect.stringContaining('3 of 5 rows applied, 2 refused'),
  });
  expect(await readAll(['dan'], 'metrics/lessons', 'current')).toEqual([3.5]);
  const again = await runImport('events', eventsCsv).ended;
  expect(again.printed).toContain('3 of 5 rows applied, 2 refused');
});

test('files that cannot be read as a whole are not imported', async () => {
  const before = await latestImport();
  const missing = await runImport('users', join(dataDir, 'missing.csv')).ended;
  expect(missing).toMatchObject({ code: 1, printed: expect.stringContaining('ENOENT') });
  const rows = Array.from({ length: 20_000 }, (_, i) => `torn-${i},${(i * 7_919) % 10_007}\n`).join('');
  const whole = gzipSync(`id,metric.lessons\n${rows}`);
  const torn = await write('torn.csv.gz', whole.subarray(0, whole.length / 2));
  const ended = await runImport('users', torn).ended;
  expect(ended).toMatchObject({
    code: 1,
    printed: expect.stringContaining('laurel: unexpected end of file'),
  });
  expect(await latestImport()).toEqual(before);
});

test(
  'users are imported as they are, also if the worker is killed',
  async () => {
    const users = Array.from({ length: USERS }, (_, i) => ({ id: `user-${i}`, 'metric.lessons': i + 1 }));
    const file = await write('users.ndjson.gz', gzipSync(linesOf(users)));
    const { code, printed } = await importWithKills('users', file, 'worker');
    expect(printed).toContain(`done; ${USERS} of ${USERS} rows applied, 0 refused`);
    expect(code).toBe(0);
    const ids = users.map(({ id }) => id);
    expect(await readAll(ids, 'metrics/lessons', 'current')).toEqual(users.map((_, i) => i + 1));
  },
  2 * APPLY_MS_MAX,
);

test.each<Part>(['worker', 'server', 'redis', 'postgres'])(
  'events count once each, also if the %s is killed',
  async (victim) => {
    const sent = EVENT_USERS * EVENTS_OF_USER;
    const events = Array.from({ length: sent }, (_, i) => ({
      timestamp: `${dayFromStart(-1 - Math.floor(i / EVENT_USERS))}T12:00:00Z`,
      metric: 'lessons',
      user: { id: `${victim}-${i % EVENT_USERS}` },
      value: 1 + (i % 3),
    }));
    const totals = new Map<string, number>();
    for (const { user, value } of events) totals.set(user.id, (totals.get(user.id) ?? 0) + value);
    const file = await write(`${victim}.ndjson`, linesOf(events));
    const { code, printed } = await importWithKills('events', file, victim);
    expect(printed).toContain(`done; ${sent} of ${sent} rows applied, 0 refused`);
    expect(code).toBe(0);
    const ids = [...totals.keys()];
    expect(await readAll(ids, 'metrics/lessons', 'current')).toEqual([...totals.values()]);
    expect(await readAll(ids, 'points/xp', 'total')).toEqual([...totals.values()].map((total) => total * 2));
  },
  2 * APPLY_MS_MAX,
);

test('then Redis and PostgreSQL agree', async () => {
  const { redisUrl, databaseUrl } = installation.stores;
  await runLaurel(['check', '--all'], { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl });
});

/**
 * Kills the command while it sends, the given part while the import is applied, and the command again; then
 * starts the command once more.
 */
async function importWithKills(kind: 'users' | 'events', file: string, victim: Part) {
  const previous = (await latestImport())?.id;
  const first = runImport(kind, file);
  await until(async () => {
    const latest = await latestImport();
    return latest && latest.id !== previous && latest.chunks > 0;
  }, APPLY_MS_MAX);
  first.kill();
  expect((await first.ended).code).toBe(null);
  const second = runImport(kind, file);
  // Users are few steps, which end almost together.
  const isUnderWay = ({ state, rows }: Reply['body']) =>
    state === 'running' && (kind === 'users' || rows.applied > 0);
  await until(async () => isUnderWay(await latestImport()), APPLY_MS_MAX);
  await installation.signal(victim, 'SIGKILL');
  // Otherwise nothing was left to apply again.
  if (victim === 'worker') expect((await latestImport()).finished).toBe(null);
  second.kill();
  await second.ended;
  return runImport(kind, file).ended;
}
