import { expect } from 'vitest';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';
import { item, items } from '../support/items.ts';

/** A condition is tried on the latest events while somebody builds it. */
const web = useConsole('test/console/consoleConditions.slow.test.ts', {
  server: {
    relay: true,
    config: {
      attributes: { event: [item('distance', { name: 'Distance', valueType: 'number' })] },
      metrics: items('runs'),
    },
  },
  prepare: async (server) => {
    for (let km = 1; km <= 12; km++)
      await server.record({ id: 'ada', name: 'Ada' }, 1, 'runs', { attributes: { distance: km } });
  },
});
const { button, go } = web;
const tried = () => web.page.getByRole('region', { name: 'The condition on the latest events' });

browserTest('the builder says how many of the latest events count, and shows some', async () => {
  await go('/console/configuration/achievements/new');
  await web.page.getByLabel('Name').fill('Long run');
  await web.page.getByLabel('Metric').fill('Runs');
  await web.page.getByRole('option', { name: 'Runs' }).first().click();
  await button('Add condition').click();
  await tried().getByText('The condition holds for 12 of the last 12 events.').waitFor();
  await web.page.getByLabel('What is compared').selectOption('Distance');
  await web.page.getByLabel('Value', { exact: true }).fill('10');
  await tried().getByText('The condition holds for 3 of the last 12 events.').waitFor();
  await tried()
    .getByRole('row', { name: /^Yes Ada .* distance: 12$/ })
    .waitFor();
  await tried()
    .getByRole('row', { name: /^No Ada .* distance: 9$/ })
    .waitFor();
  expect(await tried().getByRole('row').count()).toBe(7);
  for (const width of [1440, 390]) {
    await web.page.setViewportSize({ width, height: 900 });
    await expectGoodLook(web.page, `condition-tried-${width}`);
  }
});

browserTest('a condition that cannot be tried says why', async () => {
  await web.page.route('**/metrics/match', (route) =>
    route.fulfill({ status: 503, json: { error: 'The history is not available; try again' } }),
  );
  await web.page.getByLabel('Value', { exact: true }).fill('11');
  await web.page
    .getByText('The condition cannot be tried: The history is not available; try again')
    .waitFor();
  await web.page.unrouteAll({ behavior: 'ignoreErrors' });
  web.tab.problems.length = 0;
  await web.page.getByLabel('Value', { exact: true }).fill('8');
  await tried().getByText('The condition holds for 5 of the last 12 events.').waitFor();
});
