import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findA11yProblems, screenshot, settled } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';

/** A newcomer configures an empty installation without a mouse. */
const web = useConsole('test/console/consoleKeyboard.slow.test.ts', {
  server: { config: 'none' },
  prepare: (server) => server.startRelay(),
});
const { go } = web;
const TABS_MAX = 120;

const FOCUSED = `(({ labels, innerText, ariaLabel }) => (labels?.[0]?.innerText ?? ariaLabel ?? innerText ?? '').trim())(document.activeElement)`;

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const exact = typeof name === 'string';
  await page
    .getByRole('button', { name, exact })
    .or(page.getByRole('link', { name, exact }))
    .or(page.getByLabel(name, { exact }))
    .first()
    .waitFor();
  const seen: string[] = [];
  for (let i = 0; i < TABS_MAX; i++) {
    await page.keyboard.press('Tab');
    const focused = String(await page.evaluate(FOCUSED));
    if (typeof name === 'string' ? focused === name : name.test(focused)) return;
    seen.push(focused);
  }
  throw new Error(`${name} cannot be reached with Tab; ${[...new Set(seen)].join(' | ')}`);
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function fill(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await type(page, text);
}

/** Types into what has the focus. */
async function type(page: Page, text: string): Promise<void> {
  // What a list offers may still be on its way.
  await expect.poll(() => page.evaluate('document.activeElement.options?.length ?? 2')).toBeGreaterThan(1);
  await page.keyboard.type(text);
  const role = await page.evaluate('document.activeElement.role');
  if (role === 'combobox') await page.getByRole('listbox').getByRole('option').first().waitFor();
}

async function apply(page: Page): Promise<void> {
  await press(page, 'Review changes');
  await page.getByRole('dialog').waitFor();
  await press(page, 'Apply');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function arrive(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await settled(page);
}

const EMPTY = [
  '/console',
  '/console/users',
  '/console/achievements',
  '/console/streaks',
  '/console/points',
  '/console/leaderboards',
  '/console/experiment',
  '/console/test-clock',
  '/console/configuration/metrics',
  '/console/operations',
  '/console/operations/notifications',
  '/console/operations/activations',
  '/console/operations/imports',
];

browserTest('empty screens say what to do next', async () => {
  for (const path of EMPTY) {
    await go(path);
    expect(await findA11yProblems(web.page), path).toEqual([]);
    await screenshot(web.page, `empty${path.replaceAll('/', '-')}`);
  }
  await go('/console/users');
  await web.page.getByText('No users yet').waitFor();
  expect(web.tab.problems).toEqual([]);
});

browserTest(
  'a newcomer configures a game, sends an event and sees a run end, by keyboard alone',
  async () => {
    const { page } = web;
    await go('/console');
    await press(page, 'create a metric');
    await arrive(page, 'New metric');
    await fill(page, /^Name/, 'Lessons');
    await apply(page);
    await arrive(page, 'Metrics');

    await press(page, 'Overview');
    await press(page, 'A streak');
    await arrive(page, 'Streak');
    await tabTo(page, 'Enable streaks');
    if (!(await page.getByLabel('Enable streaks').isChecked())) await page.keyboard.press('Space');
    await expect.poll(() => page.getByLabel('Enable streaks').isChecked()).toBe(true);
    await press(page, 'Add');
    await expect.poll(() => page.evaluate(FOCUSED)).toMatch(/^Metric/);
    await type(page, 'Lessons');
    await fill(page, /^Total per period/, '1');
    await apply(page);

    await press(page, 'Overview');
    await press(page, 'An achievement');
    await arrive(page, 'New achievement');
    await fill(page, /^Name/, 'First lesson');
    await fill(page, /^Metric$/, 'Lessons');
    await fill(page, /^Target total/, '1');
    await apply(page);
    await arrive(page, 'Achievements');

    await press(page, 'Overview');
    await press(page, 'A leaderboard');
    await arrive(page, 'New leaderboard');
    await fill(page, /^Name/, 'Weekly');
    await fill(page, /^Metric$/, 'Lessons');
    await fill(page, /^Reset every/, 'day');
    await fill(page, /^Interval/, '7');
    await apply(page);
    await arrive(page, 'Leaderboards');

    await press(page, 'Overview');
    await fill(page, 'User ID', 'ada');
    await press(page, 'Send event');
    await page.getByText('Completed: First lesson').waitFor();
    await page.getByRole('region', { name: 'Users by last activity' }).getByText('ada').waitFor();

    await press(page, 'Test clock');
    await arrive(page, 'Test clock');
    await press(page, '1 week');
    await page.getByText('1 streak lost').waitFor();
    await press(page, '1 day');
    await page.getByText(/Weekly: the run of .* ended. Winner: ada/).waitFor();

    await press(page, 'Leaderboards');
    await press(page, 'Weekly');
    await arrive(page, 'Weekly');
    const winners = page.getByRole('region', { name: 'Winners' });
    await winners.getByText('ada').waitFor();
    expect(web.tab.problems).toEqual([]);
  },
);
