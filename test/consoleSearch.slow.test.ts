import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  screenshot,
  signIn,
  type Tab,
  visit,
} from './support/consoleBrowser.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { until } from './support/until.ts';

/** The search over everything, and the shortcuts. */
sayIfSkipped('test/consoleSearch.slow.test.ts');

let server: TestServer;
let browser: Browser;
let tab: Tab;
const browserTest = test.skipIf(chromiumProgram === null);

beforeAll(async () => {
  if (chromiumProgram === null) return;
  server = await startTestServer();
  await server.startRelay();
  const user = { id: 'user-7', name: 'Ann Zander', email: 'zander@example.com' };
  await server.call('POST', '/v1/metrics/lessons/event', { user, value: 1 });
  await until(async () => (await server.call('GET', '/admin/v1/users?query=zander')).body.users.length === 1);
  browser = await launchBrowser();
  tab = await openTab(browser);
  await signIn(tab, server);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const field = () => tab.page.getByRole('combobox', { name: /^Search users/ });
const option = (name: string | RegExp) => tab.page.getByRole('option', { name });

async function search(text: string): Promise<void> {
  await tab.page.keyboard.press('Control+k');
  await field().waitFor();
  await tab.page.keyboard.type(text);
}

/** The text of the option that Enter opens. */
const active = (): Promise<string> =>
  tab.page.evaluate(
    `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText ?? ''`,
  );

async function arrive(heading: string): Promise<void> {
  await tab.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
}

browserTest('finds users by id, name and address, and opens one by Enter', async () => {
  const { page } = tab;
  await visit(tab, server, '/console/streaks');
  for (const text of ['user-7', 'zand', 'zander@example']) {
    await search(text);
    await option(/Ann Zander/).waitFor();
    expect(await active()).toContain('Ann Zander');
    await page.keyboard.press('Escape');
    await field().waitFor({ state: 'detached' });
  }
  await search('zander');
  await option(/Ann Zander/).waitFor();
  expect(await findA11yProblems(page)).toEqual([]);
  await screenshot(page, 'search');
  await page.keyboard.press('Enter');
  await arrive('Ann Zander');
  expect(new URL(page.url()).pathname).toBe('/console/users/user-7');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  expect(tab.problems).toEqual([]);
});

browserTest('finds items by name and key, screens and commands', async () => {
  const { page } = tab;
  await visit(tab, server, '/console');
  await search('centur');
  await option('Centurion achievement lessons-100').first().waitFor();
  await page.keyboard.press('Escape');
  await search('lessons-100');
  await option(/analytics of the achievement/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await arrive('Centurion');
  expect(new URL(page.url()).pathname).toBe('/console/achievements/lessons-100');

  await search('create an achievement');
  await page.keyboard.press('Enter');
  await arrive('New achievement');
  await search('webhook del');
  await page.keyboard.press('Enter');
  await arrive('Webhook deliveries');
  await search('nothing has this name');
  await page.getByText('Nothing is called so.').waitFor();
  await page.keyboard.press('Escape');
  expect(tab.problems).toEqual([]);
});

browserTest('letters open screens, unless something is typed or the letters are switched off', async () => {
  const { page } = tab;
  await visit(tab, server, '/console');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await arrive('Users');
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.type')).toBe('search');
  await page.keyboard.type('gu?/');
  expect(await page.evaluate('document.activeElement.value')).toBe('gu?/');

  await visit(tab, server, '/console/configuration/metrics/new');
  await page.getByLabel(/^Name/).fill('Unsaved');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByText('What you have filled in is not saved.').waitFor();
  await page.getByRole('button', { name: 'Leave' }).click();
  await arrive('Streaks');

  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Shortcuts' });
  await list.waitFor();
  expect(await findA11yProblems(page)).toEqual([]);
  await screenshot(page, 'shortcuts');
  await list.getByLabel('Letters are shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await search('');
  expect(new URL(page.url()).pathname).toBe('/console/streaks');
  await page.getByRole('button', { name: 'Shortcuts' }).click();
  await list.getByLabel('Letters are shortcuts').check();
  await page.keyboard.press('Escape');
  expect(tab.problems).toEqual([]);
});

browserTest('offers only what the role may do', async () => {
  const { body } = await server.call('POST', '/admin/v1/api-keys', [{ name: 'Reader', role: 'read' }]);
  const reader = await openTab(browser);
  await reader.page.goto(`${server.url}/console`);
  await reader.page.getByLabel('Admin key').fill(body.created[0].key);
  await reader.page.getByRole('button', { name: 'Sign in' }).click();
  await reader.page.locator('.shell').waitFor();
  await reader.page.getByRole('button', { name: /^Search/ }).click();
  const commands = reader.page.getByRole('group', { name: 'Commands' }).getByRole('option');
  await expect.poll(() => commands.allInnerTexts()).toEqual(['Save users as a file']);
  expect(reader.problems).toEqual([]);
  await reader.page.context().close();
});
