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
import { playLeague } from './support/leagueGame.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** The screen of a league. */
sayIfSkipped('test/consoleLeague.slow.test.ts');

let server: TestServer;
let browser: Browser;
let tab: Tab;
beforeAll(async () => {
  if (chromiumProgram === null) return;
  server = await startTestServer({ env: { LAUREL_CONFIG: 'none' } });
  await server.startRelay();
  await playLeague(server);
  browser = await launchBrowser();
  tab = await openTab(browser);
  await signIn(tab, server);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const rowsOf = async (label: string): Promise<string[][]> => {
  const rows = tab.page.getByRole('region', { name: label, exact: true }).locator('tbody tr');
  await rows.first().waitFor();
  return Promise.all((await rows.all()).map((row) => row.locator('td, th').allInnerTexts()));
};

test.skipIf(chromiumProgram === null)(
  'shows tiers, groups with their rankings, and what the last run did',
  async () => {
    const { page } = tab;
    await visit(tab, server, '/console/leaderboards/league');
    expect(await rowsOf('Tiers')).toEqual([
      ['Gold', '0', '0', '0', '0', '0', '0'],
      ['Silver', '1', '3', '0', '0', '0', '0'],
      ['Bronze', '1', '2', '3', '2', '0', '0'],
    ]);
    expect((await rowsOf('Groups')).map(([group, members]) => [group, members])).toEqual([
      ['Silver 1', '1'],
      ['Bronze 1', '2'],
    ]);
    await page.getByRole('button', { name: 'Show the group of ben', exact: true }).click();
    expect(await rowsOf('Group of ben')).toEqual([
      ['1', 'Ben', '2'],
      ['2', 'Dan', '1'],
    ]);
    expect(await rowsOf('Results')).toHaveLength(5);
    await page.getByLabel(/^Outcome/).selectOption('promoted');
    await page
      .getByRole('region', { name: 'Results', exact: true })
      .getByText('Ben')
      .waitFor({ state: 'detached' });
    expect((await rowsOf('Results')).map(([user]) => user).sort()).toEqual(['Ann', 'Cid', 'Eve']);
    await page.getByLabel(/^Tier of the groups/).selectOption('silver');
    const groups = page.getByRole('region', { name: 'Groups', exact: true });
    await groups.getByText('Bronze 1').waitFor({ state: 'detached' });
    expect(await findA11yProblems(page)).toEqual([]);
    expect(tab.problems).toEqual([]);
  },
  60_000,
);
