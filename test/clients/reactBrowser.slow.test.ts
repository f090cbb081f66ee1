import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SignJWT } from 'jose';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installClients } from '../support/clientPackages.ts';
import {
  chromiumProgram,
  launchBrowser,
  openTab,
  sayIfSkipped,
  type Tab,
} from '../support/consoleBrowser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** The hooks in a page that a server has rendered, under StrictMode, whose backend signs tokens. */

const SECRET = 'the-secret-of-this-installation-0123';
const USER = 'ada';

const APP = `
import { StrictMode, useState } from 'react';
import { LaurelProvider, useLeaderboard, useMetric, usePoints, useRecordEvent, useStreak, useUser } from 'laurel-react';

function Figures() {
  const { record, error, isRecording } = useRecordEvent('lessons');
  const [isOpen, setOpen] = useState(true);
  const points = usePoints('xp').data;
  const streak = useStreak().data;
  return <main>
    <h1>{useUser().data?.id ?? 'loading'}</h1>
    <p id="lessons">{useMetric('lessons').data?.current}</p>
    <p id="points">{points?.total} {points?.level?.key} {points?.nextLevel?.key}</p>
    <p id="streak">{streak?.length} {String(streak?.isExtended)}</p>
    <p id="error">{error?.code}</p>
    <p id="state">{isRecording ? 'recording' : 'ready'}</p>
    <button onClick={() => record(1, { expect: { points: { xp: 15 }, extendsStreak: true } })}>record</button>
    <button onClick={() => record(1, { attributes: { nothing: 'x' } })}>wrong</button>
    <button onClick={() => setOpen(!isOpen)}>toggle</button>
    {isOpen && <Board />}
  </main>;
}

function Board() {
  const { data, error } = useLeaderboard('lessons', { limit: 5 });
  return <><ol>{data?.rankings.map(({ userId, value }) => <li key={userId}>{userId} {value}</li>)}</ol>
    <p id="boardError">{error?.message}</p></>;
}

export function App({ url }: { url: string }) {
  const getToken = async () => (await fetch('/token')).text();
  return <StrictMode><LaurelProvider url={url} getToken={getToken}><Figures /></LaurelProvider></StrictMode>;
}
`;
const BROWSER = `
import { hydrateRoot } from 'react-dom/client';
import { App } from './app';
hydrateRoot(document.getElementById('root')!, <App url={document.body.dataset.url!} />);
`;
const SERVER = `
import { renderToString } from 'react-dom/server';
import { App } from './app';
export const render = (url: string) => renderToString(<App url={url} />);
`;

let home: string;
let backend: Server;
let server: TestServer;
let browser: Browser;
let tab: Tab;
let page: string;
let script: string;
/** Lifetimes of the tokens that are signed next; an hour for all later ones. */
const lifetimes = ['-1s', '4s'];
let tokens = 0;

