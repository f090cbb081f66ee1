import { Client } from 'pg';
import type { Locator } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { loseAnswers } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { item, items, perLesson, xp } from '../support/items.ts';
import { until } from '../support/until.ts';
import { useWebhooks } from '../support/webhooks.ts';

/** What administrators do in the console, with a worker that carries it out. */
const CONFIG = {
  metrics: items('lessons'),
  streak: { metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [
    { key: 'first', name: 'First lesson', trigger: 'metric', metric: 'lessons', metricValue: 1 },
    { key: 'ten', name: 'Ten lessons', trigger: 'metric', metric: 'lessons', metricValue: 10 },
  ],
  points: [
    xp([perLesson(10)]),
    {
      key: 'coins',
      name: 'Coins',
      levels: [item('silver', { points: 10 }), item('gold', { points: 40 })],
      triggers: [{ type: 'achievement', achievement: 'ten', points: 50 }],
    },
  ],
  leaderboards: [{ key: 'all', name: 'All time', rankBy: 'metric', metric: 'lessons' }],
};
const webhooks = useWebhooks(CONFIG);
let sql: Client;
const web = useConsole('test/console/consoleActions.slow.test.ts', {
  server: webhooks,
  async prepare({ databaseUrl }) {
    sql = new Client({ connectionString: databaseUrl });
    await sql.connect();
  },
});
afterAll(() => sql?.end());
const { act, button, dialog, go, rows, tile } = web;

const one = async (query: string): Promise<string> =>
  String(Object.values((await sql.query(query)).rows[0])[0]);
/** Chooses in a field of the dialog that is searched by name. */
async function choose(label: string, name: string): Promise<void> {
  await dialog().getByLabel(label).fill(name);
  await web.page.getByRole('option', { name }).first().click();
}
const timeline = (text: string | RegExp): Locator => web.page.locator('.timeline').getByText(text).first();

browserTest(
  'points are adjusted, an achievement is revoked and a user is hidden, each with a reason',
  async () => {
    await webhooks.record('ada', 2);
    await go('/console/users/ada');
    await timeline('Completed').waitFor();

    await button('Adjust points').click();
    await choose('System', 'XP');
    await dialog().getByLabel('Amount').fill('-5');
    await dialog().getByLabel('Reason').fill('Counted twice');
    await button('Adjust points', dialog()).click();
    await timeline('Counted twice').waitFor();
    await tile('XP').getByText('15', { exact: true }).waitFor();
    await expect
      .poll(() => one(`select sum(change)::int from points_totals_daily where user_id = 'ada'`))
      .toBe('15');

    await act('Revoke achievement');
    await choose('Achievement', 'First lesson');
    await dialog().getByLabel('Reason').fill('A mistake');
    await button('Revoke achievement', dialog()).click();
    await timeline('A mistake').waitFor();
    await web.page.locator('.badge.open', { hasText: 'First lesson' }).waitFor();

    await act('Hide from leaderboard');
    await choose('Leaderboard', 'All time');
    await dialog().getByLabel('Reason').fill('A bot');
    await button('Hide from leaderboard', dialog()).click();
    await timeline('A bot').waitFor();
    await expect.poll(() => one(`select string_agg(user_id, ',') from hidden_users`)).toBe('ada');
  },
);

browserTest('points whose answer was lost are not adjusted a second time', async () => {
  await webhooks.record({ id: 'lia', name: 'Lia' }, 2);
  await go('/console/users/lia');
  await button('Adjust points').click();
  await choose('System', 'XP');
  await dialog().getByLabel('Amount').fill('7');
  await dialog().getByLabel('Reason').fill('A present');
  await loseAnswers(web.tab, /adjustments$/);
  await button('Adjust points', dialog()).click();
  await dialog().getByRole('alert').getByText('Can’t reach laurel.').waitFor();
  await web.page.unrouteAll({ behavior: 'wait' });
  await button('Adjust points', dialog()).click();
  await dialog().waitFor({ state: 'detached' });
  const { total, awards } = await web.call('GET', '/v1/users/lia/points/xp?awards=5');
  expect(awards.filter(({ awarded }: { awarded: number }) => awarded === 7)).toHaveLength(1);
  const award = web.page.locator('.timeline-rows > li').filter({ hasText: 'A present' });
  await button('Take back', award).click();
  await dialog().getByLabel('Reason').fill('A mistake');
  await button('Take back', dialog()).click();
  await dialog().waitFor({ state: 'detached' });
  const after = await web.call('GET', '/v1/users/lia/points/xp');
  expect(after.total).toBe(total - 7);
  // The answer that the test has lost.
  expect(web.tab.problems.splice(0)).toEqual([expect.stringContaining('adjustments')]);
});

browserTest(
  'an achievement is revoked and granted again, and points adjusted, each after its effect was said',
  async () => {
    await webhooks.record({ id: 'gus', name: 'Gus' }, 10);
    await go('/console/users/gus');
    await tile('Coins').getByText(/^50/).waitFor();

    await act('Revoke achievement');
    await choose('Achievement', 'Ten lessons');
    await dialog().getByText('Gus loses Ten lessons.').waitFor();
    await dialog().getByText('The 50 Coins that it awarded are kept.').waitFor();
    await dialog().getByLabel('Reason').fill('The wrong user');
    await button('Revoke achievement', dialog()).click();
    await timeline('The wrong user').waitFor();

    await button('Adjust points').click();
    await choose('System', 'Coins');
    await dialog().getByLabel('Amount').fill('-30');
    await dialog()
      .getByText('Gus goes from 50 to 20 Coins and falls from Gold to Silver. To reverse it, adjust by 30.')
      .waitFor();
    await dialog().getByLabel('Reason').fill('Counted twice');
    await button('Adjust points', dialog()).click();
    await tile('Coins').getByText(/^20/).waitFor();

    await act('Grant achievement');
    await choose('Achievement', 'Ten lessons');
    await dialog().getByText('Grants Ten lessons to Gus, completed now.').waitFor();
    await dialog()
      .getByText(
        'Its points trigger gives 50 Coins. Gus goes from 20 to 70 Coins and rises from Silver to Gold.',
      )
      .waitFor();
    await dialog().getByLabel('Reason').fill('It was the right user');
    await button('Grant achievement', dialog()).click();
    await timeline(/^Granted an achievement Ten lessons: It was the right user/).waitFor();
    await tile('Coins').getByText(/^70/).waitFor();
  },
);

browserTest('a webhook is tested, and a delivery is sent again with its attempts shown', async () => {
  const { id } = await webhooks.createWebhook('/hook', ['achievement.completed']);
  await webhooks.record('bob');
  await webhooks.settled(id, 1);
  await go(`/console/operations/deliveries?webhook=${id}`);
  const deliveries = rows('Deliveries');
  await expect.poll(() => deliveries.count()).toBe(1);
  await button('Resend', deliveries.first()).click();
  await until(() => webhooks.receiver.of('/hook').length === 2);
  const ids = webhooks.receiver.of('/hook').map(({ headers }) => headers['webhook-id']);
  expect(ids[1]).toBe(ids[0]);
  await button('achievement.completed', deliveries.first()).click();
  await dialog().getByText('Response: 200').waitFor();
  await button('Close', dialog()).click();
  await button('Send test delivery').click();
  const sent = `select count(*) from webhook_deliveries where webhook = '${id}' and status = 'sent'`;
  await until(async () => (await one(sent)) === '2');
  await expect.poll(() => deliveries.getByText('sent', { exact: true }).count()).toBe(2);
});

browserTest('an entry that was given up is stored when it is tried again', async () => {
  const redis = connectRedis(webhooks.redisUrl, createLog('test', 'silent'));
  await whenReady(redis);
  await webhooks.restartWorker(async () => {
    await webhooks.record('dora');
    const outboxes = allCells({
      count: Number(await one(`select value from installation where name = 'cells'`)),
      spread: 1,
    }).map(keys.outbox);
    const entries = await Promise.all(outboxes.map((outbox) => redis.xrangeBuffer(outbox, '-', '+')));
    const cell = entries.findIndex((list) => list.length > 0);
    const [[id, fields]] = entries[cell] as [[Buffer, Buffer[]]];
    await redis.xdel(outboxes[cell]!, id);
    await sql.query(
      `insert into dead_entries (tenant, cell, entry_id, reason, fields, died_at)
       values (1, $1, $2, 'nobody knows', $3, now())`,
      [cell, String(id), fields],
    );
  });
  redis.disconnect();
  expect(await one(`select count(*) from event_history where user_id = 'dora'`)).toBe('0');
  await go('/console/operations');
  await web.page.getByText('nobody knows').waitFor();
  await tile('Dead entries').getByText('1', { exact: true }).waitFor();
  await button('Retry all').click();
  await button('Retry all', dialog()).click();
  await web.page.getByText('No dead entries').waitFor();
  await until(async () => (await one(`select count(*) from event_history where user_id = 'dora'`)) === '1');
  await expect.poll(() => one('select count(*) from dead_entries')).toBe('0');
});

browserTest('notifications are counted by outcome, and drawn by type and day', async () => {
  const body = ['achievement_completed', 'recap'].map((type) => ({
    name: type,
    type,
    channel: 'email',
    subject: 'Hello',
    body: 'Hello',
    status: 'active',
  }));
  await webhooks.answer('POST', '/admin/v1/notifications/templates', body);
  for (const id of ['eve', 'fay']) await webhooks.record(id);
  const suppressed = `select count(*) from notification_deliveries where status = 'suppressed'`;
  // Notifications of completions are due at an hour of the user.
  await webhooks.moveTo('2026-03-05T12:07:00Z');
  const waiting = `select count(*) from notification_deliveries where status = 'pending' or user_id in ('eve', 'fay')`;
  await until(
    async () =>
      (await one(`${suppressed} and user_id in ('eve', 'fay')`)) === '2' && (await one(waiting)) === '2',
  );
  await go('/console/operations/notifications?outcome=suppressed');
  await tile('Suppressed')
    .getByText(await one(suppressed), { exact: true })
    .waitFor();
  await tile('Sent').getByText('0', { exact: true }).waitFor();
  await web.page.locator('summary', { hasText: 'Values' }).click();
  const table = web.page.getByRole('region', { name: 'Notifications by type: suppressed' });
  const days = await sql.query(
    `select to_char(due_at at time zone 'UTC', 'FMDD Mon YYYY') as day, count(*)::text as count
     from notification_deliveries where status = 'suppressed' group by 1`,
  );
  for (const { day, count } of days.rows) {
    const row = table.locator('tbody tr', { hasText: day });
    await expect.poll(() => row.locator('td').allTextContents()).toEqual([day, count]);
  }
});

browserTest('a version of the configuration is in force again after its difference was shown', async () => {
  const version = Number(await one('select version from tenants where no = 1'));
  const metric = (await webhooks.answer('GET', '/admin/v1/metrics'))[0];
  await webhooks.answer('PATCH', '/admin/v1/metrics', [{ id: metric.id, name: 'Classes' }]);
  await go('/console/configuration/history');
  const item = web.page.locator('.versions > li', { hasText: `Version ${version + 1}` });
  await item.getByText('current').waitFor();
  await item.getByText(`Version ${version + 1}`).click();
  await item.getByText('Changed metric').click();
  await expect.poll(() => item.locator('del').allTextContents()).toEqual(['Lessons']);
  await expect.poll(() => item.locator('ins').allTextContents()).toEqual(['Classes']);

  await button(`Restore version ${version}`).click();
  await dialog().waitFor();
  await expect.poll(() => dialog().locator('del').allTextContents()).toEqual(['Classes']);
  await expect.poll(() => dialog().locator('ins').allTextContents()).toEqual(['Lessons']);
  expect((await webhooks.answer('GET', '/admin/v1/metrics'))[0].name).toBe('Classes');
  await button('Apply', dialog()).click();
  await web.page
    .locator('.versions > li', { hasText: `Version ${version + 2}` })
    .getByText('current')
    .waitFor();
  expect((await webhooks.answer('GET', '/admin/v1/metrics'))[0].name).toBe('Lessons');
  expect((await webhooks.answer('GET', '/admin/v1/webhooks')).length).toBe(1);
});

browserTest('a key is created with a role, replaced and revoked', async () => {
  await go('/console/operations/keys');
  await web.page.getByLabel('Name').fill('Reporting');
  await web.page.getByLabel('Role').selectOption('read');
  await button('Create key').click();
  const shownKey = async (): Promise<string> => {
    const shown = await dialog().getByLabel('New admin key').inputValue();
    await web.page.keyboard.press('Escape');
    return shown;
  };
  let key = await shownKey();
  const read = async (): Promise<number> =>
    (await webhooks.call('GET', '/admin/v1/settings', undefined, { 'X-API-KEY': key })).status;
  const write = { 'X-API-KEY': key };
  expect(await read()).toBe(200);
  expect((await webhooks.call('PATCH', '/admin/v1/settings', {}, write)).status).toBe(403);
  const active = web.page.locator('tbody tr', { hasText: 'Reporting' }).filter({ hasText: 'active' });
  await button('Rotate', active).click();
  await button('Rotate', dialog()).click();
  await dialog().getByLabel('New admin key').waitFor();
  await until(async () => (await read()) === 401);
  key = await shownKey();
  expect(await read()).toBe(200);
  const row = web.page.locator('tbody tr', { hasText: key.slice(0, 8) });
  await button('Revoke', row).click();
  await button('Revoke', dialog()).click();
  await row.getByText('revoked').waitFor();
  await until(async () => (await read()) === 401);
});

browserTest('a call that takes long is not made again before it is answered', async () => {
  const asked: string[] = [];
  const others: string[] = [];
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await web.page.route('**/admin/v1/analytics/metrics*', async (route) => {
    asked.push(route.request().url());
    await held;
    await route.continue();
  });
  await web.page.route('**/admin/v1/analytics/activity*', async (route) => {
    others.push(route.request().url());
    await route.continue();
  });
  await web.page.goto(`${webhooks.url}/console`);
  await until(() => others.filter((url) => url === others.at(-1)).length >= 3);
  expect(asked).not.toEqual([]);
  expect(new Set(asked).size).toBe(asked.length);
  answer();
  await tile('Events')
    .getByText(await one('select count(*) from event_history'))
    .waitFor();
  await web.page.unrouteAll({ behavior: 'wait' });
});

browserTest('tenants are created and switched, each with users of its own', async () => {
  const users = await one('select count(*) from users');
  // Reads of an open screen would be refused once there are tenants.
  await web.page.goto('about:blank');
  await webhooks.answer('PATCH', '/admin/v1/settings', { multiTenancy: true, adoptAs: 'home' });
  await go('/console/users');
  await web.page.getByRole('heading', { name: 'Choose a tenant' }).waitFor();
  const menu = web.page.getByLabel('Tenant', { exact: true });
  await menu.selectOption('home');
  await go('/console/operations/tenants');
  await web.page.getByLabel('Customer ID').fill('acme');
  await web.page.getByLabel('Name').fill('Acme Inc.');
  await button('Create tenant').click();
  const row = rows('Tenants').filter({ hasText: 'acme' });
  await row.waitFor();
  expect(await one(`select name from tenants where customer_id = 'acme'`)).toBe('Acme Inc.');
  await button('Show', row).click();
  await expect.poll(() => menu.inputValue()).toBe('acme');
  await go('/console/users');
  await web.page.getByText('No users yet').waitFor();
  await menu.selectOption('home');
  await expect.poll(() => web.page.locator('tbody tr').count()).toBe(Number(users));
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});
