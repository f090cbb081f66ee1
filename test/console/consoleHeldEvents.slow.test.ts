import { expect } from 'vitest';
import { playTwoWeeks, sendHeld } from '../support/consoleGame.ts';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';

/** A review of many held events. */
const EVENTS = 120;
const web = useConsole('test/console/consoleHeldEvents.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    await playTwoWeeks(server);
    // In turn of Ada, with 101 to 199, and of Bob, with 102 to 200. Others have 500.
    const events = Array.from({ length: EVENTS }, (_, i) =>
      i < 100
        ? { value: 101 + i, userId: i % 2 === 0 ? 'ada' : 'bob' }
        : { value: 500, userId: `other-${i}` },
    );
    await sendHeld(server, events);
  },
});
const { button, dialog, go, rows } = web;
const held = () => rows('Held events');
const waiting = async (query: string): Promise<number> =>
  (await web.call('GET', `/admin/v1/held-events/summary?${query}`)).events;
const giveReason = async (submit: string): Promise<void> => {
  await dialog().getByLabel('Reason').fill('Looked at');
  await button(submit, dialog()).click();
  await dialog().waitFor({ state: 'detached', timeout: 120_000 });
};

browserTest('selected events are rejected at once', async () => {
  await go('/console/held-events?minValue=500');
  await expect.poll(() => held().count()).toBe(20);
  await held().nth(0).getByRole('checkbox').check();
  await held().nth(2).getByRole('checkbox').check();
  await web.page.getByText('2 events selected').waitFor();
  await expectGoodLook(web.page, 'held-selected');
  await button('Reject selected').click();
  await dialog().getByText('From 2 users. Each event changes nothing.').waitFor();
  await giveReason('Reject 2 events');
  await expect.poll(() => waiting('minValue=500')).toBe(18);
  await expect.poll(() => web.page.getByText('selected', { exact: false }).count()).toBe(0);
});

browserTest('events are decided one by one with the keyboard, and an approval is undone', async () => {
  const { keyboard } = web.page;
  const review = web.page.locator('.card', { hasText: 'Review one by one' });
  const decided = (number: number) => review.getByText(`, ${number} decided.`).waitFor();
  await go('/console/held-events?minValue=500');
  await review.getByText('1 of 18 events.').waitFor();
  await keyboard.press('r');
  await expect
    .poll(() => review.getByLabel('Reason').evaluate((field) => field.matches(':focus')))
    .toBe(true);
  expect(await waiting('minValue=500'), 'no decision without a reason').toBe(18);
  await keyboard.type('Looked at');
  await keyboard.press('Enter');
  await keyboard.press('r');
  await decided(1);
  await review.getByText('1 of 17 events').waitFor();
  await keyboard.press('j');
  await review.getByText('2 of 17 events').waitFor();
  const userId = (await held().nth(1).getByRole('link').textContent())!;
  await keyboard.press('a');
  await decided(2);
  expect(await waiting('minValue=500')).toBe(16);
  await expectGoodLook(web.page, 'held-review');
  await web.server.relayed();
  const total = async () => (await web.call('GET', `/v1/users/${userId}/metrics/lessons`)).current;
  expect(await total()).toBe(500);
  await button(`Undo: ${userId}, Lessons completed 500`).click();
  await giveReason('Undo');
  expect(await total()).toBe(0);
});

browserTest('all events of a user with small values are approved after a summary, and undone', async () => {
  await go('/console/held-events');
  await expect.poll(() => held().count()).toBe(50);
  await web.page.getByRole('searchbox', { name: 'User ID' }).fill('ada');
  // What is typed stays while the list is drawn again.
  await web.page.getByLabel('Max. value').fill('150');
  await expect.poll(() => new URL(web.page.url()).searchParams.get('user')).toBe('ada');
  await expect.poll(() => held().filter({ hasText: 'bob' }).count()).toBe(0);
  await web.page.getByLabel('Max. value').press('Enter');
  await expect.poll(() => held().count()).toBe(25);
  const total = async () => (await web.call('GET', '/v1/users/ada/metrics/lessons')).current;
  const before = await total();
  await button('Approve all').click();
  await dialog().getByText('25 events from 101 to 149, 3,125 in total').waitFor();
  await expectGoodLook(web.page, 'held-summary');
  await dialog().getByLabel('Reason').fill('Looked at');
  await button('Approve 25 events', dialog()).click();
  await dialog().getByText('25 events can be changed back now.').waitFor({ timeout: 120_000 });
  expect(await total()).toBe(before + 3_125);
  await expectGoodLook(web.page, 'held-approved');
  await button('Undo', dialog()).click();
  await dialog().getByText('Totals and scores in open runs fall by the value of each event.').waitFor();
  await expectGoodLook(web.page, 'held-undo');
  await giveReason('Undo 25 events');
  expect(await total()).toBe(before);
  const { events } = await web.call('GET', '/admin/v1/held-events?status=undone&user=ada&limit=100');
  expect(events).toHaveLength(25);
  await web.page.getByText('No matching events').waitFor();
  expect(await waiting('user=ada')).toBe(25);
});

browserTest('more events than one call takes are rejected', async () => {
  await go('/console/held-events?maxValue=100');
  await web.page.getByText('No matching events').waitFor();
  await web.page.getByLabel('Max. value').fill('');
  await web.page.getByLabel('Max. value').press('Enter');
  await button('Reject all').click();
  await giveReason('Reject 91 events');
  await web.page.getByText('No events waiting for review').waitFor();
  expect(await waiting('')).toBe(0);
  // The timeline of a user without events that count.
  expect(web.tab.problems.filter((one) => !/404.*users\/other-/.test(one))).toEqual([]);
});
