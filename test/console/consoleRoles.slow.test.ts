import { expect } from 'vitest';
import { type Tab, visit } from '../support/consoleBrowser.ts';
import { playTwoWeeks } from '../support/consoleGame.ts';
import { SCREENS } from '../support/consolePaths.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';

/** What a role may not do is not offered. */
const web = useConsole('test/console/consoleRoles.slow.test.ts', {
  async prepare(server) {
    const call = (method: string, path: string, body?: object) =>
      server.call(method, `/admin/v1${path}`, body);
    await server.startRelay();
    await playTwoWeeks(server);
    const [metric] = (await call('GET', '/metrics')).body;
    const guards = { maxValue: 100, action: 'hold' };
    await call('PATCH', '/metrics', [{ id: metric.id, guards }]);
    await call('POST', '/metrics/events', [{ key: metric.key, value: 101, user: { id: 'ada' } }]);
    await call('POST', '/users/bob/leaderboards/weekly/hide', { reason: 'A test' });
    const hook = { name: 'Hook', url: 'https://example.com/hook', events: ['points.changed'] };
    const [{ id }] = (await call('POST', '/webhooks', [hook])).body.created;
    await call('POST', `/webhooks/${id}/test`, {});
    await call('POST', '/imports', { kind: 'users', name: 'users.csv' });
  },
});

const signInAs = async (role: string): Promise<Tab> => {
  const { created } = await web.call('POST', '/admin/v1/api-keys', [{ name: role, role }]);
  return web.openTabByKey(created[0].key);
};
/** Words that begin buttons and links which change something. */
const CHANGES = new RegExp(
  '^(new \\w|create|delete|remove|edit|block|unblock|erase|adjust|grant|revoke|hide|show again|restore|reset|pause|' +
    'resume|open|cancel|approve|reject|send|resend|apply|review|retry|rotate|turn on|end|use|move|change)\\b|' +
    '^(1 hour|1 day|1 week|30 days)$',
  'i',
);
/** Of an administrator only. */
const OF_ADMINS = /^(new \w|create|delete|erase|apply|review|restore|rotate|revoke|end)\b/i;

async function offered({ page }: Tab, pattern: RegExp): Promise<string[]> {
  const controls = page.locator('main').locator('button:visible, a:visible, summary:visible');
  const names = await controls.evaluateAll((all) =>
    all.map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').trim()),
  );
  return names.filter((name) => pattern.test(name));
}

const PATHS = [
  ...SCREENS.filter((path) => !path.endsWith('/new')),
  '/console/configuration/metrics',
  '/console/configuration/webhooks',
];

browserTest('a reader is told so, and is offered no change on any screen', async () => {
  const reader = await signInAs('read');
  await reader.page.getByText('You can view everything.').waitFor();
  for (const path of PATHS) {
    await visit(reader, web.server, path);
    expect(await offered(reader, CHANGES), path).toEqual([]);
  }
  await visit(reader, web.server, '/console/users/ada');
  await reader.page.getByRole('button', { name: 'Export' }).waitFor();
  await visit(reader, web.server, '/console/configuration/streak');
  await reader.page.getByText('Your role can view this but not change it.').waitFor();
  await visit(reader, web.server, '/console/configuration/file');
  await reader.page.getByRole('button', { name: 'Load current configuration' }).click();
  const file = reader.page.getByRole('textbox', { name: 'Configuration' });
  await expect.poll(() => file.inputValue()).toContain('lessons');
  expect(await file.isEditable()).toBe(false);
  const points = await web.call('GET', '/admin/v1/points');
  const [trigger] = await web.call('GET', `/admin/v1/points/${points[0].id}/triggers`);
  const address = `/console/configuration/points/${points[0].id}/triggers/${trigger.id}`;
  await visit(reader, web.server, address);
  await reader.page.getByRole('heading', { level: 1, name: 'Trigger', exact: true }).waitFor();
  expect(reader.problems).toEqual([]);
});

browserTest(
  'an operator may act on users and deliveries, and is offered no change of the configuration or of keys',
  async () => {
    const operator = await signInAs('operate');
    for (const path of PATHS.filter((one) => !/\/users\/|held-events/.test(one))) {
      await visit(operator, web.server, path);
      expect(await offered(operator, OF_ADMINS), path).toEqual([]);
    }
    await visit(operator, web.server, '/console/held-events');
    await expect.poll(() => offered(operator, CHANGES)).toContain('Approve: Ada, Lessons completed 101');
    await visit(operator, web.server, '/console/users/ada');
    await expect
      .poll(() => offered(operator, CHANGES))
      .toEqual(expect.arrayContaining(['Edit', 'Adjust points']));
    expect(await offered(operator, /^Erase/)).toEqual([]);
    expect(operator.problems).toEqual([]);
  },
);

