import { expect } from 'vitest';
import { type Tab, visit } from './support/consoleBrowser.ts';
import { playTwoWeeks } from './support/consoleGame.ts';
import { SCREENS } from './support/consolePaths.ts';
import { browserTest, useConsole } from './support/consoleTests.ts';

/** What a role may not do is not offered. */
const web = useConsole('test/consoleRoles.slow.test.ts', {
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
  '^(new \\w|create|delete|remove|edit|block|lift|erase|adjust|grant|revoke|hide|show again|give|restore|reset|pause|' +
    'resume|cancel|approve|reject|send|apply|review|go back|try all|replace|switch|end|use|move)\\b|' +
    '^(an hour|a day|a week|30 days)$',
  'i',
);
/** Of an administrator only. */
const OF_ADMINS = /^(new \w|create|delete|erase|apply|review|go back|replace|revoke|end)\b/i;

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
  await reader.page.getByText('You can look at everything.').waitFor();
  for (const path of PATHS) {
    await visit(reader, web.server, path);
    expect(await offered(reader, CHANGES), path).toEqual([]);
  }
  await visit(reader, web.server, '/console/users/ada');
  await reader.page.getByRole('button', { name: 'Export' }).waitFor();
  await visit(reader, web.server, '/console/configuration/streak');
  await reader.page.getByText('Your role can look at this, but not change it.').waitFor();
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
    web.rows('Admin keys').filter({ hasText: name }).locator('[data-title="Last use"]').textContent();
  await expect.poll(() => lastUse('Unused')).toBe('never');
  await web.server.call('GET', '/admin/v1/settings', undefined, { 'X-API-KEY': created[0].key });
  const lastUsed = async () => (await web.call('GET', `/admin/v1/api-keys/${created[0].id}`)).lastUsed;
  await expect.poll(lastUsed).not.toBeNull();
  await web.go('/console/operations/keys');
  await expect.poll(() => lastUse('Unused')).not.toBe('never');
});
