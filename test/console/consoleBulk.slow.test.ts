import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { loseAnswers } from '../support/consoleBrowser.ts';
import { at } from '../support/consoleGame.ts';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';

/** Changes of many users. */
const COUNT = 12;
const web = useConsole('test/console/consoleBulk.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    for (let i = 1; i <= COUNT; i++) {
      const user = { id: `user-${i}`, name: `User ${i}`, ...(i === 1 && { email: 'one@example.com' }) };
      await server.call('POST', '/v1/metrics/lessons/event', { user, value: 1 });
    }
    await server.relayed();
  },
});
const { button, dialog, go, rows } = web;
const users = () => rows('Users');
const ids = async (query: string): Promise<string[]> =>
  (await web.call('GET', `/admin/v1/users?sort=id&limit=100&${query}`)).users.map(
    ({ id }: { id: string }) => id,
  );
const select = async (...names: string[]): Promise<void> => {
  for (const name of names) await web.page.getByLabel(`Select: ${name}`, { exact: true }).check();
};
const change = async (name: string): Promise<void> => {
  await web.page.getByRole('button', { name: 'Change', exact: false }).first().click();
  await web.page.getByRole('menuitem', { name, exact: true }).click();
};
const submit = async (label: string): Promise<void> => {
  await dialog().getByLabel('Reason').fill('A test');
  await button(label, dialog()).click();
};
const fillPoints = async (amount: string): Promise<void> => {
  await dialog().getByLabel('System').fill('XP');
  await dialog().getByRole('option', { name: 'XP' }).click();
  await dialog().getByLabel('Amount').fill(amount);
};
const finished = () => dialog().waitFor({ state: 'detached' });

browserTest('selected users are blocked, and those who are already are left out', async () => {
  await web.call('POST', '/admin/v1/users/user-2/block', { reason: 'A bot' });
  await go('/console/users?sort=id');
  await expect.poll(() => users().count()).toBe(COUNT);
  await users().filter({ hasText: 'User 2' }).getByText('blocked').waitFor();
  await select('User 1', 'User 2', 'User 3');
  await web.page.getByText('3 users selected').waitFor();
  await expectGoodLook(web.page, 'bulk-selected');
  await change('Block');
  await dialog().getByText('Changes 2 of 3 users. Skipped: 1 already blocked.').waitFor();
  await expectGoodLook(web.page, 'bulk-block');
  await submit('Block: 3 users');
  await dialog().getByText('2 of 2 users done.').waitFor();
  await expectGoodLook(web.page, 'bulk-done');
  await button('Done', dialog()).click();
  await finished();
  await web.server.relayed();
  expect(await ids('blocked=true')).toEqual(['user-1', 'user-2', 'user-3']);
});

browserTest('a run is taken back for exactly the users that it changed', async () => {
  await go('/console/users?sort=id');
  await select('User 3', 'User 4', 'User 5');
  await change('Block');
  await dialog().getByText('Changes 2 of 3 users.').waitFor();
  await submit('Block: 3 users');
  await button('Take back', dialog()).click();
  await finished();
  await web.server.relayed();
  expect(await ids('blocked=true')).toEqual(['user-1', 'user-2', 'user-3']);
});

browserTest('all users who match are unblocked', async () => {
  await go('/console/users?blocked=true');
  await expect.poll(() => users().count()).toBe(3);
  await button('Select all that match').click();
  await web.page.getByText('3 users selected').waitFor();
  await change('Unblock');
  await dialog().getByText('Changes 3 of 3 users.').waitFor();
  await submit('Unblock: 3 users');
  // The dialog stays, with its button that takes the change back, when the list behind it is empty.
  await expect.poll(() => users().count()).toBe(0);
  await dialog().getByText('3 of 3 users done.').waitFor();
  await button('Done', dialog()).click();
  await web.page.getByText('No matching users').waitFor();
  expect(await ids('blocked=true')).toEqual([]);
});

browserTest('a run stops between two calls, and says what it has done', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await web.page.route(/adjustments$/, async (route) => {
    await held;
    await route.continue();
  });
  await go('/console/users?sort=id');
  await web.page.getByLabel('Select all shown').check();
  await change('Adjust points');
  await fillPoints('50');
  await dialog().getByText(`Changes ${COUNT} of ${COUNT} users.`).waitFor();
  await submit(`Adjust points: ${COUNT} users`);
  await button('Cancel', dialog()).click();
  release();
  await dialog().getByText('10 of 12 users done, 2 not changed.').waitFor();
  await web.page.unrouteAll({ behavior: 'wait' });
  const withMore = async (): Promise<number> => {
    const { users: all } = await web.call('GET', '/admin/v1/users?limit=100');
    const totals: number[] = all.map(({ points }: { points: { xp: { total: number } } }) => points.xp.total);
    return totals.filter((total) => total >= 50).length;
  };
  await expect.poll(withMore).toBe(10);
  await button('Take back', dialog()).click();
  await finished();
  await expect.poll(withMore).toBe(0);
});

