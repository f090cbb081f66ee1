import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot, packageVersion } from '../../src/base/packageRoot.ts';
import { ADMIN_BASE } from '../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import type { Route } from '../../src/http/request/endpoint.ts';
import { newestFirst } from '../../tools/site/versionOrder.ts';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  screenshot,
} from '../support/consoleBrowser.ts';
import { browserTest } from '../support/consoleTests.ts';
import { useDirectory } from '../support/useDirectory.ts';
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

test('a build ends with the process that started it', async () => {
  const build = fork(join(packageRoot(), 'dist/tools/site/main.js'), { stdio: 'ignore' });
  build.disconnect();
  const [code] = await once(build, 'exit');
  expect(code).toBe(1);
  expect(existsSync(join(SITE, 'index.html'))).toBe(true);
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
    await page.locator('label[data-title="PHP"]').click();
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

describe('versions beside each other', () => {
  const OLDER = '0.9.0';
  const folder = useDirectory();

  beforeAll(async () => {
    mkdirSync(join(folder, OLDER));
    writeFileSync(
      join(folder, OLDER, 'index.html'),
      '<!doctype html><link rel="icon" href="data:,"><h1>an older version</h1>',
    );
    const command = ['dist/tools/site/publish.js', folder];
    await promisify(execFile)(process.execPath, command, { cwd: packageRoot() });
  });

  test('versions are listed, the newest first, and the folder leads to the newest release', async () => {
    expect(newestFirst(['1.9.0-rc.1', '1.9.0', '1.10.0', '1.9.0-rc.10', '0.9.0', '1.9.0-rc.2'])).toEqual([
      '1.10.0',
      '1.9.0',
      '1.9.0-rc.10',
      '1.9.0-rc.2',
      '1.9.0-rc.1',
      '0.9.0',
    ]);
    const versions = JSON.parse(await readFile(join(folder, 'versions.json'), 'utf8'));
    expect(versions).toEqual([packageVersion(), OLDER]);
    const release = packageVersion().includes('-') ? OLDER : packageVersion();
    expect(await readFile(join(folder, 'index.html'), 'utf8')).toContain(`url=${release}/`);
  });

  browserTest('a page offers the other versions', async () => {
    const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', html: 'text/html' };
    const server = createServer(async ({ url }, res) => {
      const path = url!.replace(/^\/docs\//, '').replace(/(^|\/)$/, '$1index.html');
      const content = await readFile(join(folder, path)).catch(() => null);
      res.setHeader('Content-Type', types[path.split('.').at(-1)!] ?? 'application/octet-stream');
      res.writeHead(content === null ? 404 : 200).end(content);
    }).listen(0, '127.0.0.1');
    const browser = await launchBrowser();
    try {
      const { page, problems } = await openTab(browser, { viewport: { width: 1280, height: 800 } });
      const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/`;
      await page.goto(`${root}${packageVersion()}/guides/streak.html`);
      const choice = page.getByLabel('Version', { exact: true });
      await expect.poll(() => choice.inputValue()).toBe(packageVersion());
      await choice.selectOption(OLDER);
      await page.waitForURL(`${root}${OLDER}/`);
      await page.getByRole('heading', { name: 'an older version' }).waitFor();
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      server.close();
    }
  });
});
