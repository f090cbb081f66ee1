import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { findA11yProblems } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import type { Json } from '../support/reading.ts';

/** Each form of the configuration, filled in as a person does it: by labels, without a key. */
const web = useConsole('test/console/consoleItems.slow.test.ts', {
  server: { config: 'none' },
});
const { button, call, dialog, go, heading } = web;

const field = (label: string, inside: Locator = web.page.locator('main')): Locator =>
  inside.getByLabel(label, { exact: true });

const open = (path: string): Promise<void> => go(`/console/configuration/${path}`);

/** Chooses in a field that is searched. */
async function choose(label: string, text: string): Promise<void> {
  await field(label).fill(text);
  await web.page.getByRole('option', { name: text }).first().click();
}

/** @param title of the screen that follows */
async function apply(title: string): Promise<void> {
  expect(await findA11yProblems(web.page)).toEqual([]);
  await button('Review changes').click();
  expect(await findA11yProblems(web.page)).toEqual([]);
  await button('Apply', dialog()).click();
  await dialog().waitFor({ state: 'detached' });
  await heading(title).waitFor();
}

const read = (path: string): Promise<Json> => call('GET', `/admin/v1${path}`);

browserTest('a game is configured from nothing', async () => {
  await open('metrics/new');
  await field('Name').fill('Lessons completed');
  await expect.poll(() => field('Key').inputValue()).toBe('lessons-completed');
  await field('Unit').fill('lessons');
  await apply('Metrics');

  await open('attributes/new');
  await field('Name').fill('Plan');
  await field('Type').selectOption('Users');
  await apply('Attributes');

  await open('achievements/new');
  await field('Name').fill('Ten lessons');
  await choose('Metric', 'Lessons completed');
  await field('Target total').fill('10');
  await web.page.getByText('Completes when a user reaches 10 of “Lessons completed”. 0 users of 0').waitFor();
  await field('Description').fill('Complete ten lessons.');
  await field('URL').fill(`${web.server.url}/console`);
  await apply('Achievements');

  await open('achievements/new');
  await field('Name').fill('Everything');
  await field('Completed by').selectOption('Other achievements');
  await choose('Required achievements', 'Ten lessons');
  await button('Remove Ten lessons').waitFor();
  await apply('Achievements');

  await open('points/new');
  await field('Name').fill('Coins');
  await apply('Coins');
  await web.page.getByRole('link', { name: 'New trigger' }).click();
  await choose('Metric', 'Lessons completed');
  await field('For every').fill('1');
  await field('Points').fill('5');
  await apply('Coins');
  await web.page.getByRole('link', { name: 'New level' }).click();
  await field('Name').fill('Bronze');
  await field('Points').fill('50');
  await apply('Coins');
  await web.page.getByRole('link', { name: 'New boost' }).click();
  await field('Name').fill('Double week');
  await field('Multiplier').fill('2');
  await field('First day').fill('2026-06-01');
  await field('Last day').fill('2026-06-07');
  await button('Add', web.page.getByRole('group', { name: 'Only users with' })).click();
  await choose('Attribute', 'Plan');
  await field('Value').fill('pro');
  await apply('Coins');

  await open('leaderboards/new');
  await field('Name').fill('Weekly lessons');
  await choose('Metric', 'Lessons completed');
  await field('Reset every').selectOption('Week');
  await field('Interval').fill('1');
  await choose('Separate rankings by', 'Plan');
  await apply('Leaderboards');

  const [metric] = await read('/metrics');
  const [everything, ten] = (await read('/achievements')).sort((a: { key: string }, b: { key: string }) =>
    a.key.localeCompare(b.key),
  );
  expect(ten).toMatchObject({ key: 'ten-lessons', metricId: metric.id, metricValue: 10, status: 'active' });
  expect(everything.achievementIds).toEqual([ten.id]);
  const [coins] = await read('/points');
  expect((await read(`/points/${coins.id}/triggers`))[0]).toMatchObject({ points: 5, metricThreshold: 1 });
  expect((await read(`/points/${coins.id}/levels`))[0]).toMatchObject({ key: 'bronze', points: 50 });
  expect((await read(`/points/${coins.id}/boosts`))[0].userAttributes[0].attributeValue).toBe('pro');
  expect((await read('/leaderboards'))[0]).toMatchObject({ key: 'weekly-lessons', metricId: metric.id });
});

