import { afterAll, expect } from 'vitest';
import { drawn, findA11yProblems, screenshot, settled } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { type Importing, useImports } from '../support/importing.ts';

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
/** Applies the import of the sample data as a worker would. */
async function applyImport(): Promise<void> {
  const running = async () =>
    (await call('GET', '/admin/v1/imports')).find(({ state }: { state: string }) => state === 'running');
  await expect.poll(running).toBeDefined();
  await importing.apply((await running()).id);
}
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

browserTest.each(['Learning', 'Fitness', 'Shop', 'SaaS'])(
  'the template %s begins with sample data, and both are removed',
  async (template) => {
    await go('/console');
    const before = await config();
    await screenshot(web.page, 'start-empty');
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

browserTest('the progress of a template stays on the screen while its users appear', async () => {
  await go('/console');
  const release = await holdBack(/\/admin\/v1\/imports\/[^/]+$/);
  const isSeen = web.page.waitForResponse(
    async (response) => /\/users\?limit=1$/.test(response.url()) && (await response.json()).total > 0,
  );
  await button('Use Shop').click();
  await applyImport();
  await isSeen;
  await drawn(web.page);
  expect(await web.page.getByText(/^Importing four weeks of events/).count()).toBe(1);
  await release();
  await web.page.getByText('This service contains sample users.').waitFor();
  await removeSample('Shop');
});

browserTest('the copied call has a real key, and the first event appears by itself', async () => {
  await go('/console');
  await web.page.getByLabel(/Add 30 sample users/).uncheck();
  await button('Use SaaS').click();
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