const sign = (): Promise<string> =>
  new SignJWT({ scope: 'read events' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(USER)
    .setExpirationTime(lifetimes[tokens++] ?? '1h')
    .sign(Buffer.from(SECRET));

const text = (id: string) => tab.page.locator(`#${id}`).textContent();
const record = (id: string, value = 1) =>
  server.call('POST', '/v1/metrics/lessons/event', { user: { id }, value });

async function buildPage(): Promise<void> {
  const source = join(home, 'page');
  await mkdir(source);
  for (const [name, program] of Object.entries({ app: APP, browser: BROWSER, server: SERVER }))
    await writeFile(join(source, `${name}.tsx`), program);
  const shared = { root: home, configFile: false as const, logLevel: 'warn' as const };
  const oxc = { jsx: { runtime: 'automatic' as const } };
  const outDir = join(home, 'built');
  await build({
    ...shared,
    oxc,
    build: {
      outDir,
      rolldownOptions: { input: join(source, 'browser.tsx'), output: { entryFileNames: 'page.js' } },
    },
  });
  await build({
    ...shared,
    oxc,
    ssr: { noExternal: true },
    build: { outDir, emptyOutDir: false, ssr: join(source, 'server.tsx') },
  });
  script = await readFile(join(outDir, 'page.js'), 'utf8');
  const { render } = await import(pathToFileURL(join(outDir, 'server.mjs')).href);
  page = `<!doctype html><title>App</title><body data-url="${server.url}"><div id="root">${render(server.url)}</div>
    <script type="module" src="/page.js"></script>`;
}

beforeAll(async () => {
  if (!chromiumProgram) return sayIfSkipped('reactBrowser');
  home = await installClients();
  backend = createServer(async (request, response) => {
    if (request.url === '/token') response.end(await sign());
    else if (request.url === '/page.js') response.setHeader('Content-Type', 'text/javascript').end(script);
    else if (request.url === '/') response.setHeader('Content-Type', 'text/html').end(page);
    else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  server = await startTestServer({
    config: 'test/support/application.yaml',
    env: { LAUREL_USER_TOKEN_SECRET: SECRET, LAUREL_CORS_ORIGINS: origin },
  });
  await server.call('PUT', `/v1/users/${USER}`, {});
  await buildPage();
  browser = await launchBrowser();
  tab = await openTab(browser);
  await tab.page.goto(origin);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  if (backend) await new Promise((resolve) => backend.close(resolve));
  if (home) await rm(home, { recursive: true });
});

test.skipIf(!chromiumProgram)(
  'the rendered page is hydrated, with a new token for an expired one',
  async () => {
    expect(page).toContain('<h1>loading</h1>');
    await until(async () => (await text('points')) === '0 bronze silver');
    await expect.poll(() => tab.page.locator('h1').textContent()).toBe(USER);
    await expect.poll(() => text('streak')).toBe('0 false');
    expect(tokens).toBeGreaterThanOrEqual(2);
  },
);

test.skipIf(!chromiumProgram)('an event shows everywhere, on the live leaderboard too', async () => {
  await tab.page.getByText('record', { exact: true }).click();
  await until(async () => (await text('points')) === '10 bronze silver');
  await expect
    .poll(() => Promise.all(['lessons', 'streak', 'state'].map(text)))
    .toEqual(['1', '1 true', 'ready']);
  await record('bob', 7);
  await until(async () => (await tab.page.locator('li').allInnerTexts()).join() === 'bob 7,ada 1');
});

test.skipIf(!chromiumProgram)('the end of a token is not noticed', async () => {
  await until(() => tokens === 3);
  await record('bob', 1);
  await until(async () => (await tab.page.locator('li').allInnerTexts())[0] === 'bob 8');
  await tab.page.getByText('record', { exact: true }).click();
  await until(async () => (await text('lessons')) === '2');
  expect([await text('error'), await text('boardError'), tokens]).toEqual(['', '', 3]);
});

test.skipIf(!chromiumProgram)('a refusal is shown and undone', async () => {
  await tab.page.getByText('wrong').click();
  await until(async () => (await text('error')) === 'invalid');
  await expect.poll(() => text('lessons')).toBe('2');
});

test.skipIf(!chromiumProgram)('a leaderboard that is shown again has its entries at once', async () => {
  await until(async () => (await tab.page.locator('li').allInnerTexts()).join() === 'bob 8,ada 2');
  await tab.page.getByText('toggle').click();
  await tab.page.locator('li').first().waitFor({ state: 'detached' });
  await tab.page.getByText('toggle').click();
  expect(await tab.page.locator('li').allInnerTexts()).toEqual(['bob 8', 'ada 2']);
});

test.skipIf(!chromiumProgram)('React finds nothing wrong', () => {
  // Chromium reports the refusals, which are expected: of expired tokens and of the wrong event.
  expect(tab.problems.filter((problem) => !/status of 4(01|22)/.test(problem))).toEqual([]);
});
