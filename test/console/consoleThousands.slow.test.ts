import { Client } from 'pg';
import { expect } from 'vitest';
import { settled } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import type { TestServer } from '../support/server.ts';

/** Lists and selectors of the console with 1,000 entries, or as many as a tenant may have. */
const COUNT = 1_000;
const METRICS = 500;
const ATTRIBUTES = 200;
const BATCH = 100;

async function createItems(
  server: TestServer,
  path: string,
  count: number,
  body: (i: number) => object,
): Promise<void> {
  for (let i = 0; i < count; i += BATCH) {
    const items = Array.from({ length: BATCH }, (_, k) => body(i + k));
    const reply = await server.call('POST', `/admin/v1${path}`, items);
    expect(reply.body.issues).toEqual([]);
  }
}
const named = (i: number) => ({ key: `k${i}`, name: `Number ${String(i).padStart(3, '0')}` });

/** What the API would take long to make, or keeps fewer of. */
const ROWS = [
  'create table deliveries_of_the_test partition of webhook_deliveries default',
  `insert into webhook_deliveries (id, created_at, tenant, webhook, type, status, reason, due_at)
   select gen_random_uuid(), now() - i * interval '1 s', 1,
     (select id from entities where kind = 'webhooks'), 'streak.lost', 'failed', 'answered 500', now()
   from generate_series(1, ${COUNT}) as i`,
  `insert into held_events (tenant, event_id, user_id, metric, value, attributes, happened_at, guard, held_at)
   select 1, gen_random_uuid(), 'ada', 1, i, '{}', now(), 'maxValue', date_trunc('milliseconds', now())
   from generate_series(1, ${COUNT}) as i`,
  `insert into api_keys (id, name, prefix, sha256, kind, status, created)
   select gen_random_uuid(), 'Key ' || i, 'prefix' || i, sha256(i::text::bytea), 'admin', 'revoked', now()
   from generate_series(1, ${COUNT}) as i`,
  `insert into console_sessions (id, sha256, subject, name, role, created, last_used, expires)
   select gen_random_uuid(), sha256(i::text::bytea), 'person-' || i, 'Person ' || i, 'read', now(), now(),
     now() + interval '1 day'
   from generate_series(1, ${COUNT}) as i`,
  `insert into imports (id, tenant, kind, name, state, created, finished_at)
   select gen_random_uuid(), 1, 'users', 'users-' || i || '.csv', 'done', now(), now()
   from generate_series(1, ${COUNT}) as i`,
];

const web = useConsole('test/console/consoleThousands.slow.test.ts', {
  server: { config: 'none' },
  async prepare(server) {
    await server.startRelay();
    // The versions come first: each is a copy of the configuration.
    await createItems(server, '/metrics', BATCH, named);
    const [metric] = (await server.call('GET', '/admin/v1/metrics?limit=1')).body;
    for (let i = 0; i < COUNT; i++)
      await server.call('PATCH', '/admin/v1/metrics', [{ id: metric.id, name: `Version ${i}` }]);
    await createItems(server, '/metrics', METRICS - BATCH, (i) => named(BATCH + i));
    await createItems(server, '/attributes', ATTRIBUTES, (i) => ({ ...named(i), type: 'user' }));
    await createItems(server, '/achievements', COUNT, (i) => ({
      ...named(i),
      trigger: 'api',
      status: 'active',
    }));
    await server.call('PUT', '/v1/users/ada', { name: 'Ada' });
    const hook = { name: 'Hook', url: 'https://example.com/hook', events: ['streak.lost'] };
    await server.call('POST', '/admin/v1/webhooks', [hook]);
    const sql = new Client({ connectionString: server.databaseUrl });
    await sql.connect();
    for (const query of ROWS) await sql.query(query);
    await sql.end();
  },
});
const { act, button, go, rows } = web;
const field = (label: string) => web.page.locator('main').getByLabel(label, { exact: true });

browserTest.each([
  ['Metrics', '/configuration/metrics', METRICS],
  ['Attributes', '/configuration/attributes', ATTRIBUTES],
  ['Achievements', '/configuration/achievements', COUNT],
  ['Achievements', '/achievements', COUNT],
  ['Admin keys', '/operations/keys', COUNT],
  ['Sessions', '/operations/sessions', COUNT],
])('all %s are in the list at %s', async (table, path, count) => {
  await go(`/console${path}`);
  await expect.poll(() => rows(table).count()).toBeGreaterThanOrEqual(count);
});

browserTest.each([
  ['Deliveries', '/operations/deliveries'],
  ['Imports', '/operations/imports'],
  ['Held events', '/held-events'],
])('%s at %s are shown page by page', async (table, path) => {
  await go(`/console${path}`);
  for (const shown of [50, 100, 150]) {
    await expect.poll(() => rows(table).count()).toBe(shown);
    await button('Show more').click();
  }
});

browserTest('versions and the audit log are shown page by page', async () => {
  await go('/console/configuration/history');
  const versions = web.page.locator('.versions > li');
  await expect.poll(() => versions.count()).toBe(20);
  await button('Show more').click();
  await expect.poll(() => versions.count()).toBe(40);
  await go('/console/operations/audit');
  await button('Show more').waitFor();
});

browserTest('the screens that read all items open, too', async () => {
  for (const path of ['', '/users', '/points', '/leaderboards', '/streaks', '/configuration/streak'])
    await go(`/console${path}`);
});

browserTest('selectors search among all items', async () => {
  await go('/console/configuration/leaderboards/new');
  await settled(web.page);
  await field('Name').fill('Board');
  await field('Metric').fill('Number 48');
  await expect.poll(() => web.page.getByRole('listbox').getByRole('option').count()).toBe(10);
  await web.page.getByRole('option', { name: 'Number 487' }).click();
  await field('Separate rankings by').fill('Number 17');
  await web.page.getByRole('option', { name: 'Number 177' }).click();
  await button('Remove Number 177').waitFor();

  await go('/console/configuration/achievements/new');
  await button('Add', web.page.getByRole('group', { name: 'Only users with' })).click();
  await field('Attribute').fill('Number 123');
  await web.page.getByRole('option', { name: 'Number 123' }).click();
  await expect.poll(() => field('Attribute').inputValue()).toBe('Number 123');
});

browserTest('an achievement is searched by name, to be granted', async () => {
  await go('/console/users/ada');
  await act('Grant achievement');
  await web.dialog().getByLabel('Achievement').fill('Number 54');
  await web.page.getByRole('option', { name: 'Number 543' }).click();
  await web.dialog().getByText('Grants Number 543 to Ada, completed now.').waitFor();
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});
