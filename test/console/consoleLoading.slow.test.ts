import { expect } from 'vitest';
import { settled } from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';

/** What the console shows while answers are on their way, and what it keeps of what is typed meanwhile. */
const web = useConsole('test/console/consoleLoading.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    await server.call('POST', '/v1/metrics/lessons/event', { user: { id: 'ada', name: 'Ada' }, value: 1 });
    await server.relayed();
  },
});
const { button, call, dialog, go, heading, holdBack, rows } = web;

const loading = () => web.page.locator('main').getByText('Loading…').first();
const link = (name: string) => web.page.getByRole('link', { name, exact: true });

browserTest.each([
  ['Users', '/console/users', /\/points\?/, 'Ada'],
  ['weekly', '/console/leaderboards/weekly', /\/v1\/leaderboards\?/, 'Ada'],
  ['Test clock', '/console/test-clock', /\/admin\/v1\/status/, '1 day'],
  ['Ada', '/console/users/ada', /\/users\/ada\/metrics/, 'Lessons completed'],
])('%s is loading until everything is read that the screen depends on', async (title, path, reads, shown) => {
  const release = await holdBack(reads);
  await web.page.goto(web.server.url + path);
  await heading(title).waitFor();
  await loading().waitFor();
  expect(await button(shown).count()).toBe(0);
  await release();
  await web.page.locator('main').getByText(shown, { exact: true }).first().waitFor();
  await settled(web.page);
});

browserTest('analytics stay on the screen when the day of the service is known', async () => {
  const asked: string[] = [];
  const onRequest = (request: { url(): string }): void => {
    if (request.url().includes('/analytics/achievements')) asked.push(request.url());
  };
  const release = await holdBack(/\/analytics\/activity$/);
  web.page.on('request', onRequest);
  await web.page.goto(`${web.server.url}/console/achievements`);
  await rows('Achievements').first().waitFor();
  const answered = web.page.waitForResponse(/\/analytics\/activity$/);
  await release();
  await answered;
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  web.page.off('request', onRequest);
  expect(new Set(asked).size).toBe(1);
});

browserTest('a form begins with what is stored, not with what an earlier screen showed', async () => {
  const { created } = await call('POST', '/admin/v1/metrics', [{ key: 'laps', name: 'Laps' }]);
  await go('/console/configuration/metrics');
  await link('Laps').click();
  const name = web.page.getByRole('textbox', { name: 'Name' });
  await expect.poll(() => name.inputValue()).toBe('Laps');
  await link('Metrics').click();
  await heading('Metrics').waitFor();
  await call('PATCH', '/admin/v1/metrics', [{ id: created[0].id, name: 'Rounds' }]);
  const release = await holdBack(new RegExp(`/metrics/${created[0].id}$`));
  await web.page.locator(`a[href$="${created[0].id}"]`).click();
  await loading().waitFor();
  expect(await name.count()).toBe(0);
  await release();
  await expect.poll(() => name.inputValue()).toBe('Rounds');
});

browserTest('after a change, the question is open until the form has what is stored', async () => {
  await go('/console/configuration/streak');
  const group = web.page.getByRole('group', { name: 'Days off' });
  await group.getByLabel('Sunday').check();
  await button('Review changes').click();
  const release = await holdBack(/\/streaks\/settings$/);
  const patched = web.page.waitForResponse((response) => response.request().method() === 'PATCH');
  await button('Apply', dialog()).click();
  await patched;
  await button('Applying…', dialog()).waitFor();
  await release();
  await dialog().waitFor({ state: 'detached' });
  await group.getByLabel('Saturday').check();
  await expect.poll(() => group.getByLabel('Sunday').isChecked()).toBe(true);
  await group.getByLabel('Saturday').uncheck();
  await link('Users').click();
  await heading('Users').waitFor();
});

browserTest('input is asked about even if the next keys follow at once', async () => {
  await go('/console/configuration/metrics/new');
  await web.page.getByLabel(/^Name/).waitFor();
  await web.page.evaluate(`(async () => {
    const field = document.querySelector('main input[name=name]');
    field.value = 'Unsaved';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
    for (const key of ['g', 's'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  })()`);
  await web.page.getByText('Your changes are not saved.').waitFor();
  await button('Leave', dialog()).click();
  await heading('Streaks').waitFor();
});

browserTest('a search keeps what is typed, and other filters', async () => {
  await go('/console/users');
  const search = web.page.getByRole('searchbox', { name: 'Search users' });
  await search.fill('Ad ');
  await web.page.waitForURL('**/users?query=Ad');
  await expect.poll(() => rows('Users').count()).toBe(1);
  expect(await search.inputValue()).toBe('Ad ');
  await search.fill('Ada');
  await web.page.evaluate(`(() => {
    const field = document.querySelector('#filter-streakMin');
    field.value = '1';
    field.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await web.page.waitForURL((url) => url.search.includes('query=Ada') && url.search.includes('streakMin=1'));
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});

browserTest('a screen whose code is away says so, and is there after a reload', async () => {
  const { page, tab } = web;
  const code = /\/console\/assets\/Streaks-.*\.js$/;
  await page.route(code, (route) => route.abort());
  await go('/console');
  await page.getByRole('navigation').getByRole('link', { name: 'Streaks' }).click();
  await page.getByRole('heading', { level: 1, name: 'This screen was not loaded' }).waitFor();
  await expectGoodLook(page, 'not-loaded');
  await page.unroute(code);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { level: 1, name: 'Streaks' }).waitFor();
  tab.problems.splice(0);
});
