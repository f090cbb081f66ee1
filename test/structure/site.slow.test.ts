import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { ADMIN_BASE } from '../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import type { Route } from '../../src/http/request/endpoint.ts';

import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  screenshot,
} from '../support/consoleBrowser.ts';
import { browserTest } from '../support/consoleTests.ts';
import { useServer } from '../support/useServer.ts';

/** The site that `npm run site` builds. The build of the program must be there. */
const SITE = join(packageRoot(), 'dist/site');
const read = (path: string): string => readFileSync(join(SITE, path), 'utf8');
const filesOf = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });

beforeAll(() => promisify(execFile)(process.execPath, ['dist/tools/site/main.js'], { cwd: packageRoot() }));

test('has every page of docs/, and the changelog', () => {
  const pages = filesOf(join(packageRoot(), 'docs')).filter((name) => name.endsWith('.md'));
  const missing = [...pages, 'changelog.md'].filter(
    (name) => !existsSync(join(SITE, name.replace(/md$/, 'html'))),
  );
  expect(missing).toEqual([]);
});

test('shows every operation in the reference', () => {
  const shown = filesOf(join(SITE, 'reference'))
    .map((name) => read(`reference/${name}`))
    .join('');
  const callsOf = (base: string, routes: Route[]): string[] =>
    routes.map(({ method, path }) => `${method.toUpperCase()} ${base}${path}`);
  const calls = [...callsOf('/v1', APPLICATION_ROUTES), ...callsOf(ADMIN_BASE, ADMIN_ROUTES)];
  expect(calls.length).toBeGreaterThan(100);
  expect(calls.filter((call) => !shown.includes(`<code>${call}</code>`))).toEqual([]);
});

test('shows blocks of code with labels as tabs', () => {
  const page = read('other-languages.html');
  expect([...page.matchAll(/<label data-title="([^"]+)"/g)].map(([, label]) => label)).toEqual(
    expect.arrayContaining(['curl', 'Node.js', 'Python', 'Go']),
  );
});

test('every link within the site leads to a file and, with an anchor, to its heading', () => {
  const pages = filesOf(SITE).filter((name) => name.endsWith('.html'));
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/href="([^"]+)"/g)]
      .map(([, href]) => new URL(href!.replaceAll('&amp;', '&'), `http://site/docs/${page}`))
      .filter(({ host }) => host === 'site')
      .map(({ pathname, hash }) => ({ page, pathname, anchor: decodeURIComponent(hash.slice(1)) })),
  );
  expect(links.length).toBeGreaterThan(1_000);
  const contents = new Map(pages.map((page) => [`/docs/${page}`, read(page)]));
  const broken = links.filter(({ pathname, anchor }) => {
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const content = contents.get(path);
    if (content === undefined)
      return !path.startsWith('/docs/') || !existsSync(join(SITE, path.slice('/docs/'.length)));
    return anchor !== '' && !content.includes(`id="${anchor}"`);
  });
  expect(broken).toEqual([]);
});

test('shows braces of templates as they are', () => {
  expect(read('notifications.html')).toMatch(/<code>[^<]*(\{|&#123;){2}[^<]*<\/code>/);
});

describe('served by laurel', () => {
  const server = useServer();
  let browser: Browser;
  sayIfSkipped('test/structure/site.slow.test.ts');
  beforeAll(async () => {
    if (chromiumProgram !== null) browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test('a file is compressed if the client takes it', async () => {
    const load = async (encoding: string) => {
      const answer = await fetch(`${server.url}/docs/configuration.html`, {
        headers: { 'Accept-Encoding': encoding },
      });
      return [answer.headers.get('content-encoding'), await answer.text()];
    };
    expect(await load('gzip')).toEqual(['gzip', read('configuration.html')]);
    expect(await load('identity')).toEqual([null, read('configuration.html')]);
  });

  browserTest('menu, tabs and search work under the policy of the page', async () => {
    const { page, problems } = await openTab(browser);
    await page.goto(`${server.url}/docs`);
    await page.getByRole('link', { name: 'Other languages', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Other languages' }).waitFor();
    await page.getByText('PHP', { exact: true }).last().click();
    await page.getByText('new TrophyClient(getenv').waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill('metricThreshold');
    await page.getByRole('option').first().click();
    await page.waitForURL(({ pathname }) => !pathname.endsWith('/other-languages.html'));
    expect(problems).toEqual([]);
  });

  const looks = [
    { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
    { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  ] as const;
  browserTest.each(looks)('fits and can be read: $colorScheme', async (look) => {
    const { page } = await openTab(browser, look);
    for (const path of ['', 'guides/streak.html', 'reference/events.html']) {
      await page.goto(`${server.url}/docs/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(
        await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        path,
      ).toBeLessThanOrEqual(0);
      expect(await findA11yProblems(page, ['wcag2a', 'wcag2aa']), path).toEqual([]);
      await screenshot(page, `site-${look.colorScheme}-${path.replaceAll('/', '-')}`);
    }
  });
});