browserTest('streak, settings, webhooks and templates, too', async () => {
  await open('streak');
  await field('Enable streaks').check();
  await button('Add', web.page.getByRole('group', { name: 'Metrics' })).click();
  await choose('Metric', 'Lessons completed');
  await field('Total per period').fill('1');
  await field('Initial freezes of new users').fill('1');
  await field('Maximum per user').fill('2');
  await apply('Streak');
  expect(await read('/streaks/settings')).toMatchObject({
    metrics: [{ key: 'lessons-completed', threshold: 1 }],
    freezes: { startCount: 1, maxCount: 2 },
  });

  await open('settings');
  await field('App name').fill('Lingo');
  await field('Control group, in percent').fill('10');
  await field('Default time zone').fill('Europe/Berlin');
  await apply('Settings');
  expect(await read('/settings')).toMatchObject({
    branding: { appName: 'Lingo' },
    experimentation: { controlRatio: 10 },
    defaultTimeZone: 'Europe/Berlin',
  });

  await open('webhooks/new');
  await field('Name').fill('Backend');
  await field('URL').fill('https://example.com/hook');
  await field('achievement.completed').check();
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  await dialog().getByLabel('Signing secret').waitFor();
  await button('Close', dialog()).click();

  await open('templates/new');
  await field('Name').fill('Well done');
  await field('Subject').fill('You completed {{ achievement.name }}');
  await apply('Templates');
  expect((await read('/notifications/templates'))[0]).toMatchObject({ type: 'achievement_completed' });
});

browserTest('what is wrong is said at its field, and the first such field gets the focus', async () => {
  await open('achievements/new');
  await button('Review changes').click();
  const name = field('Name');
  await expect.poll(() => name.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  await expect.poll(() => web.page.getByText('Required.').count()).toBe(3);
  await name.fill('Hundred');
  await expect.poll(() => web.page.getByText('Required.').count()).toBe(2);
  await field('Target total').fill('-1');
  await web.page.getByText('Must be greater than 0.').waitFor();
  await field('URL').fill('nowhere');
  await web.page.getByText('Enter a URL such as').waitFor();
  expect(await findA11yProblems(web.page)).toEqual([]);
  expect(await dialog().count()).toBe(0);
});

browserTest('input that is not saved is asked about, by links and by the back button', async () => {
  await open('metrics');
  await web.page.getByRole('link', { name: 'New metric' }).click();
  await field('Name').fill('Half a metr');
  await web.page.getByRole('link', { name: 'Users', exact: true }).click();
  await button('Stay', dialog()).click();
  await expect.poll(() => field('Name').inputValue()).toBe('Half a metr');
  await web.page.goBack();
  await dialog().getByText('Your changes are not saved.').waitFor();
  await expect.poll(() => field('Name').inputValue()).toBe('Half a metr');
  await button('Stay', dialog()).click();
  await web.page.getByRole('link', { name: 'Users', exact: true }).click();
  await button('Leave', dialog()).click();
  await heading('Users').waitFor();
});

browserTest('a form shows what somebody else changes while it is open, by names', async () => {
  const achievements = await read('/achievements');
  const { id } = achievements.find((one: { key: string }) => one.key === 'ten-lessons');
  const { body } = await web.server.call('POST', '/admin/v1/metrics', [{ key: 'words', name: 'Words' }]);
  await open(`achievements/${id}`);
  const change = { id, metricId: body.created[0].id, hidden: true };
  expect((await web.server.call('PATCH', '/admin/v1/achievements', [change])).body.issues).toEqual([]);
  const rows = web.page.getByRole('region', { name: 'Changes by others' }).locator('tbody tr');
  await expect
    .poll(() => rows.allTextContents())
    .toEqual(['MetricLessons completedWords', 'Hidden until completednoyes']);
});

browserTest('a selector finds one of a thousand items, and a list shows all of them', async () => {
  const known = (await read('/achievements')).length;
  const items = Array.from({ length: 1_000 - known }, (_, i) => ({
    key: `a${i}`,
    name: `Achievement number ${String(i).padStart(3, '0')}`,
    trigger: 'api',
  }));
  for (let i = 0; i < items.length; i += 100)
    await web.server.call('POST', '/admin/v1/achievements', items.slice(i, i + 100));
  await open('achievements');
  await expect.poll(() => web.rows('Achievements').count()).toBe(1_000);
  await open('achievements/new');
  await field('Completed by').selectOption('Other achievements');
  const selector = field('Required achievements');
  await selector.click();
  await web.page.getByText('950 more. Type to search.').waitFor();
  await selector.fill('number 98');
  await expect.poll(() => web.page.getByRole('listbox').getByRole('option').count()).toBe(10);
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await web.page.keyboard.press(key);
  await button('Remove Achievement number 982').waitFor();
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});

browserTest('what announces a change takes it back', async () => {
  const names = async () => (await read('/metrics')).map(({ name }: Json) => name);
  const before = await names();
  const undo = button('Undo', web.page.locator('.announcements'));
  await open('metrics');
  await web.page.getByRole('link', { name: before[0] }).click();
  await field('Name').fill('Renamed');
  await apply('Renamed');
  expect(await names()).toContain('Renamed');
  await undo.click();
  // The page loads again afterwards.
  await heading(before[0]).waitFor();
  expect(await names()).toEqual(before);
  await open('metrics/new');
  await field('Name').fill('By mistake');
  await apply('Metrics');
  await web.page.getByRole('link', { name: 'By mistake' }).waitFor();
  await undo.click();
  await web.page.getByRole('link', { name: 'By mistake' }).waitFor({ state: 'detached' });
  expect(await names()).toEqual(before);

  await open('settings');
  const settings = await read('/settings');
  await field('App name').fill('Renamed');
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  await undo.click();
  await expect.poll(() => read('/settings')).toEqual(settings);
});
