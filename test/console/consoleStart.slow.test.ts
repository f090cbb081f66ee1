import { afterAll, expect } from 'vitest';
import { withTimeout } from '../../src/base/withTimeout.ts';
import { drawn, findA11yProblems, screenshot, settled } from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';
import { type Importing, useImports } from '../support/importing.ts';
import type { Json } from '../support/reading.ts';
import { WAIT_MS } from '../support/until.ts';

/** An empty installation in a browser: starter templates, sample data, and the first event. */
let importing: Importing;
const web = useConsole('test/console/consoleStart.slow.test.ts', {
  server: { config: 'none' },
  async prepare(server) {
    await server.startRelay();
    importing = await useImports(server);
  },
});
afterAll(() => importing?.close());
const { button, call, go, holdBack } = web;

const config = () => call('GET', '/admin/v1/config');
/** The import of the sample data that is to be applied. */
async function runningImport(): Promise<string> {
  const running = async () =>
    (await call('GET', '/admin/v1/imports')).find(({ state }: { state: string }) => state === 'running');
  await expect.poll(running).toBeDefined();
  return (await running()).id;
}
/** Applies the import of the sample data as a worker would. */
const applyImport = async (): Promise<void> =>
  withTimeout(
    importing.apply(await runningImport()),
    2 * WAIT_MS,
    () => new Error('the import does not end'),
  );
async function removeSample(template: string): Promise<void> {
  await button('Remove sample data').click();
  await web.page.getByLabel(/Also remove the configuration/).check();
  await button('Remove').click();
  await button(`Use ${template}`).waitFor();
}
/** Ids of the users, as far as one page goes. */
const userIds = async (): Promise<string[]> =>
  (await call('GET', '/admin/v1/users?limit=100')).users.map(({ id }: { id: string }) => id);

browserTest('screens say what is not configured yet, once', async () => {
  await go('/console/streaks');
  await web.page.getByText('No streak configured').waitFor();
  expect(await web.page.locator('.tile').count()).toBe(0);
  await web.page.getByRole('link', { name: 'Configure the streak' }).click();
  await web.heading('Streak').waitFor();
  // The browser of this tab logs the refusal.
  const { page } = await web.openTab();
  await page.goto(`${web.server.url}/console/achievements/unknown`);
  await page.getByRole('alert').waitFor();
  await settled(page);
  expect(await page.getByRole('alert').allTextContents()).toEqual([
    expect.stringContaining('Achievement unknown does not exist'),
  ]);
});

/** What a service has without a configuration and users. */
async function contents(): Promise<unknown> {
  const lists = ['/v1/leaderboards', '/admin/v1/challenges', '/admin/v1/notifications/templates'];
  const { streak: _, ...configured } = await config();
  return {
    configured,
    users: await userIds(),
    lists: await Promise.all(lists.map((path) => call('GET', path))),
  };
}

/** What analytics have counted in the last thirty days. */
async function countedUsers(): Promise<number> {
  const { periods } = await call('GET', '/admin/v1/analytics/activity');
  return periods.reduce((sum: number, { activeUsers, newUsers }: Json) => sum + activeUsers + newUsers, 0);
}

browserTest.each(['Language', 'Fitness', 'Community', 'Energy game'])(
  'the template %s begins with sample data, and both are removed',
  async (template) => {
    await go('/console');
    const before = await config();
    await screenshot(web.page, 'start-empty');
    expect(await findA11yProblems(web.page)).toEqual([]);
    await web.page.getByLabel(/activity at once/).check();
    await button(`Use ${template}`).click();
    await applyImport();
    await web.page.getByText('This service contains sample users.').waitFor();
    await settled(web.page);
    expect(await findA11yProblems(web.page)).toEqual([]);
    await screenshot(web.page, `start-${template}`);
    await expect.poll(async () => (await userIds()).length).toBe(30);
    expect((await userIds()).filter((id) => !id.startsWith('laurel-sample-'))).toEqual([]);
    const activeDays = async (): Promise<number> => {
      const { periods } = await call('GET', '/admin/v1/analytics/activity');
      return periods.filter(({ activeUsers }: { activeUsers: number }) => activeUsers > 0).length;
    };
    await expect.poll(activeDays).toBeGreaterThan(10);
    await call('PUT', '/v1/users/mine', { name: 'Mine' });

    await removeSample(template);
    await expect.poll(userIds).toEqual(['mine']);
    const { streak: _, ...after } = await config();
    const { streak: __, ...expected } = before;
    expect(after).toEqual(expected);
    await call('DELETE', '/admin/v1/users/mine');
  },
);

