import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort, type Installation, startInstallation } from '../support/installation.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import { callApi, type Reply } from '../support/server.ts';

/** The backups of docs/backup.md for what `npm start` runs. */

let installation: Installation | null = null;
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'laurel-backup-'));
});
afterEach(async () => {
  await installation?.stop();
  await rm(home, { recursive: true, force: true });
});

const record = (key: string): Promise<Reply> =>
  callApi(
    `${installation!.url}/v1/metrics/words/event`,
    'POST',
    { user: { id: 'ann' }, value: 1 },
    { 'Idempotency-Key': key },
  );

test('a copy of the stopped data directory starts with all that was answered', async () => {
  const [data, copy] = [join(home, 'data'), join(home, 'copy')];
  const env = { PORT: String(await freePort()) };
  installation = await startInstallation(data, env);
  for (const key of ['one', 'two']) expect(await record(key)).toMatchObject({ status: 201 });
  await installation.stop();
  await cp(data, copy, { recursive: true });
  await rm(data, { recursive: true });
  installation = await startInstallation(copy, env);
  expect(await record('one')).toMatchObject({ status: 202, body: { total: 2 } });
  expect(await record('three')).toMatchObject({ status: 201, body: { total: 3 } });
});

test('a backup of a running installation fills a new one', async () => {
  const [data, copy, file] = [join(home, 'data'), join(home, 'copy'), join(home, 'laurel.backup')];
  const env = { PORT: String(await freePort()) };
  const laurel = async (dataDir: string, ...args: string[]): Promise<string> =>
    (await runLaurel(args, { LAUREL_DATA_DIR: dataDir, LOG_LEVEL: 'error' })).stdout;
  installation = await startInstallation(data, env);
  for (const key of ['one', 'two']) expect(await record(key)).toMatchObject({ status: 201 });
  const history = `${installation.url}/v1/users/ann/metrics/words/event-summary?aggregation=daily`;
  const range = '&startDate=2026-01-01&endDate=2099-12-31';
  await callApi(history + range, 'GET');
  expect(await laurel(data, 'backup', file)).toMatch(/wrote \d+ rows/);
  await installation.stop();
  await rm(data, { recursive: true });

  installation = await startInstallation(copy, { ...env, LAUREL_CONFIG: 'none' });
  expect(await laurel(copy, 'restore-backup', file)).toMatch(/restored \d+ rows and 1 users/);
  await expect(laurel(copy, 'restore-backup', file)).rejects.toThrow('--replace');
  await installation.stop();
  installation = await startInstallation(copy, env);
  expect(await record('one')).toMatchObject({ status: 202, body: { total: 2 } });
  expect(await record('three')).toMatchObject({ status: 201, body: { total: 3 } });
  expect(await laurel(copy, 'check', '--all')).toContain(' 0 differences');
});
