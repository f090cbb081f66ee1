import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  signIn,
  type Tab,
  visit,
} from './support/consoleBrowser.ts';
import { type Importing, useImports } from './support/importing.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** The imports in the console. */
sayIfSkipped('test/consoleImports.slow.test.ts');
let server: TestServer;
let imports: Importing;
let browser: Browser;
let tab: Tab;
const browserTest = test.skipIf(chromiumProgram === null);

beforeAll(async () => {
  server = await startTestServer();
  await server.startRelay();
  imports = await useImports(server);
  if (chromiumProgram === null) return;
  browser = await launchBrowser();
  tab = await openTab(browser);
  await signIn(tab, server);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await imports?.close();
  await server?.stop();
});

const rowOf = (file: string) => tab.page.locator('tbody tr', { hasText: file });

browserTest(
  'imports have their progress, and their refused rows can be saved',
  async () => {
    const rows = [{ id: 'ann', 'metric.lessons': 5 }, { id: 'bob', 'metric.lessons': 'many' }, 'torn'];
    await imports.import('users', rows, { name: 'users.csv' });
    await visit(tab, server, '/console/operations/imports');
    const row = rowOf('users.csv');
    await row.getByText('1 of 3 rows applied').waitFor();
    await row.getByText('done').waitFor();
    const saved = tab.page.waitForEvent('download');
    await row.getByRole('button', { name: 'Save 2 refused rows of users.csv' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('users.csv.refused.csv');
    const chunks = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString()).toContain('metric.lessons must be a number');
  },
  60_000,
);

browserTest(
  'an import is paused, resumed and cancelled',
  async () => {
    await imports.send('users', [{ id: 'cem' }], { name: 'paused.ndjson' });
    await visit(tab, server, '/console/operations/imports');
    const row = rowOf('paused.ndjson');
    const act = async (label: string): Promise<void> => {
      await row.getByRole('button', { name: label }).click();
      await tab.page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
    };
    await act('Pause');
    await row.getByText('paused', { exact: true }).waitFor();
    expect(await findA11yProblems(tab.page)).toEqual([]);
    await act('Resume');
    await row.getByText('running').waitFor();
    await act('Cancel');
    await row.getByText('cancelled').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    expect(tab.problems).toEqual([]);
  },
  60_000,
);
