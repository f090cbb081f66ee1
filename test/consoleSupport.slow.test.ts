import type { Browser, Locator } from 'playwright-core';
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
import { record } from './support/reading.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** What a support agent does on the screen of a user. */
sayIfSkipped('test/consoleSupport.slow.test.ts');

const ANN = { id: 'ann', name: 'Ann', tz: 'America/New_York' };
let server: TestServer;
let browser: Browser;
let tab: Tab;
const moveTo = (now: string) => server.call('POST', '/admin/v1/test-clock', { now, stopped: true });

beforeAll(async () => {
  if (chromiumProgram === null) return;
  server = await startTestServer();
  await server.startRelay();
  for (const now of ['2099-11-01T12:00:00Z', '2099-11-02T12:00:00Z']) {
    await moveTo(now);
    await record(server, ANN);
  }
  // A freeze saves the 3rd. The lesson of the 4th comes a minute after midnight of New York.
  await moveTo('2099-11-05T05:01:00Z');
  await record(server, ANN);
  browser = await launchBrowser();
  tab = await openTab(browser);
  await signIn(tab, server);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const browserTest = test.skipIf(chromiumProgram === null);
const button = (name: string, inside: Locator = tab.page.locator('body')): Locator =>
  inside.getByRole('button', { name, exact: true });
const dialog = (): Locator => tab.page.getByRole('dialog');
const rows = (text: string | RegExp): Locator =>
  tab.page.locator('.timeline-rows > li').filter({ hasText: text });
const giveReason = async (reason: string, submit: string): Promise<void> => {
  await dialog().getByLabel('Reason').fill(reason);
  await button(submit, dialog()).click();
};

browserTest('a support agent corrects what the timeline shows, row by row', async () => {
  await visit(tab, server, '/console/users/ann');
  const entry = tab.page.locator('.timeline > li').filter({ hasText: 'First words' }).first();
  const [cause, event] = await entry.locator('.timeline-rows > li').allTextContents();
  expect([cause, event]).toEqual(['Created', expect.stringContaining('Lessons completed +1')]);
  await screenshot(tab.page, 'support-timeline');

  // Why was the streak lost?
  await button('Why?', rows('Lost a streak of 2')).click();
  await dialog().getByText('The next event that counts came after it had ended.').waitFor();
  await dialog().getByText('0 of 1').waitFor();
  await dialog().getByText('None was left. The last one saved 3 Nov 2099.').waitFor();
  await dialog().getByText('too late').waitFor();
  expect(await findA11yProblems(tab.page)).toEqual([]);
  await screenshot(tab.page, 'support-loss');
  await button('Close', dialog()).click();

  // Restore it.
  await button('Restore the streak', rows('Lost a streak of 2')).click();
  await dialog().getByText('The streak of Ann goes from 1 to 3.').waitFor();
  await screenshot(tab.page, 'support-restore');
  await giveReason('The app was down', 'Restore the streak');
  await rows('The app was down').waitFor();
  await button('Restore the streak', rows('Lost a streak of 2')).waitFor({ state: 'detached' });

  // Take points back: once.
  const award = rows(/^\+10 XP for: Lessons completed/).first();
  await button('Take back', award).click();
  await dialog()
    .getByText(/^Ann goes from \d+ to \d+ XP/)
    .waitFor();
  await giveReason('Counted twice', 'Take back');
  await rows(/^-10 XP for: Adjusted by an administrator: Counted twice/).waitFor();

  // Revoke an achievement, and grant it again.
  const completed = rows('Completed First words').first();
  await button('Revoke', completed).click();
  await dialog().getByText('Ann loses First words.').waitFor();
  await giveReason('The wrong user', 'Revoke');
  const revoked = rows('Revoked an achievement first-lesson: The wrong user');
  await button('Grant again', revoked).click();
  await giveReason('It was the right user', 'Grant again');
  await rows('Granted an achievement first-lesson: It was the right user').waitFor();
  await screenshot(tab.page, 'support-done');
  expect(tab.problems).toEqual([]);
});

browserTest('the timeline fits a phone, and axe finds nothing in both themes', async () => {
  for (const [name, options] of [
    ['light', { viewport: { width: 1440, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1024, height: 768 } }],
    ['phone', { viewport: { width: 375, height: 780 } }],
  ] as const) {
    const look = await openTab(browser, options);
    await signIn(look, server);
    await visit(look, server, '/console/users/ann');
    await look.page.locator('.timeline-rows').first().waitFor();
    expect(await findA11yProblems(look.page), name).toEqual([]);
    const overflow = await look.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, name).toBeLessThanOrEqual(0);
    await screenshot(look.page, `support-${name}`);
    await look.page.context().close();
  }
});
