import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { shadcnFiles } from '../../tools/site/shadcnRegistry.ts';
import { installClients } from '../support/clientPackages.ts';
import {
  chromiumProgram,
  launchBrowser,
  openTab,
  sayIfSkipped,
  type Tab,
} from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLook } from '../support/consoleTests.ts';
import { useServer } from '../support/useServer.ts';

/** clients/shadcn as `npx shadcn add` puts it into a project, there without Tailwind. */

const SECRET = 'the-secret-of-this-installation-0123';
const SOURCES = join(packageRoot(), 'clients/shadcn/registry');
const UTILS = `export const cn = (...classes: unknown[]) => classes.filter(Boolean).join(' ');`;
const APP = `
import { LaurelProvider } from 'laurel-react';
import { createRoot } from 'react-dom/client';
import { LaurelAchievements } from '@/components/laurel-achievements';
import { LaurelLeaderboard } from '@/components/laurel-leaderboard';
import { LaurelLeague } from '@/components/laurel-league';
import { LaurelLevel } from '@/components/laurel-level';
import { LaurelStreak } from '@/components/laurel-streak';
import { LaurelWrapped } from '@/components/laurel-wrapped';
createRoot(document.getElementById('root')!).render(
  <LaurelProvider url={document.body.dataset.url!} token={document.body.dataset.token!}>
    <LaurelStreak />
    <LaurelLevel points="xp" />
    <LaurelLeaderboard board="weekly" limit={3} />
    <LaurelLeague board="league" />
    <LaurelAchievements />
    <LaurelWrapped />
  </LaurelProvider>,
);`;
const CONFIG = {
  metrics: [{ key: 'lessons', name: 'Lessons', units: 'lessons' }],
  streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [
    { key: 'first', name: 'First lesson', trigger: 'metric', metric: 'lessons', metricValue: 1 },
    { key: 'ten', name: 'Ten lessons', trigger: 'metric', metric: 'lessons', metricValue: 10 },
  ],
  points: [
    {
      key: 'xp',
      name: 'XP',
      levels: [
        { key: 'bronze', name: 'Bronze', points: 10 },
        { key: 'silver', name: 'Silver', points: 100 },
      ],
      triggers: [{ type: 'metric', metric: 'lessons', metricThreshold: 1, points: 10 }],
    },
  ],
  leaderboards: [
    {
      key: 'weekly',
      name: 'This week',
      rankBy: 'metric',
      metric: 'lessons',
      start: '2026-01-05',
      runUnit: 'day',
      runInterval: 7,
    },
    {
      key: 'league',
      name: 'League',
      rankBy: 'points',
      points: 'xp',
      start: '2026-01-05',
      runUnit: 'day',
      runInterval: 7,
      league: {
        groupSize: 10,
        tiers: [
          { key: 'wood', name: 'Wood', promote: 1 },
          { key: 'stone', name: 'Stone', demote: 1 },
        ],
      },
    },
  ],
};

let home: string;
let pages: Server;
let browser: Browser;
let tab: Tab;
let page: Page;
const server = useServer({
  config: CONFIG,
  relay: true,
  env: { LAUREL_USER_TOKEN_SECRET: SECRET, LAUREL_CORS_ORIGINS: '*' },
});

async function buildApp(): Promise<string> {
  const source = join(home, 'src');
  await mkdir(join(source, 'lib'), { recursive: true });
  await cp(SOURCES, join(source, 'components'), { recursive: true });
  await writeFile(join(source, 'lib/utils.ts'), UTILS);
  await writeFile(join(source, 'main.tsx'), APP);
  await build({
    root: home,
    configFile: false,
    // A page without server components has no use for `use client`, and Vite warns of it.
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic' } },
    resolve: { alias: { '@': source } },
    build: {
      outDir: join(home, 'built'),
      rolldownOptions: { input: join(source, 'main.tsx'), output: { entryFileNames: 'app.js' } },
    },
  });
  return readFile(join(home, 'built/app.js'), 'utf8');
}

beforeAll(async () => {
  if (!chromiumProgram) return sayIfSkipped('shadcn');
  home = await installClients();
  const program = await buildApp();
  await server.record({ id: 'ada', name: 'Ada' }, 3);
  await server.record({ id: 'bob', name: 'Bob' }, 5);
  await server.relayed();
  const token = await new SignJWT({ scope: 'read' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('ada')
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRET));
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>App</title><body data-url="${server.url}" data-token="${token}">
    <main><h1>App</h1><div id="root"></div></main><script type="module" src="/app.js"></script>`;
  pages = createServer(({ url }, response) => {
    if (url === '/app.js') response.setHeader('Content-Type', 'text/javascript').end(program);
    else response.setHeader('Content-Type', 'text/html').end(html);
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser();
  tab = await openTab(browser);
  page = tab.page;
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}`);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  if (pages) await new Promise((resolve) => pages.close(resolve));
  if (home) await rm(home, { recursive: true });
});

const textOf = async (name: string): Promise<string> =>
  (await page.locator(`[data-slot=laurel-${name}]`).allInnerTexts()).join().replaceAll(/\s+/g, ' ');

test('the registry has each component with its source', async () => {
  const files = shadcnFiles();
  const { items } = JSON.parse(files[0]!.text) as { items: { name: string }[] };
  expect(files.slice(1).map(({ name }) => name)).toEqual(items.map(({ name }) => `${name}.json`));
  for (const { name, text } of files.slice(1)) {
    const [file] = JSON.parse(text).files;
    expect(file.content).toBe(await readFile(join(SOURCES, name.replace('.json', '.tsx')), 'utf8'));
  }
});

browserTest('components show what the API answers, and axe finds nothing', async () => {
  await expect.poll(() => textOf('streak')).toContain('1 day in a row Done for this day');
  await expect.poll(() => textOf('level')).toBe('Bronze 30 XP 70 XP to Silver');
  await expect.poll(() => textOf('leaderboard')).toContain('1 Bob 5 2 Ada 3');
  await expect.poll(() => textOf('league')).toContain('▲ These go up 1 Bob 50 These stay 2 Ada 30');
  await expect
    .poll(() => textOf('achievements'))
    .toContain('1 of 2 🏆 First lesson Completed on Nov 18, 2026');
  await expect.poll(() => textOf('achievements')).toContain('Ten lessons 3 of 10');
  await expect
    .poll(() => textOf('wrapped'))
    .toContain('Your year 2026 1 active days 1 longest streak in days');
  await expectGoodLook(page, 'shadcn');
});

browserTest('leaderboards follow events', async () => {
  await server.record('ada', 7);
  await expect.poll(() => textOf('leaderboard')).toContain('1 Ada 10 2 Bob 5');
  expect(tab.problems).toEqual([]);
});
