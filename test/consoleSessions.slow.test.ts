import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromiumProgram, launchBrowser, openTab, sayIfSkipped, visit } from './support/consoleBrowser.ts';
import { API_KEY, callApi, startTestServer, type TestServer } from './support/server.ts';

/** Signing in and out, in the tabs of several browsers. */
sayIfSkipped('test/consoleSessions.slow.test.ts');
let server: TestServer;
let browser: Browser;
const browserTest = test.skipIf(chromiumProgram === null);

beforeAll(async () => {
  server = await startTestServer();
  if (chromiumProgram !== null) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

browserTest('tabs share a session until one of them signs out', async () => {
  const tab = await openTab(browser);
  await tab.page.goto(`${server.url}/console`);
  await tab.page.getByLabel('Admin key').fill(API_KEY);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page
    .locator('.shell')
    .getByText(`${API_KEY.slice(0, 8)} (admin)`)
    .waitFor();
  const second = await tab.page.context().newPage();
  await second.goto(`${server.url}/console/users`);
  await second.locator('.shell').waitFor();
  await tab.page.reload();
  await tab.page.locator('.shell').waitFor();
  expect(tab.problems).toEqual([]);

  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByLabel('Admin key').waitFor();
  await second.getByText('The session is over. Sign in again.').waitFor();
  await second.reload();
  await second.getByLabel('Admin key').waitFor();
  await tab.page.context().close();
});

browserTest('an administrator sees who is signed in, and ends the session of another', async () => {
  const { body } = await callApi(`${server.url}/admin/v1/api-keys`, 'POST', [{ name: 'Ada', role: 'read' }]);
  const signedIn = async (key: string) => {
    const tab = await openTab(browser);
    await tab.page.goto(`${server.url}/console`);
    await tab.page.getByLabel('Admin key').fill(key);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.locator('.shell').waitFor();
    return tab;
  };
  const ada = await signedIn(body.created[0].key);
  const admin = await signedIn(API_KEY);
  await visit(admin, server, '/console/operations/sessions');
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
