import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withTimeout } from '../../src/base/withTimeout.ts';
import {
  chromiumProgram,
  findA11yProblems,
  launchBrowser,
  openTab,
  sayIfSkipped,
  screenshot,
  signIn,
  type Tab,
  visit,
} from './consoleBrowser.ts';
import type { Json } from './reading.ts';
import { WAIT_MS } from './until.ts';
import { type ServerOptions, ServerUnderTest, useServer } from './useServer.ts';

type TabOptions = Parameters<typeof openTab>[1];

interface ConsoleTestsOptions {
  /** The options of a server of its own, or a server. */
  server?: ServerOptions | ServerUnderTest;
  /** Runs before the browser starts. */
  prepare?(server: ServerUnderTest): Promise<unknown>;
  tab?: TabOptions;
}

/** A server, and a browser with a tab that is signed in to its console. Set before the first test. */
export class ConsoleTests {
  readonly server: ServerUnderTest;
  browser!: Browser;
  tab!: Tab;

  constructor(server: ServerUnderTest) {
    this.server = server;
  }

  get page(): Page {
    return this.tab.page;
  }

  readonly go = (path: string): Promise<void> => visit(this.tab, this.server, path);

  readonly button = (name: string, inside: Locator = this.page.locator('body')): Locator =>
    inside.getByRole('button', { name, exact: true });

  /** Chooses an action of the menu of the screen. */
  readonly act = async (name: string): Promise<void> => {
    await this.page.getByRole('button', { name: 'More actions' }).click();
    await this.page.getByRole('menuitem', { name, exact: true }).click();
  };

  readonly dialog = (): Locator => this.page.getByRole('dialog');

  readonly heading = (name: string): Locator =>
    this.page.getByRole('heading', { level: 1, name, exact: true });

  /** The rows of a table. */
  readonly rows = (table: string): Locator =>
    this.page.getByRole('region', { name: table, exact: true }).locator('tbody tr');

  /** The value of a tile. */
  readonly tile = (label: string): Locator => this.page.locator('.tile', { hasText: label }).locator('dd');

  /** Answers the body of a call that succeeds. */
  readonly call = (method: string, path: string, body?: unknown): Promise<Json> =>
    this.server.answer(method, path, body);

  /** Holds back reads of the tab until the function that it returns is called. */
  readonly holdBack = async (path: RegExp): Promise<() => Promise<void>> => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await this.page.route(path, async (route) => {
      if (route.request().method() === 'GET') await held;
      await route.continue();
    });
    return async () => {
      release();
      const freed = this.page.unrouteAll({ behavior: 'wait' });
      await withTimeout(freed, WAIT_MS, () => new Error(`requests of ${path} do not go on`));
    };
  };

  /** Another browser session, signed in by a link. */
  readonly openTab = async (options?: TabOptions): Promise<Tab> => {
    const tab = await openTab(this.browser, options);
    await signIn(tab, this.server);
    return tab;
  };

  /** Another browser session, signed in by an admin key. */
  readonly openTabByKey = async (key: string): Promise<Tab> => {
    const tab = await openTab(this.browser);
    await tab.page.goto(`${this.server.url}/console`);
    await signInByKey(tab.page, key);
    return tab;
  };
}

export async function signInByKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('Admin key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.shell').waitFor();
}

/**
 * Expects that a screen fits its width and that axe finds nothing. Saves a screenshot.
 * @param rules of axe; all without it
 */
export async function expectGoodLook(page: Page, name: string, rules?: string[]): Promise<void> {
  expect(await findA11yProblems(page, rules), name).toEqual([]);
  expect(await overflowOf(page), name).toBeLessThanOrEqual(0);
  await screenshot(page, name);
}

/** Pixels by which a screen is wider than its window. */
const overflowOf = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** The rules of axe that look at colours. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];
const [NARROW, MIDDLE, WIDE] = [360, 1024, 1440];
const HEIGHT = 900;

/** Expects a good look of what a screen shows now: in windows of several widths, in light and dark colours. */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!;
  await resize(page, MIDDLE);
  for (const width of [NARROW, WIDE]) {
    await resize(page, width);
    await expectGoodLook(page, `${name}-${width}-light`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectGoodLook(page, `${name}-${width}-dark`, COLOR_RULES);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.setViewportSize(before);
}

/** Expects that a screen fits its window, once charts have drawn themselves again. */
async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  await expect.poll(() => overflowOf(page), { message: `${width} pixels` }).toBeLessThanOrEqual(0);
}

export const browserTest = test.skipIf(chromiumProgram === null);

/** Prepares the browser tests of a file. Without Chromium they are skipped, and so is this. */
export function useConsole(file: string, { server, prepare, tab }: ConsoleTestsOptions = {}): ConsoleTests {
  sayIfSkipped(file);
  const tests = new ConsoleTests(server instanceof ServerUnderTest ? server : useServer(server));
  beforeAll(async () => {
    await prepare?.(tests.server);
    tests.browser = await launchBrowser();
    tests.tab = await tests.openTab(tab);
  }, 300_000);
  afterAll(() => tests.browser?.close());
  return tests;
}
