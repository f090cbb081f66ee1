import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../src/base/packageRoot.ts';
import { freePort, type Installation, startInstallation } from './support/installation.ts';
import { API_KEY } from './support/server.ts';

let directory: string;
let installation: Installation;
let port: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'laurel-test-start-'));
  port = await freePort();
  installation = await startInstallation(join(directory, 'data'), { PORT: String(port), HOST: '' });
});

afterAll(async () => {
  await installation.stop();
  await rm(directory, { recursive: true, force: true });
});

test('a second installation on the same port ends at once and names the process that has the port', async () => {
  const dataDir = join(directory, 'second');
  await expect(startInstallation(dataDir, { PORT: String(port) })).rejects.toThrow(
    new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: pid \\d+ \\(.*\\) has the port`),
  );
  expect(existsSync(dataDir)).toBe(false);
});

test('a server on the same port ends, too', async () => {
  const { redisUrl, databaseUrl } = installation.stores;
  const stores = { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, LAUREL_ADMIN_KEY: API_KEY };
  const env = { ...process.env, ...stores, PORT: String(port), HOST: '127.0.0.1' };
  const server = promisify(execFile)(process.execPath, [join(packageRoot(), 'dist', 'src', 'main.js'), 'server'], {
    env,
  });
  await expect(server).rejects.toThrow('has the port');
  expect((await fetch(`${installation.url}/healthz`)).status).toBe(200);
});

test('npm start listens on this machine alone unless HOST says otherwise', () => {
  expect(installation.url).toBe(`http://127.0.0.1:${port}`);
});

test('a key that the user has chosen is not printed, and the curl line takes it from the environment', () => {
  expect(installation.output()).not.toContain(API_KEY);
  expect(installation.output()).toContain('-H "X-API-KEY: $LAUREL_ADMIN_KEY"');
});