browserTest('days are played while screens change, until somebody stops them', async () => {
  await go('/console');
  const before = await contents();
  await button('Use Language').click();
  const id = await runningImport();
  // The first users come after the overview has looked for some.
  await web.page.getByText('Analytics appear after the first event.').waitFor();
  await settled(web.page);
  const played = importing.apply(id);
  const day = web.page.getByText(/^Sample users play day [3-9] of 30/);
  await day.waitFor();
  await web.page.getByText('This service contains sample users.').waitFor();
  await expectGoodLook(web.page, 'playing-overview');
  await web.page.getByRole('link', { name: 'Users', exact: true }).click();
  await web.rows('Users').first().waitFor();
  await web.page.getByRole('link', { name: 'Points', exact: true }).click();
  await day.waitFor();
  await web.page.setViewportSize({ width: 390, height: 800 });
  await expectGoodLook(web.page, 'playing-points-390');
  await web.page.setViewportSize({ width: 1440, height: 900 });
  await button('Stop').click();
  await played;
  await web.page.getByText('The sample users have stopped.').waitFor();
  expect(await call('GET', `/admin/v1/imports/${id}`)).toMatchObject({ state: 'cancelled' });
  expect(await button('Stop').count()).toBe(0);
  await go('/console');
  expect((await web.server.call('DELETE', '/admin/v1/analytics')).status).toBe(422);
  await removeSample('Language');
  expect(await contents()).toEqual(before);
  expect(await countedUsers()).toBe(0);
});

browserTest('sample users can be removed while they play', async () => {
  await go('/console');
  const before = await contents();
  await button('Use Energy game').click();
  const played = importing.apply(await runningImport());
  await web.page.getByText(/^Sample users play day/).waitFor();
  await web.page.getByText('This service contains sample users.').waitFor();
  await removeSample('Energy game');
  await played;
  expect(await contents()).toEqual(before);
  expect(await countedUsers()).toBe(0);
});

browserTest(
  'a dialog of the first steps stays open when the overview learns of the first users',
  async () => {
    const before = await contents();
    await call('POST', '/admin/v1/metrics', [{ key: 'steps', name: 'Steps' }]);
    let showSteps = (): void => {};
    const held = new Promise<void>((resolve) => {
      showSteps = resolve;
    });
    await web.page.route(/\/webhooks\?/, (route) => held.then(() => route.continue()));
    await web.page.goto(`${web.server.url}/console`);
    await web.page.getByText('Analytics appear after the first event.').waitFor();
    const releaseUsers = await holdBack(/\/users\?limit=1$/);
    await call('PUT', '/v1/users/laurel-sample-01', { name: 'Ada' });
    showSteps();
    await button('Remove sample data').click();
    await web.dialog().waitFor();
    await releaseUsers();
    await web.page.getByText('Updates live.').waitFor();
    expect(await web.dialog().count()).toBe(1);
    await button('Remove', web.dialog()).click();
    await web.page.getByText('Analytics appear after the first event.').waitFor();
    await call('PUT', '/admin/v1/config?prune=true', { metrics: [] });
    expect(await contents()).toEqual(before);
  },
);

browserTest('the progress of a template stays on the screen while its users appear', async () => {
  await go('/console');
  const release = await holdBack(/\/admin\/v1\/imports\/[^/]+$/);
  const isSeen = web.page.waitForResponse(
    async (response) => /\/users\?limit=1$/.test(response.url()) && (await response.json()).total > 0,
  );
  await web.page.getByLabel(/activity at once/).check();
  await button('Use Community').click();
  await applyImport();
  await isSeen;
  await drawn(web.page);
  expect(await web.page.getByText(/^Importing thirty days of events/).count()).toBe(1);
  await release();
  await web.page.getByText('This service contains sample users.').waitFor();
  await removeSample('Community');
});

browserTest('the copied call has a real key, and the first event appears by itself', async () => {
  await go('/console');
  await web.page.getByLabel('Add no sample users').check();
  await button('Use Community').click();
  await web.page.getByText('Waiting for the first event').waitFor();
  expect(await button('Remove sample data').count()).toBe(0);
  await button('Insert a new key').click();
  const snippet = web.page.getByLabel('Command that records an event');
  await expect.poll(() => snippet.inputValue()).not.toContain('YOUR_KEY');
  const [, url, key, body] = /^curl (\S+).*X-API-KEY: ([^']+)'.*-d '([^']+)'$/s.exec(
    await snippet.inputValue(),
  )!;
  const reply = await fetch(url!, {
    method: 'POST',
    headers: { 'X-API-KEY': key!, 'Content-Type': 'application/json' },
    body: body!,
  });
  expect(reply.status).toBe(201);
  await web.page.getByText('First event from your app').waitFor();
  await web.page.getByRole('link', { name: 'Ada' }).first().waitFor();
  expect(web.tab.problems).toEqual([]);
});
