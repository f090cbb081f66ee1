import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  screenshot,
} from '../support/consoleBrowser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** The default e-mails in a browser. LAUREL_SCREENSHOTS names a folder for pictures of them. */
const PATH = '/admin/v1/notifications/templates';
const TYPES = ['achievement_completed', 'streak_reminder', 'recap', 'reactivation'];
const WIDTHS = [320, 700];
const SCHEMES = ['light', 'dark'] as const;
const LONG_NAME = 'Donaudampfschifffahrtsgesellschaftskapitän';
const ADDRESS = 'Sprachraum GmbH, Lindenstraße 4, 10969 Berlin, Germany';
const BRANDINGS = {
  none: {},
  green: {
    appName: 'Sprachraum',
    font: 'ROUNDED_SANS',
    brandColor: '#2f7d4f',
    appUrl: 'https://sprachraum.example',
    address: ADDRESS,
  },
  // Hard to read on white.
  yellow: {
    appName: LONG_NAME,
    font: 'MONOSPACE',
    brandColor: '#ffd500',
    appUrl: 'https://sprachraum.example',
    address: ADDRESS,
  },
};
const ACHIEVEMENTS = [
  { key: 'hundred', name: 'A hundred lessons', description: 'Completed 100 lessons.', badgeUrl: null },
  { key: 'long', name: LONG_NAME, description: `${LONG_NAME} ${LONG_NAME}`, badgeUrl: null },
];
const METRICS = [
  { key: 'lessons', name: 'Lessons completed', units: 'lessons', total: 420, change: 37, previous: 21 },
  { key: 'words', name: LONG_NAME, units: 'words', total: 1_234_567.5, change: 1_234_567.5, previous: 0 },
];
const DATA = {
  user: { name: 'Ada Lovelace' },
  streak: { length: 128, frequency: 'daily', unit: 'day' },
  achievement: ACHIEVEMENTS[0],
  achievements: ACHIEVEMENTS,
  recap: {
    frequency: 'weekly',
    unit: 'week',
    title: '16 to 22 November 2026',
    metrics: METRICS,
    points: [{ key: 'xp', name: 'XP', units: '', total: 5_400, change: 370, previous: 210 }],
    achievements: ACHIEVEMENTS,
  },
  totals: METRICS,
  reactivation: { messageNumber: 2, daysSinceLastActive: 5 },
  preferencesUrl: 'https://laurel.example/preferences/abc',
};
/** Conformance to WCAG; e-mails have no landmarks. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

if (chromiumProgram === null) {
  console.log(
    'chromium is not installed: the appearance of e-mails is not tested (apt-get install chromium)',
  );
}
describe.skipIf(chromiumProgram === null)('the default e-mails', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function render(type: string, branding: object): Promise<string> {
    await server.call('PATCH', '/admin/v1/settings', { branding });
    const template = { name: 'T', type, channel: 'email' };
    const { body } = await server.call('POST', PATH, [template]);
    const preview = await server.call('POST', `${PATH}/${body.created[0].id}/preview`, { data: DATA });
    expect(preview.status, JSON.stringify(preview.body)).toBe(200);
    return preview.body.html;
  }

  test.each(Object.entries(BRANDINGS))(
    'fit 320 pixels and are readable in light and dark, with branding: %s',
    async (name, branding) => {
      const emails: [string, string][] = [];
      for (const type of TYPES) emails.push([type, await render(type, branding)]);
      for (const colorScheme of SCHEMES) {
        for (const width of WIDTHS) {
          const { page, problems } = await openTab(browser, {
            colorScheme,
            viewport: { width, height: 900 },
          });
          for (const [type, html] of emails) {
            await page.setContent(html);
            const what = `${type}-${name}-${colorScheme}-${width}`;
            await screenshot(page, what);
            expect(await page.evaluate('document.documentElement.scrollWidth'), what).toBeLessThanOrEqual(
              width,
            );
            expect(await findA11yProblems(page, RULES), what).toEqual([]);
            expect(problems, what).toEqual([]);
          }
          await page.context().close();
        }
      }
    },
    120_000,
  );
});
