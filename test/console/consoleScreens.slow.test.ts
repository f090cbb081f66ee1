import { Client } from 'pg';
import { afterAll, expect } from 'vitest';
import { screenshot, settled } from '../support/consoleBrowser.ts';
import { at, DAYS, playTwoWeeks, USERS } from '../support/consoleGame.ts';
import { SCREENS } from '../support/consolePaths.ts';
import { browserTest, expectGoodLooks, useConsole } from '../support/consoleTests.ts';
import type { Json } from '../support/reading.ts';
import type { TestServer } from '../support/server.ts';

/** The console in a browser, after two weeks in which five users play. */
let sql: Client;
const web = useConsole('test/console/consoleScreens.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    await playTwoWeeks(server);
    await holdAnEvent(server);
    sql = new Client({ connectionString: server.databaseUrl });
    await sql.connect();
  },
});
afterAll(() => sql?.end());
const { button, dialog, go, rows, tile } = web;

/** An event that waits for a decision. */
async function holdAnEvent({ call }: TestServer): Promise<void> {
  const metrics: Json[] = (await call('GET', '/admin/v1/metrics')).body;
  const { id } = metrics.find(({ key }) => key === 'words');
  await call('PATCH', '/admin/v1/metrics', [{ id, guards: { maxValue: 100, action: 'hold' } }]);
  const event = { user: { id: 'ada' }, value: 101 };
  expect((await call('POST', '/v1/metrics/words/event', event)).body.held).toBe(true);
}

const one = async (query: string): Promise<string> =>
  String(Object.values((await sql.query(query)).rows[0])[0]);

browserTest('the link leaves the address, and scripts cannot read the session', async () => {
  expect(web.page.url()).toBe(`${web.server.url}/console`);
  const stored = await web.page.evaluate('[sessionStorage.length, localStorage.length, document.cookie]');
  expect(stored).toEqual([0, 0, '']);
});

browserTest('users are found by the start of their name', async () => {
  await go('/console/users');
  await expect.poll(() => rows('Users').count()).toBe(USERS.length);
  await screenshot(web.page, 'users');
  await web.page.getByRole('searchbox', { name: 'Search users' }).fill('Da');
  await web.page.waitForURL('**/users?query=Da');
  await expect.poll(() => rows('Users').allTextContents()).toEqual([expect.stringContaining('Dana')]);
});

browserTest('a user has totals, a streak, badges and a timeline', async () => {
  await go('/console/users/ada');
  const lessons = await one(
    "select sum(change) from metric_totals_daily where user_id = 'ada' and metric = 'lessons'",
  );
  await expect.poll(() => tile('Lessons completed').textContent()).toBe(lessons);
  const completed = await one("select count(*) from achievement_completions where user_id = 'ada'");
  await expect.poll(() => web.page.locator('.badge:not(.open)').count()).toBe(Number(completed));
  await web.page.locator('.calendar rect[style*="streak-4"]').first().waitFor();
  await web.page.locator('.timeline li').nth(20).waitFor();
  await screenshot(web.page, 'user');
});

browserTest(
  'an event from the page changes it without a reload, and so does one from elsewhere',
  async () => {
    await go('/console/users/bob');
    const before = Number(await tile('Lessons completed').textContent());
    await web.page.getByRole('button', { name: 'Send event' }).click();
    await web.page.getByText('Event recorded. Changes:').waitFor();
    await tile('Lessons completed')
      .getByText(String(before + 1))
      .waitFor();
    await web.server.call('POST', '/v1/metrics/lessons/event', { user: { id: 'bob' }, value: 1 });
    await tile('Lessons completed')
      .getByText(String(before + 2))
      .waitFor();
  },
);

