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
