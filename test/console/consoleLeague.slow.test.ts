import { expect } from 'vitest';
import { findA11yProblems } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { playLeague } from '../support/leagueGame.ts';

/** The screen of a league. */
const web = useConsole('test/console/consoleLeague.slow.test.ts', {
  server: { config: 'none' },
  async prepare(server) {
    await server.startRelay();
    await playLeague(server);
  },
});

const rowsOf = async (label: string): Promise<string[][]> =>
  Promise.all((await web.rows(label).all()).map((row) => row.locator('td, th').allInnerTexts()));

browserTest('shows tiers, groups with their rankings, and what the last run did', async () => {
  const { page } = web;
  await web.go('/console/leaderboards/league');
  await expect
    .poll(() => rowsOf('Tiers'))
    .toEqual([
      ['Gold', '0', '0', '0', '0', '0', '0'],
      ['Silver', '1', '3', '0', '0', '0', '0'],
      ['Bronze', '1', '2', '3', '2', '0', '0'],
    ]);
  await expect
    .poll(async () => (await rowsOf('Groups')).map(([group, members]) => [group, members]))
    .toEqual([
      ['Silver 1', '1'],
      ['Bronze 1', '2'],
    ]);
  await page.getByRole('button', { name: 'Show the group of ben', exact: true }).click();
  await expect
    .poll(() => rowsOf('Group of ben'))
    .toEqual([
      ['1', 'Ben', '2'],
      ['2', 'Dan', '1'],
    ]);
  await expect.poll(() => rowsOf('Results')).toHaveLength(5);
  await page.getByLabel(/^Outcome/).selectOption('promoted');
  await expect
    .poll(async () => (await rowsOf('Results')).map(([user]) => user).sort())
    .toEqual(['Ann', 'Cid', 'Eve']);
  await page.getByLabel(/^Tier of the groups/).selectOption('silver');
  const groups = page.getByRole('region', { name: 'Groups', exact: true });
  await groups.getByText('Bronze 1').waitFor({ state: 'detached' });
  expect(await findA11yProblems(page)).toEqual([]);
  expect(web.tab.problems).toEqual([]);
});
