import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { type Tab, visit } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';

/** Two people who change the same part of the configuration in the console. */
const web = useConsole('test/console/consoleOverwrites.slow.test.ts');
let ada: Tab;
let bob: Tab;
beforeAll(async () => {
  ada = web.tab;
  bob = await web.openTab();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
async function apply({ page }: Tab, label: string, value: string): Promise<void> {
  await page.getByRole('textbox', { name: label }).first().fill(value);
  await button(page, 'Review changes').click();
  await button(page, 'Apply').click();
}

browserTest(
  'the later one sees what the first one changed, and may reload or apply nevertheless',
  async () => {
    const created = await web.server.call('POST', '/admin/v1/metrics', [{ key: 'runs', name: 'Runs' }]);
    const [{ id }] = created.body.created;
    const nameNow = async () => (await web.server.call('GET', `/admin/v1/metrics/${id}`)).body.name;
    const path = `/console/configuration/metrics/${id}`;
    await visit(ada, web.server, path);
    await visit(bob, web.server, path);
    await apply(ada, 'Name', 'Laps');
    await ada.page.getByRole('heading', { level: 1, name: 'Laps' }).waitFor();

    await apply(bob, 'Name', 'Rounds');
    const dialog = bob.page.getByRole('dialog');
    await dialog.getByText('metrics "runs" (name) changed since version').waitFor();
    const theirs = dialog.locator('.diff').last();
    await dialog.getByRole('heading', { name: 'Changes by others' }).waitFor();
    await expect.poll(() => theirs.locator('tbody tr').allTextContents()).toEqual(['NameRunsLaps']);
    expect(await nameNow()).toBe('Laps');
    await button(bob.page, 'Discard my changes and reload').click();
    await bob.page.getByRole('heading', { level: 1, name: 'Laps' }).waitFor();
    await expect
      .poll(() => bob.page.getByRole('textbox', { name: 'Name' }).first().inputValue())
      .toBe('Laps');

    await apply(ada, 'Name', 'Loops');
    await ada.page.getByRole('heading', { level: 1, name: 'Loops' }).waitFor();
    await apply(bob, 'Name', 'Rounds');
    await button(bob.page, 'Apply my changes anyway').click();
    await bob.page.getByRole('heading', { level: 1, name: 'Rounds' }).waitFor();
    expect(await nameNow()).toBe('Rounds');
  },
);

browserTest(
  'an item that somebody else changed is not deleted from a list that was read before',
  async () => {
    const created = await web.server.call('POST', '/admin/v1/metrics', [{ key: 'swims', name: 'Swims' }]);
    const [{ id }] = created.body.created;
    const status = async () => (await web.server.call('GET', `/admin/v1/metrics/${id}`)).status;
    await visit(bob, web.server, '/console/configuration/metrics');
    const row = bob.page.getByRole('row').filter({ hasText: 'Swims' });
    await row.waitFor();
    await web.server.call('PATCH', '/admin/v1/metrics', [{ id, name: 'Swims now' }]);

    await row.getByRole('button', { name: 'Delete' }).click();
    const dialog = bob.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('metrics "swims" (name) changed since version').waitFor();
    await dialog.getByText('Swims now').waitFor();
    expect(await status()).toBe(200);

    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await status()).toBe(404);
  },
);

browserTest('the settings are not overwritten either', async () => {
  const path = '/console/configuration/settings';
  await visit(ada, web.server, path);
  await visit(bob, web.server, path);
  await apply(ada, 'App name', 'Theirs');
  await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
  await apply(bob, 'App name', 'Mine');
  await bob.page.getByText('settings "settings" (branding) changed since version').waitFor();
  const { body } = await web.server.call('GET', '/admin/v1/settings');
  expect(body.branding.appName).toBe('Theirs');
});

browserTest('a file that was shown before is not applied over changes of others', async () => {
  await web.server.call('PUT', '/admin/v1/config', { metrics: [{ key: 'laps', name: 'Rounds' }] });
  await visit(bob, web.server, '/console/configuration/file');
  await button(bob.page, 'Load current configuration').click();
  const content = bob.page.getByRole('textbox', { name: 'Configuration' });
  await expect.poll(() => content.inputValue()).toContain('Rounds');
  await web.server.call('PUT', '/admin/v1/config', { metrics: [{ key: 'laps', name: 'Theirs' }] });
  await button(bob.page, 'Review changes').click();
  await bob.page.getByText('metrics "laps" (name) changed since version').waitFor();
  await button(bob.page, 'Review changes').click();
  const row = bob.page.getByRole('dialog').getByRole('row').filter({ hasText: 'laps' });
  expect(await row.textContent()).toContain('TheirsRounds');
});
