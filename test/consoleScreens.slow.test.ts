import { Client } from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  screenshot,
  settled,
  signIn,
  type Tab,
  visit,
} from './support/consoleBrowser.ts';
import { at, DAYS, playTwoWeeks, USERS } from './support/consoleGame.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** The console in a browser, after two weeks in which five users play. */
sayIfSkipped('test/consoleScreens.slow.test.ts');
let server: TestServer;
let sql: Client;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  server = await startTestServer();
  await server.startRelay();
  await playTwoWeeks(server);
  sql = new Client({ connectionString: server.databaseUrl });
  await sql.connect();
  if (chromiumProgram === null) return;
  browser = await launchBrowser();
  tab = await openTab(browser);
  await signIn(tab, server);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await sql?.end();
  await server?.stop();
});

const one = async (query: string): Promise<string> =>
  String(Object.values((await sql.query(query)).rows[0])[0]);
const tile = (label: string) => tab.page.locator('.tile', { hasText: label }).locator('dd');

describe.skipIf(chromiumProgram === null)('in the browser', () => {
  test('the link leaves the address, and scripts cannot read the session', async () => {
    expect(tab.page.url()).toBe(`${server.url}/console`);
    const stored = await tab.page.evaluate('[sessionStorage.length, localStorage.length, document.cookie]');
    expect(stored).toEqual([0, 0, '']);
  });

  test('users are found by the start of their name', async () => {
    await visit(tab, server, '/console/users');
    expect(await tab.page.locator('tbody tr').count()).toBe(USERS.length);
    await screenshot(tab.page, 'users');
    await tab.page.getByRole('searchbox', { name: 'Search users' }).fill('Da');
    await tab.page.waitForURL('**/users?query=Da');
    await tab.page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    expect(await tab.page.locator('tbody tr').textContent()).toContain('Dana');
  });

  test('a user has totals, a streak, badges and a timeline', async () => {
    await visit(tab, server, '/console/users/ada');
    const lessons = await one(
      "select sum(change) from metric_totals_daily where user_id = 'ada' and metric = 'lessons'",
    );
    expect(await tile('Lessons completed').textContent()).toBe(lessons);
    const completed = await one("select count(*) from achievement_completions where user_id = 'ada'");
    await tab.page.locator('.badge').first().waitFor();
    expect(await tab.page.locator('.badge:not(.open)').count()).toBe(Number(completed));
    expect(await tab.page.locator('.calendar rect.kept-4').count()).toBeGreaterThan(0);
    await tab.page.locator('.timeline li').nth(20).waitFor();
    await screenshot(tab.page, 'user');
  });

  test('an event from the page changes it without a reload, and so does one from elsewhere', async () => {
    await visit(tab, server, '/console/users/bob');
    const before = Number(await tile('Lessons completed').textContent());
    await tab.page.getByRole('button', { name: 'Send event' }).click();
    await tab.page.getByText('Recorded. This changed:').waitFor();
    await tile('Lessons completed')
      .getByText(String(before + 1))
      .waitFor();
    await server.call('POST', '/v1/metrics/lessons/event', { user: { id: 'bob' }, value: 1 });
    await tile('Lessons completed')
      .getByText(String(before + 2))
      .waitFor();
  });

  test('a leaderboard shows the ranking live, and the winners of its runs', async () => {
    await visit(tab, server, '/console/leaderboards/weekly');
    const winners = await sql.query(
      `select rank::text, coalesce(name, user_id) as shown, value::text
       from leaderboard_winners as winner join users using (tenant, user_id) where leaderboard = 'weekly' order by run_start desc, rank`,
    );
    const shown = tab.page.getByRole('region', { name: 'Winners' }).locator('tbody tr');
    await shown.first().waitFor();
    const cells = (await shown.all()).map(async (row) =>
      (await row.locator('td').allTextContents()).slice(1),
    );
    expect(await Promise.all(cells)).toEqual(
      winners.rows.map(({ rank, shown: name, value }) => [rank, name, value]),
    );
    const ranking = tab.page.getByRole('region', { name: 'Ranking' });
    await ranking.getByText('Ada').waitFor();
    await server.call('POST', '/v1/metrics/lessons/event', { user: { id: 'fay', name: 'Fay' }, value: 50 });
    await ranking.locator('tbody tr').first().getByText('Fay').waitFor();
  });

  test('a user is hidden from a leaderboard, and shown again', async () => {
    await visit(tab, server, '/console/leaderboards/weekly');
    const reason = async (button: string): Promise<void> => {
      await tab.page.getByLabel('Reason').fill('A test');
      await tab.page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
    };
    const ranking = tab.page.getByRole('region', { name: 'Ranking' });
    await tab.page.getByRole('button', { name: 'Hide: fay' }).click();
    await reason('Hide');
    const fay = ranking.getByRole('link', { name: 'Fay' });
    await fay.waitFor({ state: 'detached' });
    expect(await one(`select string_agg(user_id, ',') from hidden_users`)).toBe('fay');
    await tab.page.getByRole('button', { name: 'Show again: fay' }).click();
    await reason('Show again');
    await fay.waitFor();
  });

  test('entries that were given up are tried again', async () => {
    await visit(tab, server, '/console/operations');
    await tab.page.getByText('Nothing was given up').waitFor();
    expect(await tile('Dead entries').textContent()).toBe('0');
    await sql.query('create table deliveries_of_the_test partition of webhook_deliveries default');
    await sql.query(
      `insert into webhook_deliveries (id, created_at, tenant, webhook, type, status, reason, due_at)
       values (gen_random_uuid(), $1, 1, gen_random_uuid(), 'streak.lost', 'failed', 'answered 500', $1)`,
      [at(DAYS)],
    );
    await tab.page.getByRole('button', { name: 'Try all again' }).click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Try all again' }).click();
    await tab.page.getByText('Nothing was given up').waitFor();
    expect(await one('select status from webhook_deliveries')).toBe('pending');
  });

  test('a template is previewed for a user', async () => {
    const { body } = await server.call('POST', '/admin/v1/notifications/templates', [
      {
        name: 'Hello',
        type: 'streak_reminder',
        channel: 'push',
        subject: 'Hello {{ user.name }}',
        status: 'inactive',
      },
    ]);
    await visit(tab, server, `/console/configuration/templates/${body.created[0].id}`);
    await tab.page.getByLabel('Shown for').fill('ada');
    await tab.page.getByText('Hello Ada').waitFor();
  });

  test('a file in YAML is applied after its differences were shown', async () => {
    await visit(tab, server, '/console/configuration/file');
    await tab.page.getByRole('button', { name: 'Show the configuration' }).click();
    const file = tab.page.getByRole('textbox', { name: 'Configuration' });
    await expect.poll(() => file.inputValue()).toMatch(/^attributes:\n/);
    await tab.page
      .getByRole('textbox', { name: 'Configuration' })
      .fill('metrics:\n  - { key: words, name: Words }\n');
    await tab.page.getByRole('button', { name: 'Review the change' }).click();
    const dialog = tab.page.getByRole('dialog');
    const isWords = ({ key }: { key: string }): boolean => key === 'words';
    expect(await dialog.locator('del').first().textContent()).toBe('Words learned');
    expect((await server.call('GET', '/admin/v1/config')).body.metrics.find(isWords).name).toBe(
      'Words learned',
    );
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await server.call('GET', '/admin/v1/config')).body.metrics.find(isWords).name).toBe('Words');
  });

  test('axe finds nothing on any screen, in light, dark and on a phone', async () => {
    const words = (await server.call('GET', '/admin/v1/metrics')).body.find(
      ({ key }: { key: string }) => key === 'words',
    );
    const guards = { maxValue: 100, action: 'hold' };
    await server.call('PATCH', '/admin/v1/metrics', [{ id: words.id, guards }]);
    const event = { user: { id: 'ada' }, value: 101 };
    expect((await server.call('POST', '/v1/metrics/words/event', event)).body.held).toBe(true);
    for (const [name, options] of [
      ['light', {}],
      ['dark', { colorScheme: 'dark' }],
      ['phone', { viewport: { width: 360, height: 780 } }],
    ] as const) {
      const look = await openTab(browser, options);
      await signIn(look, server);
      for (const path of SCREENS) {
        await visit(look, server, path);
        expect(await findA11yProblems(look.page), `${name} ${path}`).toEqual([]);
        const wide = await look.page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(wide, `${name} ${path}`).toBeLessThanOrEqual(0);
        await screenshot(look.page, `${name}${path.replaceAll('/', '-')}`);
      }
      expect(look.problems).toEqual([]);
      await look.page.context().close();
    }
  }, 240_000);

  test('nothing went wrong in the browser', async () => {
    await settled(tab.page);
    expect(tab.problems).toEqual([]);
  });
});

const SCREENS = [
  '/console',
  '/console/users',
  '/console/users/ada',
  '/console/held-events',
  '/console/achievements',
  '/console/achievements/first-lesson',
  '/console/streaks',
  '/console/points',
  '/console/leaderboards',
  '/console/leaderboards/weekly',
  '/console/experiment',
  '/console/test-clock',
  '/console/configuration',
  '/console/configuration/achievements',
  '/console/configuration/achievements/new',
  '/console/configuration/points/new',
  '/console/configuration/leaderboards/new',
  '/console/configuration/templates/new',
  '/console/configuration/streak',
  '/console/configuration/settings',
  '/console/configuration/file',
  '/console/configuration/history',
  '/console/operations',
  '/console/operations/deliveries',
  '/console/operations/notifications',
  '/console/operations/imports',
  '/console/operations/tenants',
  '/console/operations/keys',
  '/console/operations/sessions',
  '/console/operations/audit',
  '/console/nowhere',
];
