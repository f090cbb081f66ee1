import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  screenshot,
  settled,
  signIn,
  type Tab,
  visit,
} from './support/consoleBrowser.ts';
import { type Importing, useImports } from './support/importing.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** An empty installation in a browser: starter templates, sample data, and the first event. */
sayIfSkipped('test/consoleStart.slow.test.ts');
let server: TestServer;
let browser: Browser;
let tab: Tab;
let importing: Importing;

beforeAll(async () => {
  server = await startTestServer({ env: { LAUREL_CONFIG: 'none' } });
  await server.startRelay();
  importing = await useImports(server);
  if (chromiumProgram === null) return;
  browser = await launchBrowser();
  tab = await openTab(browser);
  await signIn(tab, server);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await importing?.close();
  await server?.stop();
});

const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
const config = async () => (await server.call('GET', '/admin/v1/config')).body;

test.skipIf(chromiumProgram === null).each(['Learning', 'Fitness', 'Shop', 'SaaS'])(
  'the template %s begins with sample data, and both are removed',
  async (template) => {
    await visit(tab, server, '/console');
    const before = await config();
    await screenshot(tab.page, 'start-empty');
    await button(`Use ${template}`).click();
    const running = async () =>
      (await server.call('GET', '/admin/v1/imports')).body.find(
        ({ state }: { state: string }) => state === 'running',
      );
    await expect.poll(running, { timeout: 30_000 }).toBeDefined();
    await importing.apply((await running()).id);
    await tab.page.getByText('Sample users play here.').waitFor({ timeout: 60_000 });
    await settled(tab.page);
    expect(await findA11yProblems(tab.page)).toEqual([]);
    await screenshot(tab.page, `start-${template}`);
    const { body } = await server.call('GET', '/admin/v1/users?limit=100');
    expect(body.users).toHaveLength(30);
    expect(body.users.filter(({ id }: { id: string }) => !id.startsWith('laurel-sample-'))).toEqual([]);
    const days = (await server.call('GET', '/admin/v1/analytics/activity')).body.periods;
    expect(days.filter(({ activeUsers }: { activeUsers: number }) => activeUsers > 0).length).toBeGreaterThan(
      10,
    );
    await server.call('PUT', '/v1/users/mine', { name: 'Mine' });

    await button('Remove the sample data').click();
    await tab.page.getByLabel(/Also remove the configuration/).check();
    await button('Remove').click();
    await button(`Use ${template}`).waitFor({ timeout: 60_000 });
    const left = (await server.call('GET', '/admin/v1/users')).body;
    expect(left.users.map(({ id }: { id: string }) => id)).toEqual(['mine']);
    const { streak: _, ...after } = await config();
    const { streak: __, ...expected } = before;
    expect(after).toEqual(expected);
    await server.call('DELETE', '/admin/v1/users/mine');
  },
  120_000,
);

test.skipIf(chromiumProgram === null)(
  'the copied call has a real key, and the first event appears by itself',
  async () => {
    await visit(tab, server, '/console');
    await tab.page.getByLabel(/With 30 sample users/).uncheck();
    await button('Use SaaS').click();
    await tab.page.getByText('Waiting for the first event').waitFor();
    expect(await button('Remove the sample data').count()).toBe(0);
    await button('Put a new key in').click();
    const call = tab.page.getByLabel('A call that records an event');
    await expect.poll(() => call.inputValue()).not.toContain('YOUR_KEY');
    const [, url, key, body] = /^curl (\S+).*X-API-KEY: ([^']+)'.*-d '([^']+)'$/s.exec(
      await call.inputValue(),
    )!;
    const reply = await fetch(url!, {
      method: 'POST',
      headers: { 'X-API-KEY': key!, 'Content-Type': 'application/json' },
      body: body!,
    });
    expect(reply.status).toBe(201);
    await tab.page.getByText('It came from').waitFor();
    expect(await tab.page.getByRole('link', { name: 'Ada' }).count()).toBeGreaterThan(0);
    expect(tab.problems).toEqual([]);
  },
  60_000,
);