browserTest('a user who is gone is refused with the reason', async () => {
  await go('/console/users?sort=id');
  await select('User 11', 'User 12');
  await change('Grant freeze');
  await web.call('DELETE', '/admin/v1/users/user-12');
  await submit('Grant freeze: 2 users');
  await dialog().getByText('1 of 2 users done, 1 refused.').waitFor();
  await dialog().getByRole('cell', { name: 'User 12 (user-12)' }).waitFor();
  await expectGoodLook(web.page, 'bulk-refused');
  await button('Done', dialog()).click();
});

browserTest('everybody who lost a streak on a day gets it back', async () => {
  // A freeze saves the first day without a lesson, and user 11 has two of them. User 12 is gone.
  await web.server.moveTo(at(4));
  await web.server.relayed();
  const lost = `streakLostOn=${at(3).slice(0, 10)}`;
  await go(`/console/users?${lost}`);
  await web.page.getByRole('list', { name: 'Active filters' }).getByText('Lost a streak on').waitFor();
  expect(await ids(lost)).toHaveLength(COUNT - 2);
  await expect.poll(() => users().count()).toBe(COUNT - 2);
  await web.page.getByLabel('Select all shown').check();
  await change('Restore streak');
  await dialog().getByText('Changes 10 of 10 users.').waitFor();
  await submit('Restore streak: 10 users');
  await dialog().getByText('10 of 10 users done.').waitFor();
  const streaks = await web.call('GET', '/v1/streaks?userIds=user-4,user-5');
  expect(streaks.map(({ streakLength }: { streakLength: number }) => streakLength)).toEqual([1, 1]);
  await button('Take back', dialog()).click();
  await finished();
  const ended = await web.call('GET', '/v1/streaks?userIds=user-4,user-5');
  expect(ended.map(({ streakLength }: { streakLength: number }) => streakLength)).toEqual([0, 0]);
});

browserTest('the file of selected users has names and the state of addresses', async () => {
  await go('/console/users?sort=id');
  await select('User 1', 'User 3');
  const download = web.page.waitForEvent('download');
  await button('Export selected').click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
  expect(lines[0]).toMatch(/^"User","Name","Blocked","Email","Emails",/);
  expect(lines[1]).toMatch(/^"user-1","User 1","","one@example.com","subscribed",/);
  expect(lines[2]).toMatch(/^"user-3","User 3","","","no address",/);
  expect(lines).toHaveLength(3);
  expect(web.tab.problems).toEqual([]);
});

browserTest('a run ends when the service does not answer', async () => {
  await web.page.route(/\/block$/, (route) => route.abort());
  await go('/console/users?sort=id');
  await select('User 1', 'User 3');
  await change('Block');
  await submit('Block: 2 users');
  await dialog().getByText('0 of 2 users done, 2 not changed.').waitFor();
  await dialog().getByRole('alert').getByText('Can’t reach laurel.').waitFor();
});

browserTest('points of a run that has failed come to nobody twice when it goes on', async () => {
  const names = ['User 1', 'User 3', 'User 4', 'User 5'];
  const totals = async (): Promise<number[]> => {
    const paths = names.map((name) => `/v1/users/${name.toLowerCase().replace(' ', '-')}/points/xp`);
    return (await Promise.all(paths.map((path) => web.call('GET', path)))).map(({ total }) => total);
  };
  const before = await totals();
  const more = (amount: number): number[] => before.map((total) => total + amount);
  const adjust = async (): Promise<void> => {
    await select(...names);
    await change('Adjust points');
  };
  await loseAnswers(web.tab, /user-[34]\/points\/xp\/adjustments$/);
  await go('/console/users?sort=id');
  await adjust();
  await fillPoints('70');
  await submit('Adjust points: 4 users');
  await dialog().getByText('2 of 4 users done, 2 not changed.').waitFor();
  await dialog().getByRole('alert').getByText('Can’t reach laurel.').waitFor();
  await web.page.unrouteAll({ behavior: 'wait' });
  expect(await totals()).toEqual(more(70));
  await button('Done', dialog()).click();

  await adjust();
  await dialog().getByText('The last change did not end.').waitFor();
  expect(await dialog().getByLabel('Amount').inputValue()).toBe('70');
  await button('Adjust points: 4 users', dialog()).click();
  await dialog().getByText('4 of 4 users done.').waitFor();
  expect(await totals()).toEqual(more(70));
  await button('Take back', dialog()).click();
  await finished();
  expect(await totals()).toEqual(before);

  // It has ended, so the same values are another change.
  await adjust();
  expect(await dialog().getByText('The last change did not end.').count()).toBe(0);
  await fillPoints('70');
  await submit('Adjust points: 4 users');
  await dialog().getByText('4 of 4 users done.').waitFor();
  await button('Done', dialog()).click();
  expect(await totals()).toEqual(more(70));
});
