import { expect } from 'vitest';
import { browserTest, useConsole } from '../support/consoleTests.ts';

/** Forms and warnings of the console, used as a person does it. */
const web = useConsole('test/console/consoleForms.slow.test.ts', {
  tab: { permissions: ['clipboard-read', 'clipboard-write'] },
});
const { button, call, dialog, go, heading, rows } = web;

/** Reviews the form on the screen, and applies it. */
async function apply(): Promise<void> {
  await button('Review changes').click();
  await button('Apply', dialog()).click();
}

browserTest('while no worker answers, screens say how far the history is behind', async () => {
  const [metric] = await call('GET', '/admin/v1/metrics?limit=100');
  await call('POST', `/v1/metrics/${metric.key}/event`, { user: { id: 'ada' }, value: 1 });
  const { now } = await call('GET', '/admin/v1/test-clock');
  await call('POST', '/admin/v1/test-clock', { now: new Date(Date.parse(now) + 26_000).toISOString() });
  await web.page.goto(`${web.server.url}/console/users/ada`);
  await web.page.getByText(/^The history is 2\d seconds behind; no worker answers\./).waitFor();
  await web.server.startRelay();
  await web.page.getByText('no worker answers').waitFor({ state: 'detached' });
  web.tab.problems.length = 0;
});

browserTest('analytics that cannot be read again say how old they are', async () => {
  await go('/console');
  await web.page.route('**/admin/v1/analytics/activity*', (route) =>
    route.fulfill({ status: 503, json: { error: 'Not now' } }),
  );
  await web.page
    .getByText(/Not now Last updated \d+ s ago\./)
    .first()
    .waitFor();
  await web.page.unrouteAll({ behavior: 'wait' });
  web.tab.problems.length = 0;
});

browserTest('a points system is made with a name alone, and gets a badge and loses it later', async () => {
  await go('/console/configuration/points/new');
  await web.page.getByLabel('Name').fill('Coins');
  await apply();
  await heading('Coins').waitFor();
  const stored = async () =>
    (await call('GET', '/admin/v1/points?limit=100')).find(
      (system: { key: string }) => system.key === 'coins',
    );
  expect((await stored()).badge).toBeNull();
  await web.page.getByLabel('URL').fill('https://example.com/coin.png');
  await apply();
  await expect.poll(async () => (await stored()).badge).toEqual({ url: 'https://example.com/coin.png' });
  await dialog().waitFor({ state: 'detached' });
  await web.page.getByLabel('URL').fill('');
  await apply();
  await expect.poll(async () => (await stored()).badge).toBeNull();
});

browserTest('guards of a metric are filled in, shown again and removed', async () => {
  await go('/console/configuration/metrics/new');
  await web.page.getByLabel('Name').fill('Laps');
  await web.page.getByLabel('Cooldown, in seconds').fill('20');
  await button('Add').click();
  await web.page.getByLabel('Per').selectOption('day');
  await web.page.getByLabel('Value', { exact: true }).fill('100');
  await apply();
  await heading('Metrics').waitFor();
  const stored = async () =>
    (await call('GET', '/admin/v1/metrics?limit=100')).find(
      (metric: { key: string }) => metric.key === 'laps',
    ).guards;
  expect(await stored()).toEqual({
    cooldownSeconds: 20,
    limits: [{ per: 'day', value: 100 }],
    action: 'refuse',
  });
  await web.page.getByRole('link', { name: 'Laps' }).click();
  await button('Remove Limits 1').click();
  await web.page.getByLabel('Maximum value').fill('5');
  await apply();
  await expect.poll(stored).toEqual({ maxValue: 5, cooldownSeconds: 20, limits: [], action: 'refuse' });
});

browserTest('days off of the streak are checkboxes of weekdays', async () => {
  const daysOff = async () => (await call('GET', '/admin/v1/streaks/settings')).daysOff;
  const group = web.page.getByRole('group', { name: 'Days off' });
  await go('/console/configuration/streak');
  for (const day of ['Sunday', 'Saturday']) await group.getByLabel(day).check();
  await apply();
  await expect.poll(daysOff).toEqual([0, 6]);
  await dialog().waitFor({ state: 'detached' });
  await group.getByLabel('Sunday').uncheck();
  await apply();
  await expect.poll(daysOff).toEqual([6]);
  await dialog().waitFor({ state: 'detached' });
  await expect.poll(() => group.getByLabel('Saturday').isChecked()).toBe(true);
});

