import type { Request } from 'playwright-core';
import { expect } from 'vitest';
import { playTwoWeeks, sendHeld } from '../support/consoleGame.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';

/** Screens name users and items instead of showing ids. */
const web = useConsole('test/console/consoleNames.slow.test.ts', {
  async prepare(server) {
    const call = async (method: string, path: string, body?: object) =>
      (await server.call(method, `/admin/v1${path}`, body)).body;
    await server.startRelay();
    await playTwoWeeks(server);
    await sendHeld(
      server,
      ['ada', 'bob', 'unknown'].map((userId) => ({ value: 101, userId })),
    );
    await call('POST', '/users/bob/leaderboards/weekly/hide', { reason: 'Cheats' });
    await call('POST', '/users/cem/points/xp/adjustments', { amount: 5, reason: 'A gift' });
  },
});
const { button, dialog, go, rows } = web;

/** Addresses of the reads that a screen makes, without those of the screen before. */
async function readsOf(path: string): Promise<string[]> {
  await web.page.goto('about:blank');
  const read: string[] = [];
  const note = (request: Request) => void read.push(new URL(request.url()).pathname);
  web.page.on('request', note);
  await go(path);
  web.page.off('request', note);
  return read;
}

browserTest('held events name their users and metrics, without a call for each', async () => {
  const read = await readsOf('/console/held-events');
  const held = rows('Held events');
  await held.nth(2).waitFor();
  const users = (await held.all()).map((row) => row.locator('td').first().textContent());
  expect((await Promise.all(users)).sort()).toEqual(['Adaada', 'Bobbob', 'unknown']);
  const bob = held.filter({ hasText: 'Bob' });
  expect(await bob.getByRole('link', { name: 'Bob' }).getAttribute('href')).toBe('/console/users/bob');
  await bob.getByText('Lessons completed 101').waitFor();
  await bob.getByText('Value too high').waitFor();
  const ofUsers = read.filter((path) => /^\/admin\/v1\/users\/[^/]+$/.test(path));
  expect(new Set(ofUsers).size, 'only the user whose timeline is shown').toBeLessThanOrEqual(1);

  await button('Timeline: Bob', bob).click();
  await web.page.getByRole('heading', { name: 'Timeline of Bob' }).waitFor();
  await button('Reject: Bob, Lessons completed 101').click();
  await dialog().getByText('Lessons completed 101 of Bob.').waitFor();
  await dialog().getByLabel('Reason').fill('A bot');
  await button('Reject the event', dialog()).click();
  await bob.waitFor({ state: 'detached' });
});

browserTest('the audit log names items and users, with links, without a call for each', async () => {
  const read = await readsOf('/console/operations/audit');
  const entry = (text: string) => web.page.locator('.changes > li', { hasText: text });
  expect(read.filter((path) => path.startsWith('/admin/v1/users/'))).toEqual([]);
  const rejected = entry('Rejected a held event');
  await expect
    .poll(() => rejected.locator('> div').textContent())
    .toContain('Lessons completed · Bob: A bot');
  const boards = await web.call('GET', '/admin/v1/leaderboards');
  const board = boards.find(({ key }: { key: string }) => key === 'weekly');
  const hidden = entry('Hid from a leaderboard');
  expect(await hidden.getByRole('link', { name: board.name }).getAttribute('href')).toBe(
    `/console/configuration/leaderboards/${board.id}`,
  );
  expect(await hidden.getByRole('link', { name: 'Bob' }).getAttribute('href')).toBe('/console/users/bob');
  await entry('Adjusted points').getByRole('link', { name: 'Cem' }).waitFor();
  await entry('Adjusted points').getByText('Details').click();
  await entry('Adjusted points').getByText('User ID: cem').waitFor();
  const trigger = entry('Created points trigger').getByRole('link', { name: /^Gives 10 points for every 1/ });
  await trigger.first().click();
  await web.page.getByRole('heading', { level: 1, name: 'Edit trigger' }).waitFor();

  await go('/console/users/cem');
  const adjusted = web.page.locator('.timeline').getByText('Adjusted points XP: A gift');
  await adjusted.getByRole('link', { name: 'XP' }).waitFor();
});

browserTest('nothing went wrong in the browser', () => {
  // A user without an event that has counted does not exist yet.
  const problems = web.tab.problems.filter((one) => !/404.*\/held-events$/.test(one));
  expect(problems).toEqual([]);
});
