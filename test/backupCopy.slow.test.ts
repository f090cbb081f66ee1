import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort, type Installation, startInstallation } from './support/installation.ts';
import { callApi, type Reply } from './support/server.ts';

/** The backup of docs/backup.md for what `npm start` runs. */

let installation: Installation | null = null;
const home = await mkdtemp(join(tmpdir(), 'laurel-backup-'));
afterAll(async () => {
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

test('a copy of the stopped data directory starts with all that was answered', {
  timeout: 120_000,
}, async () => {
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
