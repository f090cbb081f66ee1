import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { screenshot } from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLooks, useConsole } from '../support/consoleTests.ts';

/** The list of 1,000 users in a browser. */
const COUNT = 1_000;
/** User n has n lessons, so 10 n points, and from 10 lessons on an achievement. */
const events = Array.from({ length: COUNT }, (_, n) => ({
  key: 'lessons',
  value: n + 1,
  user: { id: `user-${n + 1}`, name: `User ${n + 1} Miller`, email: `user${n + 1}@example.com` },
}));

const web = useConsole('test/console/consoleUsers.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    expect((await server.call('POST', '/admin/v1/metrics/events', events)).status).toBe(202);
    await server.relayed();
  },
});
const { button, dialog, go } = web;
const rows = () => web.rows('Users');
const firstUser = () => rows().first().locator('td').first().locator('a').textContent();

browserTest('all 1,000 are shown page by page, with their number', async () => {
  await go('/console/users');
  await web.page.getByText('1,000 users').waitFor();
  for (let shown = 50; shown < COUNT; shown += 50) {
    await expect.poll(() => rows().count()).toBe(shown);
    await button('Show more').click();
  }
  await expect.poll(() => rows().count()).toBe(COUNT);
  await button('Show more').click();
  await button('Show more').waitFor({ state: 'detached' });
  await expect.poll(() => rows().count()).toBe(COUNT);
});

browserTest('are found by a word inside the name', async () => {
  await go('/console/users');
  await web.page.getByRole('searchbox', { name: 'Search users' }).fill('777 miller');
  await expect.poll(() => rows().count()).toBe(1);
  await expect.poll(firstUser).toBe('User 777 Miller');
});

browserTest('are sorted by a click on a title, and filtered by points, level and achievement', async () => {
  await go('/console/users');
  await button('XP').click();
  await expect.poll(firstUser).toBe('User 1000 Miller');
  await expect.poll(() => web.page.locator('th[aria-sort]').textContent()).toBe('XP');
  await web.page.getByText('Filters', { exact: true }).click();
  await web.page.getByLabel('Max. XP').fill('500');
  await web.page.getByLabel('Max. XP').blur();
  await web.page.getByText('XP ≤ 500').waitFor();
  await expect.poll(async () => Number((await firstUser())?.split(' ')[1])).toBeLessThan(60);
  await web.page.getByLabel('Completed', { exact: true }).fill('Warming');
  await web.page.getByRole('option', { name: 'Warming up' }).click();
  await web.page.getByText('Completed: Warming up').waitFor();
  await web.page.getByRole('combobox', { name: 'Level' }).selectOption({ label: 'Silver' });
  await web.page.getByText('Level: Silver').waitFor();
  await expect.poll(() => rows().count()).toBeGreaterThan(5);
  await screenshot(web.page, 'users-filtered');
  await button('Remove: XP ≤ 500').click();
  await web.page.getByText('XP ≤ 500').waitFor({ state: 'detached' });
});

browserTest('filters are saved under a name, chosen again, and forgotten', async () => {
  await go('/console/users?streakMin=1&sort=points');
  await button('Save filters').click();
  await web.page.getByLabel('Name').fill('Regulars');
  await button('Save', dialog()).click();
  await go('/console/users');
  const { total } = await web.call('GET', '/admin/v1/users?streakMin=1&limit=1');
  const saved = web.page.getByRole('combobox', { name: 'Saved filters' });
  await expect
    .poll(() => saved.locator('option').last().textContent())
    .toBe(`Regulars: ${total.toLocaleString('en')} users`);
  await saved.selectOption('Regulars');
  await web.page.getByText('Streak ≥ 1').waitFor();
  expect(web.page.url()).toContain('sort=points');
  await button('Delete “Regulars”').click();
  await button('Save filters').waitFor();
});

browserTest('columns are chosen, and the file has them and all who match', async () => {
  await go('/console/users?sort=id');
  await button('Columns').click();
  await dialog().getByLabel('Level').check();
  await dialog().getByLabel('Email').uncheck();
  await button('Close').click();
  const titles = async () => {
    const cells = await rows().first().locator('td').all();
    return Promise.all(cells.map((cell) => cell.getAttribute('data-title')));
  };
  await expect.poll(titles).toEqual(['User', 'XP', 'Level', 'Streak', 'Achievements', 'Last active']);
  const download = web.page.waitForEvent('download');
  await button('Export CSV').click();
  const text = await readFile(await (await download).path(), 'utf8');
  const lines = text.trimEnd().split('\n');
  expect(lines).toHaveLength(COUNT + 1);
  expect(lines[0]).toBe('"User","Name","Blocked","XP","Level","Streak","Achievements","Last active"');
  expect(lines[1]).toMatch(/^"user-1","[^"]*","",\d+,"[^"]*",1,\d+,"\d{4}-\d\d-\d\d"$/);
});

browserTest('axe finds nothing', async () => {
  await go('/console/users?pointsMin=1&streakMin=1');
  await web.page.getByText('Filters (2)').click();
  await expectGoodLooks(web.page, 'users');
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});
