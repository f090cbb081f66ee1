import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';
import { countedGoal, item, items, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';

/** Challenges in the console: the form, the runs, and the screen of a user. */
const web = useConsole('test/console/consoleChallenges.slow.test.ts', {
  server: {
    config: {
      attributes: { user: items('plan') },
      metrics: items('lessons'),
      achievements: [item('medal', { trigger: 'api' })],
      points: [xp([])],
      challenges: [
        item('weekly', {
          start: '2026-01-01',
          runUnit: 'week',
          runInterval: 1,
          goals: [countedGoal('one', 1), countedGoal('three', 3)],
          rewards: { points: [{ system: 'xp', points: 50 }] },
        }),
      ],
    },
  },
  async prepare(server) {
    await server.startRelay();
    for (const [user, events] of [
      ['ann', 3],
      ['ben', 1],
      ['cem', 1],
    ] as const)
      for (let i = 0; i < events; i++) await server.record(user, 1);
    await server.relayed();
  },
});
const { button, dialog, go, heading } = web;
const field = (label: string, inside: Locator = web.page.locator('main')): Locator =>
  inside.getByLabel(label, { exact: true });
const group = (name: string): Locator => web.page.getByRole('group', { name, exact: true });
const texts = async (label: string): Promise<string[][]> =>
  Promise.all((await web.rows(label).all()).map((row) => row.locator('td').allInnerTexts()));

async function choose(label: string, text: string, inside?: Locator): Promise<void> {
  await field(label, inside).fill(text);
  await web.page.getByRole('option', { name: text }).first().click();
}

browserTest('the form says what a challenge means, and which goals users would get', async () => {
  await go('/console/configuration/challenges/new');
  await field('Name').first().fill('Quests');
  for (const [i, name] of ['Lesson', 'Lessons'].entries()) {
    await button('Add', group('Goals')).last().click();
    const added = group('Goals').locator('.list-item').nth(i);
    await field('Key', added).fill(name.toLowerCase());
    await field('Name', added).fill(name);
    await choose('Metric', 'Lessons', added);
    await field('What is counted', added).selectOption('The number of events');
    await field('Target', added).fill(String(i + 1));
  }
  await field('Reset every').selectOption('Day');
  await field('Interval').fill('1');
  await web.page
    .getByText(
      'A user completes it once in every day by reaching 1 event of “Lessons” and 2 events of “Lessons”.',
    )
    .waitFor();
  await field('Goals of each user').fill('1');
  await web.page
    .getByText('by reaching one goal drawn from: 1 event of “Lessons”; 2 events of “Lessons”.')
    .waitFor();
  await expect.poll(() => texts('Goals that users would get')).toHaveLength(3);
  const drawn = await texts('Goals that users would get');
  expect(drawn.map(([user]) => user)).toEqual(['ann', 'ben', 'cem']);
  for (const [, today, tomorrow] of drawn) expect(today).not.toBe(tomorrow);
  await expectGoodLook(web.page, 'challenge-form');
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  await heading('Challenges').waitFor();
  const { goals } = await web.call('GET', '/v1/users/ann/challenges/quests');
  expect(goals.map(({ name }: Json) => name)).toEqual([drawn[0]![1]]);
});

browserTest('the form says what a change of goals means for the run that goes on', async () => {
  const id = await web.server.idOf('/challenges', 'weekly');
  await go(`/console/configuration/challenges/${id}`);
  const first = group('Goals').locator('.list-item').first();
  await field('Target', first).fill('2');
  await field('Name', first).fill('Two');
  const warning = web.page.getByText('A run of this challenge goes on.');
  expect(await warning.count()).toBe(0);
  await field('What is counted', first).selectOption('The number of days with an event');
  await warning.waitFor();
});

browserTest('runs with the funnel of goals', async () => {
  await go('/console/challenges');
  await web.page.getByRole('link', { name: 'Weekly', exact: true }).click();
  await heading('Weekly').waitFor();
  const bars = web.page.locator('.bars').first();
  await expect
    .poll(() => bars.locator('.bar-label').allInnerTexts())
    .toEqual(['Took part', 'One', 'Three', 'Completed']);
  expect(await bars.locator('.bar-value').allInnerTexts()).toEqual([
    '3 (100%)',
    '3 (100%)',
    '1 (33.3%)',
    '1 (33.3%)',
  ]);
  const [latest] = await texts('Runs');
  expect(latest!.slice(1, 4)).toEqual(['3', '1', '33.3%']);
  await expectGoodLook(web.page, 'challenge-runs');
});

browserTest('the screen of a user shows the present runs with progress', async () => {
  await go('/console/users/ben');
  const row = web.rows('Challenges').filter({ hasText: 'Weekly' });
  await row.getByText('Three: 1 of 3').waitFor();
  await row.getByText('One: 1 of 1 ✓').waitFor();
  await expectGoodLook(web.page, 'user-challenges');
  // One of two events is undone, so one counts.
  const { eventId } = await web.server.record('ben', 1);
  await web.server.relayed();
  await row.getByText('Three: 2 of 3').waitFor();
  await web.call('POST', `/admin/v1/users/ben/events/${eventId}/undo`, { reason: 'A test' });
  await web.server.relayed();
  await row.getByText('Three: 1 of 3').waitFor();
  await button('Why: Three').click();
  await dialog().getByText('1 of 3. The list has events of Lessons since').waitFor();
  const counts = web.rows('Events of the goal').locator('td:last-child');
  await expect
    .poll(async () => (await counts.allInnerTexts()).toSorted())
    .toEqual(['It takes back an event that was undone.', 'No, it was undone.', 'Yes.']);
  await expectGoodLook(web.page, 'user-goal-events');
  await button('Close', dialog()).click();
  expect(web.tab.problems).toEqual([]);
});

browserTest('a condition on users says who takes part', async () => {
  const id = await web.server.idOf('/challenges', 'weekly');
  await go(`/console/configuration/challenges/${id}`);
  const whom = group('Only users for whom');
  await whom.getByText('Leave empty for all users.').waitFor();
  await button('Add condition', whom).click();
  const subject = field('What is compared', whom);
  expect(await subject.locator('option').allInnerTexts()).toEqual(['Plan of the user']);
  await field('Value', whom).fill('gold');
  await whom.getByText('Users take part if').waitFor();
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  await expect
    .poll(async () => (await web.call('GET', `/admin/v1/challenges/${id}`)).where)
    .toEqual({ user: { attribute: 'plan', eq: 'gold' } });
});
