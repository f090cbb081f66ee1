import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openTab, type Tab, visit } from '../support/consoleBrowser.ts';
import { playTwoWeeks } from '../support/consoleGame.ts';
import { browserTest, expectGoodLooks, signInByKey, useConsole } from '../support/consoleTests.ts';

/** The menu at the head of a user's screen. */
const web = useConsole('test/console/consoleMenu.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    await playTwoWeeks(server);
  },
});
const { dialog, go } = web;

const opener = (page: Page) => page.getByRole('button', { name: 'More actions' });
const items = (page: Page) => page.getByRole('menuitem');
const focused = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');
const ALL = [
  'Grant freeze',
  'Pause streak',
  'Restore streak',
  'Reset streak',
  'Grant achievement',
  'Revoke achievement',
  'Hide from leaderboard',
  'Export',
  'Change ID',
  'Block',
  'Erase',
];

/** Waits for what the menu offers: some actions depend on items that are still being read. */
const expectOffered = (page: Page, names: string[]) =>
  expect.poll(() => items(page).allTextContents()).toEqual(names);

async function signInAs(role: string, viewport = { width: 1280, height: 900 }): Promise<Tab> {
  const { created } = await web.call('POST', '/admin/v1/api-keys', [{ name: role, role }]);
  const tab = await openTab(web.browser, { viewport });
  await tab.page.goto(`${web.server.url}/console`);
  await signInByKey(tab.page, created[0].key);
  await visit(tab, web.server, '/console/users/ada');
  return tab;
}

browserTest('two actions are buttons, and the menu has all others', async () => {
  await go('/console/users/ada');
  await web.button('Adjust points').waitFor();
  const buttons = web.page.locator('.page-head').getByRole('button');
  await expect.poll(() => buttons.allTextContents()).toEqual(['Adjust points', 'Edit', 'More actions ▾']);
  await opener(web.page).click();
  await expectOffered(web.page, ALL);
  await web.page.mouse.click(5, 5);
  await items(web.page).first().waitFor({ state: 'detached' });
});

browserTest('the keyboard opens the menu, moves in it and leaves it', async () => {
  const { page } = web;
  const { keyboard } = page;
  await opener(page).focus();
  await keyboard.press('Enter');
  await expectOffered(page, ALL);
  const steps: [key: string, focused: string][] = [
    ['ArrowDown', 'Pause streak'],
    ['End', 'Erase'],
    ['ArrowDown', 'Grant freeze'],
    ['ArrowUp', 'Erase'],
    ['Home', 'Grant freeze'],
    ['r', 'Restore streak'],
    ['r', 'Reset streak'],
    ['r', 'Revoke achievement'],
  ];
  await expect.poll(() => focused(page)).toBe('Grant freeze');
  for (const [key, name] of steps) {
    await keyboard.press(key);
    await expect.poll(() => focused(page), { message: key }).toBe(name);
  }
  await keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('More actions ▾');
  await expect.poll(() => items(page).count()).toBe(0);

  await keyboard.press('ArrowUp');
  await expect.poll(() => focused(page)).toBe('Erase');
  await keyboard.press('Tab');
  await expect.poll(() => items(page).count()).toBe(0);

  await opener(page).focus();
  await keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toBe('Grant freeze');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await dialog().getByRole('heading', { name: 'Pause streak' }).waitFor();
  await keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('More actions ▾');
});

browserTest('the open menu fits all widths, and axe finds nothing in both themes', async () => {
  const { page } = web;
  for (const width of [375, 1024, 1440]) {
    await page.setViewportSize({ width, height: 812 });
    await go('/console/users/ada');
    await opener(page).click();
    await expectOffered(page, ALL);
    const { x, width: menuWidth } = (await page.getByRole('menu').boundingBox())!;
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + menuWidth).toBeLessThanOrEqual(width);
  }
  await expectGoodLooks(page, 'user-menu');
  await expectOffered(page, ALL);
  expect(web.tab.problems).toEqual([]);
});

browserTest('an operator is not offered to erase, and a reader can only export', async () => {
  const operator = await signInAs('operate');
  await opener(operator.page).click();
  await expectOffered(operator.page, ALL.slice(0, -1));
  const reader = await signInAs('read');
  const buttons = reader.page.locator('.page-head').getByRole('button');
  await expect.poll(() => buttons.allTextContents()).toEqual(['Export']);
  expect([...operator.problems, ...reader.problems]).toEqual([]);
});
