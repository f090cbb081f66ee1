import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addApply } from '../../src/commands/applyCommand.ts';
import { runInProcess } from '../support/laurelCommand.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useDirectory } from '../support/useDirectory.ts';
import { useServer } from '../support/useServer.ts';

const server = useServer({ config: 'none' });
const folder = useDirectory();

/** Applies a metric by the stores of the server, in an environment that does not name the test clock. */
async function applyMetric(key: string): Promise<void> {
  const file = join(folder, `${key}.yaml`);
  await writeFile(file, `metrics: [{ key: ${key}, name: ${key} }]\n`);
  const stores = { REDIS_URL: server.redisUrl, DATABASE_URL: server.databaseUrl };
  expect(await runInProcess(addApply, ['apply', file], stores)).toMatchObject({ code: 0, stderr: '' });
}

test('an applied file is recorded at the time of the service, not of the machine', async () => {
  await applyMetric('running');
  expect((await server.get('/admin/v1/audit?limit=1'))[0].at).toMatch(new RegExp(`^${dayFromStart(0)}T12:`));
  const stopped = `${dayFromStart(400)}T06:00:00.000Z`;
  await server.moveTo(stopped);
  await applyMetric('stopped');
  expect((await server.get('/admin/v1/audit?limit=1'))[0].at).toBe(stopped);
});
