import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { PROGRAM } from '../../tools/program.ts';
import { freePort, type Installation, startInstallation } from '../support/installation.ts';
import { API_KEY } from '../support/server.ts';
import { START } from '../support/testTime.ts';
import { useDirectory } from '../support/useDirectory.ts';

const directory = useDirectory();
let installation: Installation;
let port: number;

beforeAll(async () => {
  port = await freePort();
  installation = await startInstallation(join(directory, 'data'), { PORT: String(port), HOST: '' });
});

afterAll(() => installation.stop());

test('a second installation on the same port ends at once and names the process that has the port', async () => {
  const dataDir = join(directory, 'second');
  await expect(startInstallation(dataDir, { PORT: String(port) })).rejects.toThrow(
    new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use by pid \\d+ \\(.*\\)`),
  );
  expect(existsSync(dataDir)).toBe(false);
});

test.each([
  ['/nowhere/my.yaml', 'LAUREL_CONFIG: cannot read /nowhere/my.yaml: no such file'],
  [join(packageRoot(), 'package.json'), 'name: is not a known field'],
])('a first configuration that is wrong ends the start before stores are made: %s', async (file, error) => {
  const dataDir = join(directory, 'third');
  await expect(startInstallation(dataDir, { LAUREL_CONFIG: file })).rejects.toThrow(error);
  expect(existsSync(dataDir)).toBe(false);
});

test('a data directory in which nothing can be written ends the start with what to do', async () => {
  const inFile = join(packageRoot(), 'package.json', 'data');
  await expect(startInstallation(inFile)).rejects.toThrow(
    `cannot write to ${inFile} (ENOTDIR): set LAUREL_DATA_DIR to a directory of your own`,
  );
});

test('npm start on an older Node says which one it needs', async () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })';
  const args = ['--import', `data:text/javascript,${older}`, 'tools/start.mjs'];
  await expect(promisify(execFile)(process.execPath, args, { cwd: packageRoot() })).rejects.toMatchObject({
    stderr: expect.stringMatching(/^laurel: Node 18\.20\.8 is too old: install Node 20\.19 or newer/),
  });
});

test('a path that does not exist is answered with what to do', async () => {
  const refusal = async (path: string) =>
    ((await (await fetch(installation.url + path)).json()) as { error: string }).error;
  expect(await refusal('/users/ada')).toBe('GET /users/ada does not exist; did you mean /v1/users/ada?');
  expect(await refusal('/v1/users/a/b')).toContain('write a / inside of an id as %2F');
});

test('the first lines say how to stop it, and where to get help', () => {
  expect(installation.output().split('\n').slice(0, 3)).toEqual([
    expect.stringContaining(`with their data in ${join(directory, 'data')}`),
    '  stop   Ctrl-C; the data stay',
    '  help   npx laurel help',
  ]);
});

/** Runs `laurel` on the stores of the installation. */
function laurel(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const { redisUrl, databaseUrl } = installation.stores;
  const stores = { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, LAUREL_ADMIN_KEY: API_KEY };
  const env = { ...process.env, ...stores, LAUREL_TEST_CLOCK: START, PORT: String(port), HOST: '127.0.0.1' };
  return promisify(execFile)(process.execPath, [PROGRAM, ...args], {
    env,
  });
}

test('a server on the same port ends, too', async () => {
  await expect(laurel('server')).rejects.toThrow('the port is in use');
  expect((await fetch(`${installation.url}/healthz`)).status).toBe(200);
});

test('npm start listens on this machine alone unless HOST says otherwise', () => {
  expect(installation.url).toBe(`http://127.0.0.1:${port}`);
});

test('a key that the user has chosen is not printed, and the curl line takes it from the environment', () => {
  expect(installation.output()).not.toContain(API_KEY);
  expect(installation.output()).toContain('-H "X-API-KEY: $LAUREL_ADMIN_KEY"');
});

test('the first start says in one line that it made the schema', () => {
  expect(installation.output().match(/migrated/g)).toHaveLength(1);
});

test('the printed curl line is accepted by the configuration in force', async () => {
  const [, path, body] = /(\/v1\/metrics\/\S+)[\s\S]+-d '(.+)'/.exec(installation.output())!;
  const headers = { 'X-API-KEY': API_KEY, 'Content-Type': 'application/json' };
  const response = await fetch(installation.url + path, { method: 'POST', headers, body: body! });
  expect(response.status).toBe(201);
  expect(body).toContain('"city"');
});

test('a file that does not exist is named in one line', async () => {
  await expect(laurel('apply', '/nowhere/my.yaml')).rejects.toMatchObject({
    stderr: 'laurel: cannot read /nowhere/my.yaml: no such file\n',
  });
});

test('a file is applied over HTTP as on the stores, with the same report', async () => {
  const file = join(directory, 'more.yaml');
  await writeFile(file, 'metrics:\n  - { key: pages, name: Pages }\n');
  const http = ['--url', `${installation.url}/`, '--key', API_KEY];
  const planned = await laurel('apply', file, '--dry-run');
  expect(planned.stdout).toBe('+ metrics pages\n1 to create, 0 to update, 0 to delete\n');
  expect((await laurel('apply', file, '--dry-run', ...http)).stdout).toBe(planned.stdout);
  expect((await laurel('apply', file, ...http)).stdout).toMatch(
    /^\+ metrics pages\n1 created, 0 updated, 0 deleted; version \d+\n$/,
  );
  expect((await laurel('apply', file)).stdout).toBe('nothing to change\n');

  await writeFile(file, 'leaderboards:\n  - { key: most, name: Most, rankBy: metric, metric: page }\n');
  await expect(laurel('apply', file, ...http)).rejects.toMatchObject({
    stderr: expect.stringContaining(
      'leaderboards[0].metric: there is no metric "page"; did you mean "pages"?',
    ),
  });
});
