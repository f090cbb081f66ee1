import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import {
  chromiumProgram,
  launchBrowser,
  openTab,
  sayIfSkipped,
  type Tab,
} from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLook } from '../support/consoleTests.ts';
import { freePort } from '../support/installation.ts';
import { MACHINE_TIME } from '../support/testTime.ts';
import { until } from '../support/until.ts';

/** examples/components as `npm run example` starts it. The build must be there. */

let directory: string;
let example: ChildProcess;
let origin: string;
let browser: Browser;

beforeAll(async () => {
  if (!chromiumProgram) return sayIfSkipped('exampleComponents');
  directory = await mkdtemp(join(tmpdir(), 'laurel-example-'));
  const [port, laurelPort] = [await freePort(), await freePort()];
  origin = `http://localhost:${port}`;
  example = spawn(process.execPath, [join(packageRoot(), 'examples/components/start.mjs')], {
    env: {
      ...process.env,
      ...MACHINE_TIME,
      TMPDIR: directory,
      PORT: String(port),
      LAUREL_PORT: String(laurelPort),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  example.stdout!.on('data', (chunk) => {
    printed += String(chunk);
  });
  await until(() => printed.includes(origin) || example.exitCode !== null);
  expect(example.exitCode, printed).toBeNull();
  browser = await launchBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  example?.kill('SIGKILL');
  if (directory) await rm(directory, { recursive: true, force: true });
});

const SHOWN =
  'laurel-streak, laurel-level, laurel-leaderboard, laurel-league, laurel-achievements, laurel-wrapped';
const statesOf = ({ page }: Tab) =>
  page.locator(SHOWN).evaluateAll((all) => all.map((it) => (it as unknown as { state: string }).state));

async function open(options: Parameters<typeof openTab>[1]): Promise<Tab> {
  const tab = await openTab(browser, options);
  await tab.page.goto(origin);
  await until(async () => (await statesOf(tab)).every((state) => state === 'ready'));
  return tab;
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  browserTest.for([390, 1440])('the page shows all elements at %s px', async (width) => {
    const tab = await open({ colorScheme, viewport: { width, height: 900 } });
    expect((await statesOf(tab)).length).toBe(7);
    await expectGoodLook(tab.page, `example-${colorScheme}-${width}`);
    expect(tab.problems).toEqual([]);
    await tab.page.context().close();
  });
});

browserTest('others play on, and so does the user', async () => {
  const tab = await open({});
  const { page } = tab;
  const ranking = () => page.locator('laurel-leaderboard .front tr[data-user]').allInnerTexts();
  const before = (await ranking()).join();
  await until(async () => (await ranking()).join() !== before);
  await page.getByRole('button', { name: 'Finish a lesson' }).click();
  await page.locator('laurel-streak .front').getByText('Done for today').waitFor();
  await page.getByLabel('Language').selectOption('ar');
  await page.getByRole('heading', { name: 'السلسلة' }).waitFor();
  await expectGoodLook(page, 'example-rtl');
  expect(tab.problems).toEqual([]);
});

browserTest('it ends with everything that it has started, and removes its data', async () => {
  const ended = new Promise((resolve) => example.once('exit', resolve));
  example.kill('SIGINT');
  expect(await ended).toBe(0);
  expect((await readdir(directory)).filter((name) => name.startsWith('laurel-components-'))).toEqual([]);
});
