import { afterAll, expect } from 'vitest';
import { findA11yProblems } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { type Importing, useImports } from '../support/importing.ts';

/** The imports in the console. */
let imports: Importing;
const web = useConsole('test/console/consoleImports.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    imports = await useImports(server);
  },
});
afterAll(() => imports?.close());
const { button, dialog, go } = web;

const rowOf = (file: string) => web.page.locator('tbody tr', { hasText: file });

browserTest('imports have their progress, and their refused rows can be saved', async () => {
  const rows = [{ id: 'ann', 'metric.lessons': 5 }, { id: 'bob', 'metric.lessons': 'many' }, 'torn'];
  await imports.import('users', rows, { name: 'users.csv' });
  await go('/console/operations/imports');
  const row = rowOf('users.csv');
  await row.getByText('1 of 3 rows applied').waitFor();
  await row.getByText('done').waitFor();
  const saved = web.page.waitForEvent('download');
  await row.getByRole('button', { name: 'Save 2 refused rows of users.csv' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('users.csv.refused.csv');
  const chunks = await (await download.createReadStream()).toArray();
  expect(Buffer.concat(chunks).toString()).toContain('metric.lessons must be a number');
});

browserTest('an import is paused, resumed and cancelled', async () => {
  await imports.send('users', [{ id: 'cem' }], { name: 'paused.ndjson' });
  await go('/console/operations/imports');
  const row = rowOf('paused.ndjson');
  const act = async (label: string): Promise<void> => {
    await row.getByRole('button', { name: label }).click();
    await button(label, dialog()).click();
  };
  await act('Pause');
  await row.getByText('paused', { exact: true }).waitFor();
  expect(await findA11yProblems(web.page)).toEqual([]);
  await act('Resume');
  await row.getByText('running').waitFor();
  await act('Cancel');
  await row.getByText('cancelled').waitFor();
  await expect.poll(() => row.getByRole('button').count()).toBe(0);
  expect(web.tab.problems).toEqual([]);
});

browserTest(
  'the question whether to pause does not become another when somebody else has paused',
  async () => {
    const id = await imports.send('users', [{ id: 'dan' }], { name: 'other.ndjson' });
    await go('/console/operations/imports');
    const row = rowOf('other.ndjson');
    await button('Pause', row).click();
    await dialog().getByRole('heading', { name: 'Pause' }).waitFor();
    await web.call('POST', `/admin/v1/imports/${id}/pause`);
    await row.getByText('paused', { exact: true }).waitFor();
    expect(await dialog().count()).toBe(0);
    await button('Resume', row).waitFor();
    expect(web.tab.problems).toEqual([]);
  },
);
