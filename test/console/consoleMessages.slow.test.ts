import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Locator } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { findA11yProblems, screenshot } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { parseEmail } from '../support/mailServer.ts';
import { until } from '../support/until.ts';
import { useWebhooks } from '../support/webhooks.ts';

/** Messages are written beside their preview, and webhooks are tried. */
const dataDir = mkdtempSync(join(tmpdir(), 'laurel-mail-'));
const webhooks = useWebhooks(
  { metrics: [{ key: 'lessons', name: 'Lessons' }], streak: { metrics: [{ key: 'lessons', threshold: 1 }] } },
  { env: { LAUREL_DATA_DIR: dataDir } },
);
let sql: Client;
const web = useConsole('test/console/consoleMessages.slow.test.ts', {
  server: webhooks,
  async prepare({ databaseUrl }) {
    sql = new Client({ connectionString: databaseUrl });
    await sql.connect();
    await webhooks.record({ id: 'ada', name: 'Ada' });
  },
  tab: { viewport: { width: 1440, height: 900 } },
});
const { button, dialog, go } = web;
afterAll(async () => {
  await sql?.end();
  await rm(dataDir, { recursive: true });
});

const preview = (): Locator => web.page.getByRole('complementary', { name: 'Preview' });

browserTest('an email is written beside its preview, tested and saved', async () => {
  const { page } = web;
  await go('/console/configuration/templates/new');
  await page.getByLabel('Name', { exact: true }).fill('Come back');
  await page.getByLabel('Type').selectOption('streak_reminder');
  await page.getByLabel('Subject').fill('Hello {{ user.name }}');
  await preview().getByRole('heading', { name: 'Hello Ada Lovelace' }).waitFor();
  await preview().getByLabel('Preview as').fill('ada');
  await preview().getByRole('heading', { name: 'Hello Ada', exact: true }).waitFor();
  await page.getByLabel('Body').fill('<p>Your streak: </p>');
  await preview().getByText('Variables', { exact: true }).click();
  await button('streak.length', preview()).click();
  await expect
    .poll(() => page.getByLabel('Body').inputValue())
    .toBe('<p>Your streak: </p>{{ streak.length }}');
  await page.frameLocator('iframe.preview').getByText('Your streak:').waitFor();
  await button('Phone', preview()).click();
  await expect
    .poll(async () => (await page.locator('iframe.preview').boundingBox())?.width)
    .toBeLessThanOrEqual(375);
  expect(await findA11yProblems(page)).toEqual([]);
  await screenshot(page, 'message-email');
  await preview().getByLabel('Send test to').fill('me@example.com');
  await button('Send test', preview()).click();
  await page.getByText('Test sent to me@example.com.').waitFor();
  const [file] = await readdir(join(dataDir, 'mail'));
  const email = await parseEmail(await readFile(join(dataDir, 'mail', file!)));
  expect(email).toMatchObject({ subject: 'Test: Hello Ada', to: [{ address: 'me@example.com' }] });
  await page.getByLabel('Body').fill('{{ user.nme }}');
  await preview().getByText('body names the unknown variable user.nme').waitFor();
  await page.getByLabel('Body').fill('Go on');
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  await page.waitForURL('**/configuration/templates');
  expect((await webhooks.answer('GET', '/admin/v1/notifications/templates'))[0].body).toBe('Go on');
});

browserTest('a push notification is shown as on a phone', async () => {
  await go('/console/configuration/templates/new');
  await web.page.getByLabel('Channel').selectOption('push');
  await web.page.getByLabel('Subject').fill('Well done');
  await web.page
    .getByRole('region', { name: 'Push notification' })
    .getByText('Well done', { exact: true })
    .waitFor();
  await screenshot(web.page, 'message-push');
});

browserTest(
  'a webhook shows its secret once, answers a test, and sends failed deliveries again',
  async () => {
    const { page } = web;
    await go('/console/configuration/webhooks/new');
    await page.getByLabel('Name').fill('CRM');
    await page.getByLabel('URL').fill(`${webhooks.receiver.url}/crm`);
    await page.getByLabel('streak.started').check();
    await button('Review changes').click();
    await button('Apply', dialog()).click();
    const secret = dialog().getByLabel('Signing secret').last();
    await button('Copy', dialog()).waitFor();
    await expect.poll(() => secret.inputValue()).toMatch(/^whsec_/);
    await button('Close', dialog().last()).click();
    await page.getByRole('link', { name: 'CRM' }).click();
    await button('Send test delivery').click();
    await page.getByText(/^Response 2\d\d in \d+ ms/).waitFor();
    await page.getByText('100%').waitFor();
    const [{ id }] = await webhooks.answer('GET', '/admin/v1/webhooks');
    await sql.query(`update webhook_deliveries set status = 'failed', reason = 'answered 500'`);
    await page.getByLabel('Resend failed deliveries since').fill('2026-01-01T00:00');
    expect(await findA11yProblems(page)).toEqual([]);
    await screenshot(page, 'webhook');
    await button('Resend failed').click();
    await page.getByText('1 delivery will be resent.').waitFor();
    await until(async () => (await webhooks.deliveries(id)).every(({ status }) => status === 'sent'));
    // The mistake in the template is refused.
    expect(web.tab.problems.filter((problem) => !problem.includes('422'))).toEqual([]);
  },
);

browserTest('a variant is previewed, and a template says how many users were active after each', async () => {
  const { page } = web;
  const TEMPLATES = '/admin/v1/notifications/templates';
  const [{ id }] = await webhooks.answer('GET', TEMPLATES);
  const variants = [
    { key: 'plain', share: 1 },
    { key: 'question', share: 1, subject: 'Where were you?' },
  ];
  await webhooks.answer('PATCH', TEMPLATES, [{ id, variants }]);
  const sentAt = new Date(webhooks.clock.now() - 10 * 86_400_000);
  await sql.query('create table deliveries_of_the_test partition of notification_deliveries default');
  await sql.query(
    `insert into notification_deliveries (id, created_at, day, tenant, user_id, channel, type, status, due_at,
       finished_at, attempts, template, variant)
     select gen_random_uuid(), $1, $1::timestamptz::date, 1, user_id, 'email', 'streak_reminder', 'sent', $1, $1, 1, $2, variant
     from (values ('ada', 'plain'), ('bo', 'plain'), ('cy', 'question')) as row (user_id, variant)`,
    [sentAt, id],
  );
  await sql.query(
    `insert into user_activity (tenant, user_id, metric, first_day, days)
     values (1, 'bo', 0, $1::timestamptz::date - date '1970-01-01' + 1, B'1')`,
    [sentAt],
  );
  await go(`/console/configuration/templates/${id}`);
  await preview().getByRole('heading', { name: 'Hello Ada Lovelace' }).waitFor();
  await preview().getByLabel('Variant').selectOption('question');
  await preview().getByRole('heading', { name: 'Where were you?' }).waitFor();
  const rows = page.getByRole('region', { name: 'Variants' }).locator('tbody tr');
  const shown = async (row: number) => (await rows.nth(row).locator('td').allTextContents()).slice(0, 5);
  await expect.poll(() => shown(0)).toEqual(['plain', '2', '0', '2', '50%']);
  expect(await shown(1)).toEqual(['question', '1', '0', '1', '0%']);
  await page.getByLabel('Active within').selectOption('14 days');
  await expect.poll(() => shown(0)).toEqual(['plain', '2', '0', '0', '–']);
  expect(await findA11yProblems(page)).toEqual([]);
  await screenshot(page, 'message-variants');
  await go('/console/users/ada');
  await page.getByText('Come back (plain)').waitFor();
});
