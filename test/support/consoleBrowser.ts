import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createLog } from '../../src/base/log.ts';
import { withTimeout } from '../../src/base/withTimeout.ts';
import { findOnPath } from '../../src/embedded/commands.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { createConsoleLink } from '../../src/redis/state/consoleLinks.ts';
import type { TestServer } from './server.ts';
import { WAIT_MS } from './until.ts';

/** Where Debian's Chromium is; null where it is missing. */
export const chromiumProgram = findOnPath('chromium');
/** Says which tests skip without Chromium. @param tests such as the name of a file */
export function sayIfSkipped(tests: string): void {
  if (chromiumProgram !== null) return;
  console.log(`chromium is not installed: ${tests} skips (apt-get install chromium)`);
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * The browser keeps the machine's time: with libfaketime Chromium takes minutes to start, and the console
 * reads no clock.
 */
export function launchBrowser(): Promise<Browser> {
  const { LD_PRELOAD: _, ...env } = process.env;
  const args = ['--no-sandbox', '--disable-background-networking'];
  return chromium.launch({
    executablePath: chromiumProgram!,
    args,
    env: env as Record<string, string>,
    timeout: WAIT_MS,
  });
}

/** The count of qualifying users is refused while its condition is half filled in. */
const REFUSED_WHILE_FILLED_IN = '/admin/v1/achievements/qualifying';
/**
 * Chromium ends open requests when the machine gets or loses a network, as when a container starts beside
 * the tests.
 */
const OF_THE_MACHINE = 'net::ERR_NETWORK_CHANGED';

/** A tab that remembers what went wrong in it. */
export interface Tab {
  page: Page;
  problems: string[];
}

/** A link into the console, as `npm start` prints it. */
export async function createLink({ redisUrl, url }: TestServer): Promise<string> {
  const redis = connectRedis(redisUrl, createLog('test', 'silent'));
  await whenReady(redis);
  const link = await createConsoleLink(redis);
  redis.disconnect();
  return `${url}/console#link=${link}`;
}

export async function openTab(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Tab> {
  // Scripts of tests are no part of the page, so its policy need not allow them.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    // What appears is there at once: axe finds no contrast in the middle of an animation.
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    const { url } = message.location();
    const isProblem = message.type() === 'error' || message.type() === 'warning';
    if (isProblem && !url.endsWith(REFUSED_WHILE_FILLED_IN) && !message.text().includes(OF_THE_MACHINE))
      problems.push(`${message.text()} ${url} on ${page.url()}`);
  });
  page.on('pageerror', (error) => problems.push(String(error.stack)));
  return { page, problems };
}

/** Signs in by a link, and waits for the first screen. */
export async function signIn({ page }: Tab, server: TestServer): Promise<void> {
  await page.goto(await createLink(server));
  await page.locator('.shell').waitFor();
}

/** The service carries these calls out, and their answers are lost. */
export const loseAnswers = ({ page }: Tab, paths: RegExp): Promise<unknown> =>
  page.route(paths, async (route) => {
    await route.fetch();
    await route.abort();
  });

/** Goes to a screen and waits until everything on it is there. */
export async function visit({ page }: Tab, server: TestServer, path: string): Promise<void> {
  await page.goto(server.url + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
}

/** Waits until the page has drawn what it knows by now. */
export async function drawn(page: Page): Promise<void> {
  const drawing = page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await withTimeout(drawing, WAIT_MS, () => new Error('the page draws nothing'));
}

/**
 * Presses keys one after the other without waiting until the page has handled the one before, so the time
 * between them does not depend on how busy the machine is.
 */
export async function pressTogether(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** What axe finds, in a line each. @param rules that count, or their tags; all without it */
export async function findA11yProblems(page: Page, rules?: string[]): Promise<string[]> {
  // Run in a world of its own, which the policy of the page does not bind.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const { readFile } = await import('node:fs/promises');
  const contextId = world.executionContextId;
  await session.send('Runtime.evaluate', { expression: await readFile(AXE, 'utf8'), contextId });
  // The frame of an email takes no message for this page's origin, and the browser reports each as an error.
  const options = { iframes: false, ...(rules && { runOnly: rules }) };
  const expression = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary))))`;
  const { result } = await session.send('Runtime.evaluate', { expression, contextId, awaitPromise: true });
  await session.detach();
  return JSON.parse(result.value);
}

/** Saves what a screen looks like, where LAUREL_SCREENSHOTS names a folder. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.LAUREL_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
