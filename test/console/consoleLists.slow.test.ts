import { expect } from 'vitest';
import { browserTest, useConsole } from '../support/consoleTests.ts';

/** Lists of the console that are longer than a page. */
const web = useConsole('test/console/consoleLists.slow.test.ts');
const { button, call, go, rows } = web;
const COUNT = 101;

browserTest('deliveries of a webhook are shown page by page', async () => {
  const hook = { name: 'Hook', url: 'https://example.com/hook', events: ['points.changed'] };
  const [{ id }] = (await call('POST', '/admin/v1/webhooks', [hook])).created;
  for (let i = 0; i < COUNT; i++) await call('POST', `/admin/v1/webhooks/${id}/test`, {});
  await go(`/console/operations/deliveries?webhook=${id}`);
  const count = () => rows('Deliveries').count();
  await expect.poll(count).toBe(50);
  const more = button('Show more');
  await more.click();
  await expect.poll(count).toBe(100);
  await more.click();
  await expect.poll(count).toBe(COUNT);
  await expect.poll(() => more.count()).toBe(0);
});

browserTest('all ranks of a leaderboard are shown page by page', async () => {
  const events = Array.from({ length: 25 }, (_, i) => ({
    key: 'lessons',
    user: { id: `rank-${i + 1}`, name: `Rank ${i + 1}` },
    value: 100 - i,
  }));
  await call('POST', '/admin/v1/metrics/events', events);
  await go('/console/leaderboards/weekly');
  const ranks = () => rows('Ranking').locator('td:first-child').allTextContents();
  const ranksFrom = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
  await expect.poll(ranks).toEqual(ranksFrom(1, 20));
  await expect.poll(() => button('Previous ranks').count()).toBe(0);
  await button('Next ranks').click();
  await expect.poll(ranks).toEqual(ranksFrom(21, 25));
  await rows('Ranking').getByText('Rank 25').waitFor();
  await button('Previous ranks').click();
  await expect.poll(ranks).toEqual(ranksFrom(1, 20));
});

browserTest(
  'a leaderboard is paused, resumed, and its run gets another last day, each with a reason',
  async () => {
    await go('/console/leaderboards/weekly');
    const dialog = web.page.getByRole('dialog');
    const act = async (label: string, fill?: () => Promise<void>) => {
      await button(label).click();
      await fill?.();
      await dialog.getByLabel('Reason').fill('A test');
      await button(label, dialog).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await act('Pause');
    await web.page.getByText('This leaderboard is paused').waitFor();
    await act('Resume');
    await button('Pause').waitFor();
    await act('Change last day');
    const id = await web.server
      .call('GET', '/admin/v1/leaderboards')
      .then(({ body }) => body.find(({ key }: { key: string }) => key === 'weekly').id);
    const [latest] = await call('GET', `/admin/v1/audit?id=${id}`);
    expect(latest.after.runEnds).toMatchObject([{ reason: 'A test' }]);
    expect(latest.after.pauses).toMatchObject([{ reason: 'A test', resumeReason: 'A test' }]);
  },
);
