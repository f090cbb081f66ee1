import { expect } from 'vitest';
import { visit } from './support/consoleBrowser.ts';
import { browserTest, signInByKey, useConsole } from './support/consoleTests.ts';
import { API_KEY } from './support/server.ts';

/** Signing in and out, in the tabs of several browsers. */
const web = useConsole('test/consoleSessions.slow.test.ts');

browserTest('tabs share a session until one of them signs out', async () => {
  const tab = await web.openTabByKey(API_KEY);
  await tab.page.locator('.shell').getByText('LAUREL_ADMIN_KEY (admin)').waitFor();
  const second = await tab.page.context().newPage();
  await second.goto(`${web.server.url}/console/users`);
  await second.locator('.shell').waitFor();
  await tab.page.reload();
  await tab.page.locator('.shell').waitFor();
  expect(tab.problems).toEqual([]);

  // Nothing on this screen is read again by itself.
  await second.goto(`${web.server.url}/console/operations/keys`);
  await second.getByRole('region', { name: 'Admin keys' }).waitFor();
  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByLabel('Admin key').waitFor();
  await second.getByText('The session is over. Sign in again.').waitFor();
  await signInByKey(tab.page, API_KEY);
  await second.getByRole('region', { name: 'Admin keys' }).waitFor();
  await second.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByText('The session is over. Sign in again.').waitFor();
  await second.reload();
  await second.getByLabel('Admin key').waitFor();
  await tab.page.context().close();
});

browserTest('an administrator sees who is signed in, and ends the session of another', async () => {
  const { created } = await web.call('POST', '/admin/v1/api-keys', [{ name: 'Ada', role: 'read' }]);
  const ada = await web.openTabByKey(created[0].key);
  const admin = await web.openTabByKey(API_KEY);
  await visit(admin, web.server, '/console/operations/sessions');
  await admin.page.getByRole('row').filter({ hasText: '(you)' }).waitFor();
  const row = admin.page.getByRole('row').filter({ hasText: 'Ada' });
  expect(await row.textContent()).toContain('read');
  await row.getByRole('button', { name: 'End' }).click();
  await admin.page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await ada.page.getByText('The session is over. Sign in again.').waitFor();
  await admin.page.locator('.shell').waitFor();
  expect(admin.problems).toEqual([]);
});
