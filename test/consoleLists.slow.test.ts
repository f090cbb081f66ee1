import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chromiumProgram,
  launchBrowser,
  openTab,
  sayIfSkipped,
  signIn,
  type Tab,
  visit,
} from './support/consoleBrowser.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** Lists of the console that are longer than a page. */
sayIfSkipped('test/consoleLists.slow.test.ts');
const COUNT = 101;
let server: TestServer;
let browser: Browser;
let tab: Tab;
const browserTest = test.skipIf(chromiumProgram === null);

beforeAll(async () => {
  server = await startTestServer();
  if (chromiumProgram === null) return;
  browser = await launchBrowser();
  tab = await openTab(browser);
  await signIn(tab, server);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const rowsIn = (label: string) => tab.page.getByRole('region', { name: label }).locator('tbody tr');

browserTest(
  'deliveries of a webhook are shown page by page',
  async () => {
    const hook = { name: 'Hook', url: 'https://example.com/hook', events: ['points.changed'] };
    const { body } = await server.call('POST', '/admin/v1/webhooks', [hook]);
    const [{ id }] = body.created;
    for (let i = 0; i < COUNT; i++) await server.call('POST', `/admin/v1/webhooks/${id}/test`, {});
    await visit(tab, server, `/console/operations/deliveries?webhook=${id}`);
    const rows = rowsIn('Deliveries');
    await expect.poll(() => rows.count()).toBe(50);
    const more = tab.page.getByRole('button', { name: 'Show earlier' });
    await more.click();
    await expect.poll(() => rows.count()).toBe(100);
    await more.click();
    await expect.poll(() => rows.count()).toBe(COUNT);
    expect(await more.count()).toBe(0);
  },
  60_000,
);

browserTest('all ranks of a leaderboard are shown page by page', async () => {
  const events = Array.from({ length: 25 }, (_, i) => ({
    key: 'lessons',
    user: { id: `rank-${i + 1}`, name: `Rank ${i + 1}` },
    value: 100 - i,
  }));
  await server.call('POST', '/admin/v1/metrics/events', events);
  await visit(tab, server, '/console/leaderboards/weekly');
  const ranks = () => rowsIn('Ranking').locator('td:first-child').allTextContents();
  const ranksFrom = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
  await expect.poll(ranks).toEqual(ranksFrom(1, 20));
  expect(await tab.page.getByRole('button', { name: 'Better ranks' }).count()).toBe(0);
  await tab.page.getByRole('button', { name: 'Further ranks' }).click();
  await expect.poll(ranks).toEqual(ranksFrom(21, 25));
  await rowsIn('Ranking').getByText('Rank 25').waitFor();
  await tab.page.getByRole('button', { name: 'Better ranks' }).click();
  await expect.poll(ranks).toEqual(ranksFrom(1, 20));
});
