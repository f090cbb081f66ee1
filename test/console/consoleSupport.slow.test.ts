import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { findA11yProblems, screenshot } from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLook, expectGoodLooks, useConsole } from '../support/consoleTests.ts';
import { record } from '../support/reading.ts';

/** What a support agent does on the screen of a user. */
const ANN = { id: 'ann', name: 'Ann', tz: 'America/New_York' };
const web = useConsole('test/console/consoleSupport.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    const moveTo = (now: string) => server.call('POST', '/admin/v1/test-clock', { now, stopped: true });
    for (const now of ['2099-11-01T12:00:00Z', '2099-11-02T12:00:00Z']) {
      await moveTo(now);
      await record(server, ANN);
    }
    // A freeze saves the 3rd. The lesson of the 4th comes a minute after midnight of New York.
    await moveTo('2099-11-05T05:01:00Z');
    await record(server, ANN);
  },
});
const { button, dialog, go } = web;

const rows = (text: string | RegExp): Locator =>
  web.page.locator('.timeline-rows > li').filter({ hasText: text });
const giveReason = async (reason: string, submit: string): Promise<void> => {
  await dialog().getByLabel('Reason').fill(reason);
  await button(submit, dialog()).click();
};

browserTest('a support agent corrects what the timeline shows, row by row', async () => {
  await go('/console/users/ann');
  const entry = web.page.locator('.timeline > li').filter({ hasText: 'First words' }).first();
  await expect
    .poll(async () => (await entry.locator('.timeline-rows > li').allTextContents()).slice(0, 2))
    .toEqual(['User created', expect.stringContaining('Lessons completed +1')]);
  await screenshot(web.page, 'support-timeline');

  // Why was the streak lost?
  await button('Why?', rows('Lost a streak of 2')).click();
  await dialog().getByText('The next event that counts came after it had ended.').waitFor();
  await dialog().getByText('0 of 1').waitFor();
  await dialog().getByText('None left. The last one saved 3 Nov 2099.').waitFor();
  await dialog().getByText('too late').waitFor();
  expect(await findA11yProblems(web.page)).toEqual([]);
  await screenshot(web.page, 'support-loss');
  await button('Close', dialog()).click();

  // Restore it.
  await button('Restore streak', rows('Lost a streak of 2')).click();
  await dialog().getByText('The streak of Ann goes from 1 to 3.').waitFor();
  await screenshot(web.page, 'support-restore');
  await giveReason('The app was down', 'Restore streak');
  await rows('The app was down').waitFor();
  await button('Restore streak', rows('Lost a streak of 2')).waitFor({ state: 'detached' });

  // Take points back: once.
  const award = rows(/^\+10 XP for: Lessons completed/).first();
  await button('Take back', award).click();
  await dialog()
    .getByText(/^Ann goes from \d+ to \d+ XP/)
    .waitFor();
  await giveReason('Counted twice', 'Take back');
  await rows(/^-10 XP for: Adjusted by an administrator: Counted twice/).waitFor();

  // Undo an event: once.
  const lesson = rows(/^Lessons completed \+1/);
  await button('Undo', lesson.first()).click();
  await dialog().getByText('The total of Lessons completed falls by 1. It is currently 3.').waitFor();
  await dialog().getByText('Ann got 10 XP for it').waitFor();
  await dialog()
    .getByRole('row', { name: /with the points/ })
    .first()
    .waitFor();
  expect(await findA11yProblems(web.page)).toEqual([]);
  await dialog().getByLabel('Also take back').selectOption('Points');
  await screenshot(web.page, 'support-undo');
  await giveReason('Sent twice', 'Undo');
  await rows(/^-10 XP for: Adjusted by an administrator(?!:)/).waitFor();
  await rows('Undid an event Lessons completed: Sent twice').waitFor();
  await rows(/^Undone: Lessons completed -1/).waitFor();
  await lesson.filter({ hasText: 'undone' }).waitFor();
  await expect.poll(() => button('Undo', lesson).count()).toBe(2);

  // Revoke achievement, and grant it again.
  const completed = rows('Completed First words').first();
  await button('Revoke', completed).click();
  await dialog().getByText('Ann loses First words.').waitFor();
  await giveReason('The wrong user', 'Revoke');
  const revoked = rows('Revoked an achievement First words: The wrong user');
  await button('Grant again', revoked).click();
  await giveReason('It was the right user', 'Grant again');
  await rows('Granted an achievement First words: It was the right user').waitFor();
  await screenshot(web.page, 'support-done');
  expect(web.tab.problems).toEqual([]);
});

browserTest('the timeline fits a phone, and axe finds nothing in both themes', async () => {
  await go('/console/users/ann');
  await web.page.locator('.timeline-rows').first().waitFor();
  await expectGoodLooks(web.page, 'support');
});

browserTest('a block is said at the top, and each rank with what the next one needs', async () => {
  for (const [id, value] of [
    ['ben', 9],
    ['cleo', 7],
  ] as const)
    await web.call('POST', '/v1/metrics/lessons/event', { user: { id }, value });
  await go('/console/users/ann');
  const row = web.rows('Ranks').filter({ hasText: 'Lessons this week' });
  await row.getByText('Rank 3, score').waitFor();
  await web.page.getByLabel('To reach rank').fill('2');
  await row.getByText(/^Rank 2: more than \d+ more: a score above 7$/).waitFor();
  await web.page.getByLabel('To reach rank').fill('3');
  await row.getByText('Rank 3: reached').waitFor();
  await web.call('POST', '/admin/v1/users/ann/block', { reason: 'A bot' });
  await web.page.getByText('A bot. Events are refused.').waitFor();
  await row.getByText('Not ranked').waitFor();
  await expectGoodLook(web.page, 'support-blocked');
});

browserTest('what was not sent to a user says why', async () => {
  await web.server.startWorker();
  const template = { name: 'Well done', type: 'achievement_completed', channel: 'email', status: 'active' };
  await web.call('POST', '/admin/v1/notifications/templates', [template]);
  await web.call('POST', '/v1/metrics/lessons/event', {
    user: { id: 'dora', name: 'Dora', tz: 'UTC' },
    value: 1,
  });
  await web.call('POST', '/admin/v1/test-clock', { now: '2099-11-05T18:00:00Z', stopped: true });
  await go('/console/users/dora');
  const message = web.rows('Messages').filter({ hasText: 'Achievement completed, email' });
  await message.getByText('The user has no email address.').waitFor();
  await message.getByText('not sent').waitFor();
  await expectGoodLook(web.page, 'support-messages');
});