browserTest('the preview of a template shows the email, whose scripts do not run', async () => {
  const { created } = await call('POST', '/admin/v1/notifications/templates', [
    {
      name: 'Hello',
      type: 'recap',
      channel: 'email',
      subject: 'Your week',
      body: '<p id="text">Well done</p><script>document.title = "ran"</script>',
    },
  ]);
  await go(`/console/configuration/templates/${created[0].id}`);
  const email = web.page.frameLocator('iframe[title="Email"]');
  await email.getByText('Well done').waitFor();
  expect(await web.page.frames()[1]!.title()).not.toBe('ran');
});

browserTest('the secret of a webhook is shown once when it is made, and when it is replaced', async () => {
  await go('/console/configuration/webhooks/new');
  await web.page.getByLabel('Name').fill('Backend');
  await web.page.getByLabel('URL').fill('https://example.com/hook');
  await web.page.getByLabel('achievement.completed').check();
  await apply();
  const secret = dialog().getByLabel('Signing secret');
  await expect.poll(() => secret.inputValue()).toMatch(/^whsec_/);
  const first = await secret.inputValue();
  await button('Copy', dialog()).click();
  await web.page.getByText('Copied.').waitFor();
  expect(await web.page.evaluate('navigator.clipboard.readText()')).toBe(first);
  await button('Close', dialog()).click();
  await heading('Webhooks').waitFor();
  await web.page.getByRole('link', { name: 'Backend' }).click();
  await button('Rotate secret').click();
  await button('Rotate secret', dialog()).click();
  await expect.poll(() => secret.inputValue()).toMatch(/^whsec_/);
  expect(await secret.inputValue()).not.toBe(first);
  await button('Close', dialog()).click();
});

browserTest('a leaderboard with attributes offers its groups and shows the one that is chosen', async () => {
  const metrics = await call('GET', '/admin/v1/metrics?limit=100');
  const attributes = await call('GET', '/admin/v1/attributes?limit=100');
  const { key } = attributes.find(({ type }: { type: string }) => type === 'user');
  const { id: attribute } = attributes.find((one: { key: string }) => one.key === key);
  const { issues } = await call('POST', '/admin/v1/leaderboards', [
    {
      key: 'groups',
      name: 'Groups',
      rankBy: 'metric',
      metricId: metrics[0].id,
      breakdownAttributes: [attribute],
      start: '2026-03-01',
      status: 'active',
    },
  ]);
  expect(issues).toEqual([]);
  for (const [id, value] of [
    ['ada', 'berlin'],
    ['bob', 'new, york'],
  ]) {
    await call('POST', `/v1/metrics/${metrics[0].key}/event`, {
      user: { id, attributes: { [key]: value } },
      value: 1,
    });
  }
  await go('/console/leaderboards/groups');
  await web.page.getByText('Choose a group').waitFor();
  const choice = web.page.locator('main input[list]');
  for (const [user, value] of [
    ['bob', 'new, york'],
    ['ada', 'berlin'],
  ]) {
    await choice.fill(value!);
    await choice.press('Enter');
    await rows('Ranking').getByRole('link', { name: user! }).waitFor();
    await expect.poll(() => rows('Ranking').count()).toBe(1);
  }
});

browserTest('multi-tenancy is switched on without locking anybody out, and off again', async () => {
  const multiTenancy = () => web.page.getByLabel(/^Multi-tenancy/);
  // A read that is under way would be refused once there are tenants.
  const read = web.page.waitForResponse(/held-events/);
  await go('/console/configuration/settings');
  await read;
  await multiTenancy().check();
  await web.page.getByLabel(/^ID of the tenant/).fill('home');
  await apply();
  await dialog().waitFor({ state: 'detached' });
  await web.page.getByRole('link', { name: 'Users' }).click();
  await heading('Choose a tenant').waitFor();
  const row = rows('Tenants').filter({ hasText: 'home' });
  await button('Show', row).click();
  await heading('Users').waitFor();
  await web.page.getByRole('link', { name: 'ada' }).waitFor();

  await web.page.getByLabel('Tenant', { exact: true }).selectOption('(account)');
  await heading('Choose a tenant').waitFor();
  await web.page.getByRole('link', { name: 'Account settings' }).click();
  await expect.poll(() => multiTenancy().isChecked()).toBe(true);
  await multiTenancy().uncheck();
  await apply();
  await dialog().waitFor({ state: 'detached' });
  await web.page.getByRole('link', { name: 'Users' }).click();
  await heading('Users').waitFor();
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});
