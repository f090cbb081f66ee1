import { expect } from 'vitest';
import { findA11yProblems, pressTogether } from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';
import { until } from '../support/until.ts';

/** The search over everything, and the shortcuts. */
const web = useConsole('test/console/consoleSearch.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    const user = { id: 'user-7', name: 'Ann Zander', email: 'zander@example.com' };
    await server.call('POST', '/v1/metrics/lessons/event', { user, value: 1 });
    await until(async () => {
      const { body } = await server.call('GET', '/admin/v1/users?query=zander');
      return body.users.length === 1;
    });
  },
});
const { go, button, dialog, rows } = web;

const field = () => web.page.getByRole('combobox', { name: /^Search users/ });
const option = (name: RegExp) => web.page.getByRole('option', { name });
const press = (key: string): Promise<void> => web.page.keyboard.press(key);
const address = (): string => new URL(web.page.url()).pathname;
const isClosed = (): Promise<void> => dialog().waitFor({ state: 'detached' });

async function search(text: string): Promise<void> {
  await press('Control+k');
  await field().waitFor();
  await web.page.keyboard.type(text);
}

async function closeDialog(): Promise<void> {
  await press('Escape');
  await isClosed();
}

/** The text of the option that Enter opens. */
const active = (): Promise<string> =>
  web.page.evaluate(
    `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText ?? ''`,
  );

const focused = (property: string) => web.page.evaluate(`document.activeElement.${property}`);

/** Waits until the screen is there and the keyboard goes on from its heading. */
async function arrive(heading: string): Promise<void> {
  await web.heading(heading).waitFor();
  await isClosed();
  await expect.poll(() => focused('innerText')).toBe(heading);
}

browserTest('finds users by id, name and address, and opens one by Enter', async () => {
  await go('/console/streaks');
  for (const text of ['user-7', 'zand', 'zander@example']) {
    await search(text);
    await option(/Ann Zander/).waitFor();
    await expect.poll(active).toContain('Ann Zander');
    await closeDialog();
  }
  await search('zander');
  await option(/Ann Zander/).waitFor();
  await expectGoodLook(web.page, 'search');
  await press('Enter');
  await arrive('Ann Zander');
  expect(address()).toBe('/console/users/user-7');
  expect(web.tab.problems).toEqual([]);
});

browserTest('finds items by name and key, screens and commands', async () => {
  await go('/console');
  await search('centur');
  await option(/^Centurion achievement lessons-100/).waitFor();
  await closeDialog();
  await search('lessons-100');
  await option(/analytics of achievement/).waitFor();
  await press('ArrowDown');
  await press('Enter');
  await arrive('Centurion');
  expect(address()).toBe('/console/achievements/lessons-100');
  await expect.poll(() => rows('Steps').count()).toBe(3);
  await expectGoodLook(web.page, 'funnel');

  await search('create an achievement');
  await press('Enter');
  await arrive('New achievement');
  await search('webhook del');
  await press('Enter');
  await arrive('Webhook deliveries');
  await search('nothing has this name');
  await web.page.getByText('No results').waitFor();
  await closeDialog();
  expect(web.tab.problems).toEqual([]);
});

browserTest('letters open screens, unless something is typed or the letters are switched off', async () => {
  const { page } = web;
  await go('/console');
  await pressTogether(page, 'g', 'u');
  await arrive('Users');
  await press('/');
  await expect.poll(() => focused('type')).toBe('search');
  await page.keyboard.type('gu?/');
  await expect.poll(() => focused('value')).toBe('gu?/');

  await go('/console/configuration/metrics/new');
  await page.getByLabel(/^Name/).fill('Unsaved');
  await web.heading('New metric').focus();
  await pressTogether(page, 'g', 's');
  await page.getByText('Your changes are not saved.').waitFor();
  await button('Leave').click();
  await arrive('Streaks');

  await press('?');
  const list = page.getByRole('dialog', { name: 'Shortcuts' });
  await list.waitFor();
  await expectGoodLook(page, 'shortcuts');
  await list.getByLabel('Enable single-key shortcuts').uncheck();
  await closeDialog();
  await pressTogether(page, 'g', 'u');
  await search('');
  expect(address()).toBe('/console/streaks');
  await button('Shortcuts').click();
  await list.getByLabel('Enable single-key shortcuts').check();
  await closeDialog();
  expect(web.tab.problems).toEqual([]);
});

browserTest('keeps what is opened before the browser has told that the former dialog is closed', async () => {
  const { page } = web;
  await go('/console/streaks');
  await press('?');
  const list = page.getByRole('dialog', { name: 'Shortcuts' });
  await list.waitFor();
  await page.evaluate(`{
    document.querySelector('dialog').close();
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
  }`);
  await expect.poll(() => list.count()).toBe(0);
  // The former dialog has told it by now.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
  expect(await field().isVisible()).toBe(true);
  await closeDialog();
});

browserTest('opens again at once after Escape', async () => {
  await go('/console/streaks');
  await search('');
  await web.page.evaluate(`{
    const key = (key, ctrlKey) => new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(key('Escape', false));
    document.dispatchEvent(key('k', true));
  }`);
  await web.page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
  expect(await field().isVisible()).toBe(true);
  await closeDialog();
});

browserTest('offers only what the role may do', async () => {
  const { created } = await web.call('POST', '/admin/v1/api-keys', [{ name: 'Reader', role: 'read' }]);
  const { page, problems } = await web.openTabByKey(created[0].key);
  await page.getByRole('button', { name: /^Search/ }).click();
  const commands = page.getByRole('group', { name: 'Commands' }).getByRole('option');
  await expect.poll(() => commands.allInnerTexts()).toEqual(['Export users as CSV']);
  expect(await findA11yProblems(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});
