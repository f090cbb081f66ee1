import { Client } from 'pg';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  screenshot,
  type Tab,
} from '../support/consoleBrowser.ts';
import { createIdentityProvider, type IdentityProvider, signInEnv } from '../support/identityProvider.ts';
import { freePort } from '../support/installation.ts';
import { callApi, startTestServer, type TestServer } from '../support/server.ts';

/** Signing in to the console through a real identity provider, in a browser. */
sayIfSkipped('test/api/singleSignOnBrowser.slow.test.ts');
let provider: IdentityProvider;
let server: TestServer;
let browser: Browser;
const browserTest = test.skipIf(chromiumProgram === null);

beforeAll(async () => {
  const port = await freePort();
  provider = await createIdentityProvider(`http://127.0.0.1:${port}`);
  provider.people.set('ada', { name: 'Ada Lovelace', groups: ['admins'] });
  provider.people.set('sam', { name: 'Sam', groups: ['support'] });
  provider.people.set('eve', { name: 'Eve', groups: [] });
  await provider.start();
  server = await startTestServer({
    env: {
      ...signInEnv(provider, port, 'admins=admin,support=operate'),
      LAUREL_CONSOLE_KEY_SIGN_IN: '0',
    },
  });
  if (chromiumProgram !== null) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await provider?.stop();
});

/** Opens a screen in a new browser, and signs in at the provider. */
async function signIn(login: string, path = '/console'): Promise<Tab> {
  const tab = await openTab(browser);
  await tab.page.goto(server.url + path);
  await tab.page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
  await signInThere(tab.page, login);
  return tab;
}

async function signInThere(page: Page, login: string): Promise<void> {
  await page.waitForURL(`${provider.issuer}/**`);
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
}

const isOver = (page: Page): Promise<void> =>
  page.getByText('Your session has ended. Sign in again.').waitFor();

browserTest('a person signs in with the role of a group, and returns to the screen', async () => {
  const ada = await signIn('ada', '/console/users?query=a');
  await ada.page.locator('.shell').getByText('Ada Lovelace (admin)').waitFor();
  expect(ada.page.url()).toBe(`${server.url}/console/users?query=a`);
  const sam = await signIn('sam');
  await sam.page.locator('.shell').getByText('Sam (operate)').waitFor();
  // The pages of the provider are its own.
  const ours = [...ada.problems, ...sam.problems].filter((problem) => !problem.includes(provider.issuer));
  expect(ours).toEqual([]);
  expect(await ada.page.evaluate('document.cookie')).toBe('');
});

browserTest('the sign-in screen offers single sign-on only, and keys are for machines', async () => {
  const tab = await openTab(browser);
  await tab.page.goto(`${server.url}/console`);
  await tab.page.getByRole('button', { name: 'Sign in with single sign-on' }).waitFor();
  expect(await tab.page.getByLabel('Admin key').count()).toBe(0);
  expect(await findA11yProblems(tab.page)).toEqual([]);
  await screenshot(tab.page, 'singleSignOn');
  const { status, body } = await callApi(`${server.url}/console/session`, 'POST', {});
  expect([status, body.error]).toEqual([403, 'Signing in with a key is disabled: use single sign-on']);
  expect((await callApi(`${server.url}/admin/v1/metrics`, 'GET')).status).toBe(200);
});

browserTest('a person without a role is told so', async () => {
  const { page } = await signIn('eve');
  await page.getByText('You have no access to this console.').waitFor();
  expect(page.url()).toBe(`${server.url}/console`);
});

browserTest('an administrator sees the person and ends the session', async () => {
  const [ada, sam] = [await signIn('ada'), await signIn('sam')];
  await sam.page.locator('.shell').waitFor();
  await ada.page.goto(`${server.url}/console/operations/sessions`);
  const rows = ada.page.getByRole('row').filter({ hasText: 'Sam' });
  await rows.first().waitFor();
  for (let left = await rows.count(); left > 0; left--) {
    await rows.first().getByRole('button', { name: 'End' }).click();
    await ada.page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
    await expect.poll(() => rows.count()).toBe(left - 1);
  }
  await isOver(sam.page);
  await ada.page.goto(`${server.url}/console/operations/audit`);
  await ada.page.getByText('Ada Lovelace').first().waitFor();
  await ada.page.getByText('console:ada').first().waitFor();
});

browserTest('a sign-out at the provider ends the session', async () => {
  const { page } = await signIn('ada');
  await page.locator('.shell').waitFor();
  const other = await page.context().newPage();
  await other.goto(`${provider.issuer}/session/end`);
  await other.getByRole('button', { name: /yes/i }).click();
  await isOver(page);
});

browserTest('a session ends when its time is over', async () => {
  const { page } = await signIn('ada');
  await page.locator('.shell').waitFor();
  const client = new Client({ connectionString: server.databaseUrl });
  await client.connect();
  await client.query(`update console_sessions set expires = now() - interval '1 second'`);
  await client.end();
  await server.restart();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in with single sign-on' }).waitFor();
});

browserTest('a tampered state and a replayed code are refused', async () => {
  const { page } = await openTab(browser);
  await page.goto(`${server.url}/console/oidc/sign-in`);
  await page.waitForURL(`${provider.issuer}/**`);
  const forged = new URLSearchParams({ code: 'guessed', state: 'tampered', iss: provider.issuer });
  await page.goto(`${server.url}/console/oidc/callback?${forged}`);
  await page.getByText('The identity provider refused the sign-in.').waitFor();

  let callback = '';
  const used = await openTab(browser);
  used.page.on('request', (request) => {
    if (request.url().includes('/oidc/callback?')) callback = request.url();
  });
  await used.page.goto(`${server.url}/console/oidc/sign-in`);
  await signInThere(used.page, 'ada');
  await used.page.locator('.shell').waitFor();
  const thief = await openTab(browser);
  await thief.page.goto(callback);
  await thief.page.getByText('This sign-in has expired, or was started in another browser.').waitFor();
  expect(await thief.page.context().cookies()).toEqual([]);
});