browserTest('keys show when they were last used', async () => {
  const { created } = await web.call('POST', '/admin/v1/api-keys', [{ name: 'Unused', role: 'read' }]);
  await web.go('/console/operations/keys');
  const lastUse = (name: string) =>
    web.rows('Admin keys').filter({ hasText: name }).locator('[data-title="Last used"]').textContent();
  await expect.poll(() => lastUse('Unused')).toBe('Never');
  await web.server.call('GET', '/admin/v1/settings', undefined, { 'X-API-KEY': created[0].key });
  const lastUsed = async () => (await web.call('GET', `/admin/v1/api-keys/${created[0].id}`)).lastUsed;
  await expect.poll(lastUsed).not.toBeNull();
  await web.go('/console/operations/keys');
  await expect.poll(() => lastUse('Unused')).not.toBe('Never');
});

browserTest('the audit log shows a kind of change, and what a person or key did', async () => {
  await web.call('POST', '/admin/v1/users/cem/block', { reason: 'A test of filters' });
  // The browser of this tab logs that the user is unknown.
  const tab = await web.openTab();
  const { page } = tab;
  await visit(tab, web.server, '/console/users/cem-erased');
  await page.getByRole('link', { name: 'Log of erased users' }).click();
  await page.getByText('No matching changes').waitFor();
  await page.getByLabel('Kind of change').selectOption('Blocked users');
  await page.getByText(/Blocked the user .*A test of filters/).waitFor();
  expect(page.url()).toContain('kind=blockedUsers');
  await page
    .getByRole('link', { name: /^LAUREL_ADMIN_KEY/ })
    .first()
    .click();
  await page.getByText('Only by LAUREL_ADMIN_KEY').waitFor();
  await page.getByText('Created webhook').waitFor();
  await page.getByRole('button', { name: 'Show changes by everyone' }).click();
  await page.getByText('by first boot').first().waitFor();
  await web.call('POST', '/admin/v1/api-keys', [{ name: 'Silent', role: 'read' }]);
  await visit(tab, web.server, '/console/operations/keys');
  const keys = page.getByRole('region', { name: 'Admin keys', exact: true });
  const row = keys.getByRole('row').filter({ hasText: 'Silent' });
  await row.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByText('No matching changes').waitFor();
});

browserTest('a secret for user tokens is shown once, and deleted', async () => {
  await web.go('/console/operations/tokens');
  await web.page.getByLabel('Name').fill('Backend');
  await web.button('Create secret').click();
  const secret = await web.dialog().getByLabel('New user token secret').inputValue();
  expect(secret.length).toBeGreaterThan(32);
  await web.page.keyboard.press('Escape');
  await web.button('Delete', web.rows('User token secrets')).click();
  await web.button('Delete', web.dialog()).click();
  await web.page.getByText('No user token secrets yet').waitFor();
  expect(web.tab.problems).toEqual([]);
});

browserTest('a session of one tenant is shown nothing about the whole account', async () => {
  // Reads of an open screen would be refused once there are tenants.
  await web.page.goto('about:blank');
  await web.call('PATCH', '/admin/v1/settings', { multiTenancy: true, adoptAs: 'first' });
  await web.call('POST', '/admin/v1/tenants', [{ customerId: 'acme', name: 'Acme' }]);
  const acme = { 'Tenant-ID': 'acme' };
  await web.server.call('POST', '/admin/v1/metrics', [{ key: 'lessons', name: 'Lessons' }], acme);
  await web.server.call(
    'POST',
    '/admin/v1/metrics/events',
    [{ key: 'lessons', value: 1, user: { id: 'ada' } }],
    acme,
  );
  const [key] = (
    await web.call('POST', '/admin/v1/api-keys', [{ name: 'Acme', role: 'read', tenant: 'acme' }])
  ).created;
  const reader = await web.openTabByKey(key.key);
  await reader.page.getByText('Limited to one tenant.').waitFor();
  const ofTenant = PATHS.filter(
    (path) => !/test-clock|operations\/(tenants|keys|sessions)$|leaderboards\/|achievements\//.test(path),
  );
  for (const path of ofTenant) await visit(reader, web.server, path);
  const tabs = reader.page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
  await visit(reader, web.server, '/console/operations');
  expect(await tabs.allTextContents()).toEqual([
    'Webhook deliveries',
    'Notifications',
    'Activations',
    'Imports',
    'User tokens',
    'Audit log',
  ]);
  await visit(reader, web.server, '/console/test-clock');
  await reader.page.getByText('This page does not exist').waitFor();
  expect(reader.problems).toEqual([]);
});
