import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { playTwoWeeks, sendHeld } from '../support/consoleGame.ts';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';

/** The console in German: in a German browser by itself, in another one by the choice in the menu. */
const web = useConsole('test/console/consoleGerman.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    await playTwoWeeks(server);
    await sendHeld(server, [{ value: 101, userId: 'ada' }]);
    await server.answer('POST', '/admin/v1/users/cem/points/xp/adjustments', {
      amount: 1234,
      reason: 'Gift',
    });
  },
  tab: { locale: 'de-DE' },
});
const { go } = web;

const german: Record<string, string | object> = JSON.parse(
  readFileSync(join(packageRoot(), 'src', 'console', 'text', 'languages', 'de.json'), 'utf8'),
);
/** English texts that a German console does not show. */
const english = new Set(Object.keys(german).filter((text) => !Object.values(german).includes(text)));

const SCREENS: [path: string, heading: string][] = [
  ['/console', 'Übersicht'],
  ['/console/users', 'Nutzer'],
  ['/console/users/ada', 'Ada'],
  ['/console/held-events', 'Zurückgehaltene Ereignisse'],
  ['/console/achievements', 'Erfolge'],
  ['/console/streaks', 'Serien'],
  ['/console/points', 'Punkte'],
  ['/console/leaderboards', 'Ranglisten'],
  ['/console/leaderboards/weekly', 'Lessons this week'],
  ['/console/experiment', 'Experiment'],
  ['/console/anomalies', 'Anomalien'],
  ['/console/configuration/metrics', 'Metriken'],
  ['/console/configuration/achievements/new', 'Erfolg anlegen'],
  ['/console/configuration/leaderboards/new', 'Rangliste anlegen'],
  ['/console/configuration/challenges/new', 'Challenge anlegen'],
  ['/console/configuration/templates/new', 'Vorlage anlegen'],
  ['/console/configuration/streak', 'Serie'],
  ['/console/configuration/settings', 'Einstellungen'],
  ['/console/configuration/history', 'Historie'],
  ['/console/operations', 'Status'],
  ['/console/operations/keys', 'Schlüssel'],
  ['/console/operations/audit', 'Audit-Protokoll'],
];

/** Texts of the page, also those of its attributes, that the catalogue has in English. */
async function leftovers(): Promise<string[]> {
  const texts = await web.page.evaluate<string[]>(`(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) found.push(walker.currentNode.textContent.trim());
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      for (const name of ['aria-label', 'placeholder', 'title']) found.push(element.getAttribute(name) ?? '');
    return found;
  })()`);
  return [...new Set(texts)].filter((text) => english.has(text));
}

/** Data: names of a leaderboard, of queues, of values in the audit log, and of values in previews of messages. */
const NAMES = [
  ...['Longest current streaks', 'webhooks', 'email', 'push'],
  ...['admin', 'active', 'daily', 'streaks', 'weekly'],
];

browserTest.each(SCREENS)('%s is in German', async (path, heading) => {
  await go(path);
  await web.heading(heading).waitFor();
  expect((await leftovers()).filter((text) => !NAMES.includes(text))).toEqual([]);
});

browserTest('the page says its language, numbers are German, and axe finds nothing', async () => {
  await go('/console/users/cem');
  await web.page.getByText('1.234', { exact: false }).first().waitFor();
  expect(await web.page.getAttribute('html', 'lang')).toBe('de');
  expect(await web.page.title()).toBe('Cem · laurel');
  await expectGoodLook(web.page, 'german-user');
});

browserTest('the search finds screens and commands in German', async () => {
  await go('/console');
  await web.page.keyboard.press('Control+k');
  await web.dialog().getByRole('combobox').fill('erfolg erstellen');
  await web.dialog().getByRole('option', { name: 'Erfolg erstellen' }).waitFor();
  await web.page.keyboard.press('Escape');
});

browserTest('a language that is chosen in the menu stays in this browser', async () => {
  const tab = await web.openTab({ locale: 'fr-FR' });
  const choice = tab.page.locator('#language');
  expect(await tab.page.getAttribute('html', 'lang')).toBe('en');
  await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await choice.selectOption({ label: 'Deutsch' });
  await tab.page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
  await tab.page.reload();
  await tab.page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
  await choice.selectOption({ label: 'English' });
  await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(tab.problems).toEqual([]);
  await tab.page.context().close();
});

browserTest('without its catalogue, the console is in English', async () => {
  const tab = await web.openTab({ locale: 'de-DE' });
  await tab.page.route('**/assets/de-*.json', (route) => route.fulfill({ status: 404 }));
  await tab.page.reload();
  await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await tab.page.context().close();
});
