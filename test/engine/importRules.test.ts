import { expect, test } from 'vitest';
import { type Importing, useImports } from '../support/importing.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** The configuration changes while rows are being imported. */

const config = (frequency: string) => ({
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { enabled: true, frequency, metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [{ key: 'old', name: 'Old', trigger: 'api' }],
});
const server = useServer({ config: () => config('daily'), relay: true, tenantEach: true });
const { admin, call } = server;

const row = (id: string, more: object = {}) => ({
  id,
  'streak.length': 3,
  'streak.lastDate': dayFromStart(0),
  'metric.lessons': 5,
  ...more,
});
const streakOf = async (id: string) => {
  const { length, frequency, started } = (await call('GET', `/v1/users/${id}/streak`)).body;
  return { length, frequency, started };
};

/** Imports rows, and changes something after they have been read. */
async function importAround(
  rows: object[],
  act: () => Promise<unknown>,
  then: (imports: Importing, id: string) => Promise<void>,
): Promise<void> {
  const imports = await useImports(server, server);
  const id = await imports.send('users', rows);
  await imports.applyAround(id, async () => void (await act()));
  await then(imports, id);
  await imports.close();
}

test('the streak of a row is in periods of the frequency that is in force', async () => {
  const change = () => admin('PUT', '/config', config('weekly'));
  await importAround([row('during')], change, async (imports) => {
    await imports.import('users', [row('after')]);
    expect(await streakOf('during')).toEqual(await streakOf('after'));
    expect(await streakOf('during')).toMatchObject({ length: 3, frequency: 'weekly' });
  });
});

test('a row that names what is deleted meanwhile is refused', async () => {
  const [achievement] = (await admin('GET', '/achievements')).body;
  const remove = () => admin('DELETE', `/achievements?ids=${achievement.id}`);
  const completed = row('during', { 'achievement.old': '2024-01-01' });
  await importAround([completed], remove, async (imports, id) => {
    expect(await imports.refused(id)).toMatchObject([
      { reason: expect.stringContaining('Achievement old does not exist') },
    ]);
    expect((await call('GET', '/v1/users/during')).status).toBe(404);
  });
});