browserTest('a leaderboard shows the ranking live, and the winners of its runs', async () => {
  await go('/console/leaderboards/weekly');
  const winners = await sql.query(
    `select rank::text, coalesce(name, user_id) as shown, value::text
     from leaderboard_winners as winner join users using (tenant, user_id) where leaderboard = 'weekly' order by run_start desc, rank`,
  );
  const shown = async () =>
    Promise.all(
      (await rows('Winners').all()).map(async (row) => (await row.locator('td').allTextContents()).slice(1)),
    );
  await expect.poll(shown).toEqual(winners.rows.map(({ rank, shown: name, value }) => [rank, name, value]));
  const ranking = web.page.getByRole('region', { name: 'Ranking' });
  await ranking.getByText('Ada').waitFor();
  await web.server.call('POST', '/v1/metrics/lessons/event', { user: { id: 'fay', name: 'Fay' }, value: 50 });
  await ranking.locator('tbody tr').first().getByText('Fay').waitFor();
});

browserTest('a user is hidden from a leaderboard, and shown again', async () => {
  await go('/console/leaderboards/weekly');
  const reason = async (submit: string): Promise<void> => {
    await web.page.getByLabel('Reason').fill('A test');
    await button(submit, dialog()).click();
  };
  const ranking = web.page.getByRole('region', { name: 'Ranking' });
  await web.page.getByRole('button', { name: 'Hide: fay' }).click();
  await reason('Hide');
  const fay = ranking.getByRole('link', { name: 'Fay' });
  await fay.waitFor({ state: 'detached' });
  // The ranking is live: it may show the change before the call is over.
  await expect.poll(() => one(`select string_agg(user_id, ',') from hidden_users`)).toBe('fay');
  await web.page.getByRole('button', { name: 'Show again: fay' }).click();
  await reason('Show again');
  await fay.waitFor();
});

browserTest('entries that were given up are tried again', async () => {
  await go('/console/operations');
  await web.page.getByText('No dead entries').waitFor();
  await tile('Dead entries').getByText('0', { exact: true }).waitFor();
  await sql.query('create table deliveries_of_the_test partition of webhook_deliveries default');
  await sql.query(
    `insert into webhook_deliveries (id, created_at, tenant, webhook, type, status, reason, due_at)
     values (gen_random_uuid(), $1, 1, gen_random_uuid(), 'streak.lost', 'failed', 'answered 500', $1)`,
    [at(DAYS)],
  );
  await button('Retry all').click();
  await button('Retry all', dialog()).click();
  await web.page.getByText('No dead entries').waitFor();
  await expect.poll(() => one('select status from webhook_deliveries')).toBe('pending');
});

browserTest('a template is previewed for a user', async () => {
  const { body } = await web.server.call('POST', '/admin/v1/notifications/templates', [
    {
      name: 'Hello',
      type: 'streak_reminder',
      channel: 'push',
      subject: 'Hello {{ user.name }}',
      status: 'inactive',
    },
  ]);
  await go(`/console/configuration/templates/${body.created[0].id}`);
  await web.page.getByLabel('Preview as').fill('ada');
  await web.page.getByText('Hello Ada').waitFor();
});

browserTest('a file in YAML is applied after its differences were shown', async () => {
  await go('/console/configuration/file');
  await web.page.getByRole('button', { name: 'Load current configuration' }).click();
  const file = web.page.getByRole('textbox', { name: 'Configuration' });
  await expect.poll(() => file.inputValue()).toMatch(/^attributes:\n/);
  await web.page
    .getByRole('textbox', { name: 'Configuration' })
    .fill('metrics:\n  - { key: words, name: Words }\n');
  await web.page.getByRole('button', { name: 'Review changes' }).click();
  const isWords = ({ key }: { key: string }): boolean => key === 'words';
  expect(await dialog().locator('del').first().textContent()).toBe('Words learned');
  expect((await web.server.call('GET', '/admin/v1/config')).body.metrics.find(isWords).name).toBe(
    'Words learned',
  );
  await button('Apply', dialog()).click();
  await dialog().waitFor({ state: 'detached' });
  expect((await web.server.call('GET', '/admin/v1/config')).body.metrics.find(isWords).name).toBe('Words');
});

browserTest(
  'axe finds nothing on any screen',
  async () => {
    for (const path of SCREENS) {
      await go(path);
      await expectGoodLooks(web.page, path.slice(1).replaceAll('/', '-'));
    }
  },
  600_000,
);

browserTest('nothing went wrong in the browser', async () => {
  await settled(web.page);
  expect(web.tab.problems).toEqual([]);
});
