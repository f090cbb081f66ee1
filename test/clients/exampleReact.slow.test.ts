import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import {
  chromiumProgram,
  launchBrowser,
  openTab,
  sayIfSkipped,
  type Tab,
} from '../support/consoleBrowser.ts';
import { freePort, type Installation, startInstallation } from '../support/installation.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { DAY_MS, START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';

/** examples/react as its README starts it, through a simulated week. The build must be there. */

const EXAMPLE = join(packageRoot(), 'examples/react');
const TOKEN_SECONDS = 3;
const SECRETS = {
  LAUREL_USER_TOKEN_SECRET: 'the-secret-of-this-installation-0123',
  EXAMPLE_WEBHOOK_SECRET: `whsec_${Buffer.from('a secret of 32 bytes for webhooks').toString('base64')}`,
};

let directory: string;
let laurel: Installation;
let backend: ChildProcess;
let browser: Browser;
let ada: Tab;
let origin: string;
/** Tokens that the page of Ada has fetched. */
let tokens = 0;

beforeAll(async () => {
  if (!chromiumProgram) return sayIfSkipped('exampleReact');
  directory = await mkdtemp(join(tmpdir(), 'laurel-example-'));
  const port = String(await freePort());
  origin = `http://localhost:${port}`;
  const config = join(directory, 'config.yaml');
  const text = await readFile(join(EXAMPLE, 'config.yaml'), 'utf8');
  await writeFile(config, text.replace('http://localhost:4000', origin));
  laurel = await startInstallation(join(directory, 'data'), {
    ...SECRETS,
    LAUREL_CONFIG: config,
    LAUREL_CORS_ORIGINS: origin,
    LAUREL_WEBHOOK_ALLOW_PRIVATE: '1',
  });
  backend = spawn(process.execPath, [join(EXAMPLE, 'backend.mjs')], {
    env: {
      ...process.env,
      ...SECRETS,
      PORT: port,
      LAUREL_URL: laurel.url,
      LAUREL_ADMIN_KEY: API_KEY,
      EXAMPLE_TOKEN_SECONDS: String(TOKEN_SECONDS),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => backend.stdout!.once('data', resolve));
  browser = await launchBrowser();
  ada = await signIn('Ada');
  ada.page.on('request', (sent) => {
    if (sent.url() === `${origin}/laurel-token`) tokens++;
  });
});
afterAll(async () => {
  await browser?.close();
  backend?.kill();
  await laurel?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

async function signIn(name: string): Promise<Tab> {
  const tab = await openTab(browser, { timezoneId: 'Europe/Berlin' });
  await tab.page.goto(origin);
  await tab.page.getByLabel('Your name').fill(name);
  await tab.page.getByText('Sign in').click();
  await tab.page.getByText(`Hello ${name}`).waitFor();
  return tab;
}

const streak = () => ada.page.getByLabel('Days in a row').textContent();
const isLit = () => ada.page.locator('.flame.lit').isVisible();
const xp = () => ada.page.getByLabel('XP').textContent();
const level = () => ada.page.locator('.level').textContent();
const ranking = (tab: Tab) => tab.page.locator('ol li').allTextContents();
const toast = (text: string) => ada.page.locator('.toasts').getByText(text).waitFor();

/** Until laurel has recorded it: the page shows the lesson before that, and then the clock may move. */
async function finishLesson({ page }: Tab): Promise<void> {
  const recorded = page.waitForResponse(
    (answer) => answer.url().endsWith('/metrics/lessons/event') && answer.status() === 201,
  );
  await page.getByText('Finish a lesson').click();
  await recorded;
}

/** Moves laurel to noon of a day, and lets the page notice as if it had been hidden meanwhile. */
async function moveToDay(day: number): Promise<void> {
  const now = new Date(START_MS + (day - 1) * DAY_MS).toISOString();
  const { status } = await callApi(`${laurel.url}/admin/v1/test-clock`, 'POST', { now });
  expect(status).toBe(200);
  await ada.page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
}

/** What is said for a while after the lesson of a day. */
const TOASTS: Record<number, string> = {
  1: 'Achievement: First lesson',
  3: 'Level: Explorer',
  7: 'Achievement: Seven days in a row',
};

test.skipIf(!chromiumProgram)('a week of lessons: streak, levels and toasts', async () => {
  await expect.poll(streak).toBe('0');
  await expect.poll(isLit).toBe(false);
  for (let day = 1; day <= 7; day++) {
    if (day > 1) await moveToDay(day);
    await until(async () => !(await isLit()));
    const text = TOASTS[day];
    const told = text === undefined ? undefined : toast(text);
    await finishLesson(ada);
    await until(isLit);
    await expect.poll(streak).toBe(String(day));
    await until(async () => (await xp()) === String(10 * day));
    await told;
  }
  await expect.poll(level).toBe('Expert');
  await expect.poll(() => ada.page.getByLabel('Progress to the next level').getAttribute('max')).toBe('10');
});

test.skipIf(!chromiumProgram)('the leaderboard changes in all open pages', async () => {
  const bob = await signIn('Bob');
  await finishLesson(bob);
  await until(async () => (await ranking(ada)).join() === 'Ada: 7,Bob: 1');
  await finishLesson(ada);
  await until(async () => (await ranking(bob)).join() === 'Ada: 8,Bob: 1');
  await expect.poll(() => bob.page.locator('[aria-current=true]').textContent()).toBe('Bob: 1');
  await bob.page.close();
});

test.skipIf(!chromiumProgram)('nobody notices that tokens expire', async () => {
  const before = tokens;
  await until(() => tokens > before + 1);
  await finishLesson(ada);
  await until(async () => (await ranking(ada))[0] === 'Ada: 9');
  expect(await ada.page.getByRole('alert').count()).toBe(0);
});

test.skipIf(!chromiumProgram)('a webhook reports the end of the streak to the page', async () => {
  await moveToDay(10);
  await toast('Your streak of 7 days is over');
  await until(async () => (await streak()) === '0');
  await expect.poll(isLit).toBe(false);
  const headers = { 'webhook-id': '1', 'webhook-timestamp': '0', 'webhook-signature': 'v1,AAAA' };
  const forged = await request(`${origin}/webhook`, { method: 'POST', headers, body: '{}' });
  expect(forged.statusCode).toBe(401);
});

test.skipIf(!chromiumProgram)('the pages reported no problem besides expired tokens', () => {
  expect(ada.problems.filter((problem) => !problem.includes('status of 401'))).toEqual([]);
});

test('a misspelt key does not compile', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'laurel-example-'));
  await cp(EXAMPLE, join(copy, 'examples/react'), { recursive: true });
  for (const part of ['clients', 'node_modules']) await symlink(join(packageRoot(), part), join(copy, part));
  const compile = () =>
    promisify(execFile)('node_modules/.bin/tsc', ['-p', 'examples/react'], { cwd: copy }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  expect(await compile()).toBe('');
  const app = join(copy, 'examples/react/src/App.tsx');
  await writeFile(
    app,
    (await readFile(app, 'utf8')).replace("useRecordEvent('lessons')", "useRecordEvent('lesson')"),
  );
  expect(await compile()).toMatch(/App\.tsx.*"lesson"' is not assignable to parameter of type '"lessons"'/);
  await rm(copy, { recursive: true });
});
