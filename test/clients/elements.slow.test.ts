import { readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { compile, installClients } from '../support/clientPackages.ts';
import {
  chromiumProgram,
  launchBrowser,
  openTab,
  sayIfSkipped,
  type Tab,
} from '../support/consoleBrowser.ts';
import { browserTest, expectGoodLook } from '../support/consoleTests.ts';
import { ELEMENTS, type ElementsPage, startElementsPage, TOKEN_SECRET } from '../support/elementsPage.ts';
import { DAY_MS, START, START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** clients/components, as npm run build has built it, in a page of another origin with the demo and a league. */

const ELEMENT_BYTES_MAX = 15_000;
const NAMES = ['streak', 'leaderboard', 'league', 'level', 'achievements', 'wrapped'];
const DAYS = 10;
const USERS = ['ada', 'bob', 'carlos', 'dana', 'emma', 'farid'];
/** Lessons a day. */
const LESSONS: Record<string, number> = { ada: 4, bob: 5, carlos: 3, dana: 2, emma: 1, farid: 1 };
const LEAGUE = {
  key: 'league',
  name: 'Weekly league',
  rankBy: 'points',
  points: 'xp',
  start: '2026-01-05',
  runUnit: 'day',
  runInterval: 7,
  league: {
    groupSize: 10,
    tiers: [
      { key: 'bronze', name: 'Bronze', promote: 2 },
      { key: 'silver', name: 'Silver', demote: 2 },
    ],
  },
};
/** A new user of the demo has points, and so a place in the other league. */
const { points: _, ...unpointed } = LEAGUE;
const LESSON_LEAGUE = { ...unpointed, key: 'lesson-league', rankBy: 'metric', metric: 'lessons' };
const ALL = `
  <laurel-streak></laurel-streak>
  <laurel-level points="xp"></laurel-level>
  <laurel-leaderboard board="weekly" limit="3"></laurel-leaderboard>
  <laurel-league board="league" placeholders="6"></laurel-league>
  <laurel-achievements placeholders="13"></laurel-achievements>
  <laurel-wrapped></laurel-wrapped>`;

function demoWithLeague(): object {
  const demo = parse(readFileSync(join(packageRoot(), 'demo/config.yaml'), 'utf8'));
  return { ...demo, leaderboards: [...demo.leaderboards, LEAGUE, LESSON_LEAGUE] };
}

let browser: Browser;
let elementsPage: ElementsPage;
let tab: Tab;
let page: Page;
const server = useServer({
  config: demoWithLeague(),
  relay: true,
  worker: true,
  env: {
    LAUREL_USER_TOKEN_SECRET: TOKEN_SECRET,
    LAUREL_CORS_ORIGINS: '*',
    // Pages with wrong tokens follow each other faster than people open them.
    LAUREL_FAILED_AUTHENTICATIONS_PER_MINUTE: '1000',
  },
});

/** Ten days of lessons, of which Ada has left out the seventh; today is the eleventh day, without a lesson of hers. */
async function play(): Promise<void> {
  for (let day = 0; day <= DAYS; day++) {
    if (day > 0) await server.moveTo(START_MS + day * DAY_MS);
    const players = USERS.filter((id) => id !== 'ada' || ![6, DAYS].includes(day));
    const events = players.map((id) => ({
      key: 'lessons',
      value: LESSONS[id],
      user: { id, name: id[0]!.toUpperCase() + id.slice(1) },
    }));
    expect((await server.admin('POST', '/metrics/events', events)).status).toBe(202);
  }
  await server.call('PUT', '/v1/users/newcomer', { name: 'Newcomer' });
  await server.relayed();
}

interface Shown {
  /** In the provider. */
  elements?: string;
  user?: string;
  /** Attributes of `html`. */
  root?: string;
  /** More attributes of the provider. */
  provider?: string;
  tab?: Tab;
}

/** Opens a page with elements. */
async function show(given: Shown = {}): Promise<void> {
  const { elements = ALL, user = 'ada', root = 'lang="en-GB"', provider = '' } = given;
  elementsPage.html = `<!doctype html><html ${root}><meta name="viewport" content="width=device-width">
    <style>:root { color-scheme: light dark; background: light-dark(#f6f7f4, #12150f); color: light-dark(#000, #fff) }
      laurel-provider > * { margin-block-end: 1rem }</style>
    <title>Elements</title><script>
      errors = [];
      addEventListener('laurel-error', ({ target, detail }) => errors.push(target.localName + ' ' + detail.code));
      shifts = [];
      new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true });
    </script><script type="module" src="/index.js"></script>
    <main><h1>Elements</h1>
    <laurel-provider url="${server.url}" token-url="/token?user=${user}" ${provider || 'refresh-seconds="0"'}>${elements}</laurel-provider></main>`;
  await (given.tab?.page ?? page).goto(elementsPage.origin);
}

/** What an element shows. @param part of the element; all without it */
const texts = (element: string, part?: string) =>
  page
    .locator(`laurel-${element} :is(.front, header) ${part === undefined ? '' : `[part~="${part}"]`}`)
    .allInnerTexts()
    .then((all) => all.map((text) => text.replaceAll(/\s+/g, ' ').trim()));
const stateOf = (element: string) =>
  page.locator(`laurel-${element}`).evaluate((it) => (it as unknown as { state: string }).state);
const allReady = async (): Promise<void> => {
  for (const name of NAMES) await expect.poll(() => stateOf(name), { message: name }).toBe('ready');
};
const read = (path: string) => server.get(`/v1/users/ada/${path}`);

beforeAll(async () => {
  if (!chromiumProgram) return sayIfSkipped('elements');
  elementsPage = await startElementsPage();
  await play();
  browser = await launchBrowser();
  tab = await openTab(browser);
  page = tab.page;
  // The page and laurel are in the same week.
  await page.clock.setFixedTime(START_MS + DAYS * DAY_MS);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await elementsPage?.close();
});

test.each(NAMES)(
  `laurel-%s needs less than ${ELEMENT_BYTES_MAX} bytes, with all that it imports`,
  async (name) => {
    const files = new Set<string>();
    const add = async (file: string): Promise<void> => {
      if (files.has(file)) return;
      files.add(file);
      const program = await readFile(join(ELEMENTS, file), 'utf8');
      for (const [, imported] of program.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g))
        await add(imported!);
    };
    await add(`${name}.js`);
    expect(files.size).toBeGreaterThan(1);
    const sizes = await Promise.all(
      [...files].map(async (file) => gzipSync(await readFile(join(ELEMENTS, file))).length),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(ELEMENT_BYTES_MAX);
  },
);

test('the package has a file for each element, and types', async () => {
  const built = await readdir(ELEMENTS, { recursive: true });
  const wanted = ['index', ...NAMES].flatMap((name) => [`${name}.js`, `types/${name}.d.ts`]);
  expect(wanted.filter((name) => !built.includes(name))).toEqual([]);
});

test('the compiler knows elements, their properties and their answers', async () => {
  const home = await installClients();
  const program = (elements: string): string => `import type {} from 'laurel-components/jsx';
    import type { LaurelLeaderboard } from 'laurel-components';
    export const page = <laurel-provider url="/" token-url="/token">${elements}</laurel-provider>;
    const board: LaurelLeaderboard | null = document.querySelector('laurel-leaderboard');
    export const rank: number | undefined = board?.data?.board.rankings[0]?.rank;
    export const event = document.querySelector('laurel-provider')?.record('lessons', 1, { body: { attributes: {} } });`;
  const right = `<laurel-streak periods={5} heading-level={3} onlaurel-error={({ detail }) => detail.code.length} />
    <laurel-leaderboard board="weekly" limit={5} /><laurel-league board="league" /><laurel-level points="xp" />`;
  const [none, wrong, unknown] = await compile(home, [
    program(right),
    program('<laurel-streak periods="many" />'),
    program('<laurel-nothing />'),
  ]);
  expect(none).toBe('');
  expect(wrong).toContain("Type 'string' is not assignable to type 'number'");
  expect(unknown).toContain("'laurel-nothing' does not exist");
  await rm(home, { recursive: true });
});

describe('elements show what the API answers', () => {
  beforeAll(async () => {
    if (!chromiumProgram) return;
    await show();
    await until(async () => (await Promise.all(NAMES.map(stateOf))).every((state) => state === 'ready'));
  });

  browserTest('laurel-streak', async () => {
    const { length, freezes, streakHistory } = await read('streak?historyPeriods=7');
    expect(length).toBe(9);
    expect(await texts('streak', 'length')).toEqual([String(length)]);
    expect(await texts('streak', 'unit')).toEqual(['days in a row']);
    expect(await texts('streak', 'state')).toEqual(['Keep it going today']);
    expect(await texts('streak', 'summary')).toEqual([`${freezes} freeze`]);
    const marks = await page
      .locator('laurel-streak .front li')
      .evaluateAll((items) => items.map((item) => item.className));
    expect(marks).toEqual([
      ...streakHistory
        .slice(0, -1)
        .map((period: { usedFreeze: boolean }) => (period.usedFreeze ? 'frozen' : 'kept')),
      'open',
    ]);
    expect((await texts('streak', 'open'))[0]).toBe('Saturday 28 November: still open Sat');
  });

  browserTest('laurel-level', async () => {
    const { total, level } = await read('points/xp');
    expect(await texts('level', 'level')).toEqual([level.name]);
    expect(await texts('level', 'total')).toEqual([`${total} XP`]);
    expect(await texts('level', 'next')).toEqual([`${1000 - total} XP to Gold`]);
    const bar = page.locator('laurel-level').getByRole('progressbar', { name: 'Progress to Gold' });
    expect(await bar.getAttribute('aria-valuetext')).toBe(`${total} of 1,000 XP`);
  });

  browserTest('laurel-leaderboard', async () => {
    const { rankings, name } = await server.get('/v1/leaderboards/weekly?limit=3');
    await page.locator('laurel-leaderboard').getByRole('heading', { level: 2, name }).waitFor();
    expect(await texts('leaderboard', 'row')).toEqual(
      rankings.map(
        ({
          rank,
          userName,
          userId,
          value,
        }: {
          rank: number;
          userName: string;
          userId: string;
          value: number;
        }) => `${rank} ${userName}${userId === 'ada' ? ' (you)' : ''} ${value}`,
      ),
    );
    const { rank, value } = await read('leaderboards/weekly');
    expect(await texts('leaderboard', 'own-rank')).toEqual([`Your rank: ${rank}, with ${value}`]);
    expect(await texts('leaderboard', 'summary')).toEqual(['until Sun 29 Nov']);
  });

  browserTest('laurel-league', async () => {
    const { tier, promotes, rank } = await read('leaderboards/league');
    expect(await texts('league', 'own-tier')).toEqual([tier.name]);
    const rows = await texts('league', 'row');
    const { rankings } = await server.get('/v1/leaderboards/league?userId=ada&neighbours=10');
    expect(rows.map((row) => row.split(' ')[1])).toEqual(
      rankings.map(({ userName }: { userName: string }) => userName),
    );
    expect(await page.locator('laurel-league .front tbody[part=promotes] tr[data-user]').count()).toBe(
      promotes ?? 0,
    );
    expect(rank).toBe(rows.findIndex((row) => row.includes('(you)')) + 1);
  });

  browserTest('laurel-achievements', async () => {
    const achievements = await read('achievements?includeIncomplete=true');
    const done = achievements.filter(({ achievedAt }: { achievedAt: string | null }) => achievedAt !== null);
    expect(await texts('achievements', 'name')).toEqual(
      achievements.map(({ name }: { name: string }) => name),
    );
    expect(await texts('achievements', 'summary')).toEqual([`${done.length} of ${achievements.length}`]);
    expect((await texts('achievements', 'completed')).length).toBe(done.length);
    expect((await texts('achievements', 'completed'))[0]).toContain('Completed on 18 Nov 2026');
  });

  browserTest('laurel-wrapped', async () => {
    const { activity } = await read('wrapped');
    const [days, streak, day, month, achievements, lessons] = await texts('wrapped', 'tile');
    expect(days).toBe(`${activity.daysActive} active days`);
    expect(streak).toBe(`${activity.entireYear.longestStreak.length} days longest streak`);
    expect(day).toBe('18 Nov most active day');
    expect(month).toBe('Nov most active month');
    expect(achievements).toBe(`${activity.entireYear.achievements.length} achievements`);
    expect(lessons).toContain(`${activity.entireYear.metrics.lessons.changeThisPeriod} Lessons completed`);
  });

  browserTest('with the texts that docs/components.md names, in English and German', async () => {
    const doc = await readFile(join(packageRoot(), 'docs/components.md'), 'utf8');
    const namesOf = (element: string): string[] => {
      const row = doc
        .split('| element | names |')[1]!
        .split('\n')
        .find((line) => line.startsWith(`| \`${element}\` |`))!;
      const names = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name!).slice(1);
      return row.includes('those of the leaderboard') ? [...namesOf('leaderboard'), ...names] : names;
    };
    for (const name of NAMES) {
      const builtIn = await page.locator(`laurel-${name}`).evaluate((element) => {
        const texts = (element as unknown as { builtIn: Record<string, object> }).builtIn;
        return Object.values(texts).map((table) => Object.keys(table));
      });
      const documented = [...namesOf(name)].sort();
      expect(
        builtIn.map((names) => [...names].sort()),
        name,
      ).toEqual([documented, documented]);
    }
  });

  browserTest('with one token, one copy of the data and nothing wrong', async () => {
    elementsPage.tokens = 0;
    const paths: string[] = [];
    const note = (request: { url(): string; method(): string }): void => {
      if (request.url().startsWith(server.url) && request.method() === 'GET')
        paths.push(new URL(request.url()).pathname);
    };
    page.on('request', note);
    await show({ elements: `${ALL}<laurel-leaderboard board="weekly" limit="3"></laurel-leaderboard>` });
    await expect.poll(() => page.locator('laurel-leaderboard .front tr[data-user]').count()).toBe(6);
    page.off('request', note);
    expect(elementsPage.tokens).toBe(1);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
    expect(tab.problems).toEqual([]);
  });
});

describe('elements follow', () => {
  browserTest('events of the backend, on the leaderboard at once and then everywhere', async () => {
    await show();
    await allReady();
    await server.record('bob', 1);
    await expect.poll(async () => (await texts('leaderboard', 'row'))[0]).toBe('1 Bob 31');
    const { points } = await server.record('ada', 20);
    expect(points.xp.added).toBeGreaterThanOrEqual(200);
    await expect.poll(async () => (await texts('leaderboard', 'row'))[0]).toBe('1 Ada (you) 36');
    await expect.poll(() => texts('streak', 'length')).toEqual(['10']);
    await expect.poll(() => texts('streak', 'state')).toEqual(['Done for today']);
    await expect.poll(() => texts('level', 'total')).toEqual([`${points.xp.total} XP`]);
    expect(await page.evaluate('errors')).toEqual([]);
  });

  browserTest('events of the page, before laurel has answered', async () => {
    let answer = (): void => {};
    const isShown = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/metrics/words/event', async (route) => {
      await isShown;
      await route.continue();
    });
    const [total] = await texts('level', 'total');
    await page.evaluate(
      `void document.querySelector('laurel-provider').record('words', 10, { expected: { points: { xp: 7 } } })`,
    );
    const xp = Number(total!.split(' ')[0]);
    await expect.poll(() => texts('level', 'total')).toEqual([`${xp + 7} XP`]);
    answer();
    await expect.poll(() => texts('level', 'total')).toEqual([`${xp + 5} XP`]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  browserTest('time, and attributes', async () => {
    await show({
      elements: '<laurel-level points="energy"></laurel-level>',
      provider: 'refresh-seconds="1"',
    });
    await expect.poll(() => texts('level', 'total')).toEqual(['30']);
    await server.record('ada', 1, 'minutes');
    await expect.poll(() => texts('level', 'total')).toEqual(['29']);
    await page.locator('laurel-level').evaluate((level) => level.setAttribute('points', 'xp'));
    await expect.poll(async () => (await texts('level', 'total'))[0]).toContain('XP');
  });
});

describe('languages', () => {
  browserTest('German, of the page or of a part of it, with its numbers and dates', async () => {
    await show({ root: 'lang="de-AT"' });
    await allReady();
    expect(await texts('streak', 'unit')).toEqual(['Tage in Folge']);
    expect(await texts('leaderboard', 'summary')).toEqual(['bis So., 29. Nov.']);
    expect(await texts('achievements', 'heading')).toEqual(['Erfolge']);
    await page.evaluate(`document.querySelector('laurel-streak').lang = 'en'`);
    await expect.poll(() => texts('streak', 'unit')).toEqual(['days in a row']);
    await page.evaluate(`document.documentElement.lang = 'en'`);
    await expect.poll(() => texts('achievements', 'heading')).toEqual(['Achievements']);
  });

  browserTest('a language without texts is English, and says so', async () => {
    await show({ root: 'lang="fr"', elements: '<laurel-streak></laurel-streak>' });
    await expect.poll(() => texts('streak', 'unit')).toEqual(['days in a row']);
    expect(await page.locator('laurel-streak section').getAttribute('lang')).toBe('en');
  });

  browserTest('texts of the page come first, and right to left mirrors bars and rows', async () => {
    const given = { ar: { streak: { daily: { few: 'أيام متتالية', other: 'يومًا متتاليًا' } } } };
    await show({ root: 'lang="ar-EG" dir="rtl"', provider: `texts='${JSON.stringify(given)}'` });
    await allReady();
    expect(await texts('streak', 'length')).toEqual(['١٠']);
    expect(await texts('streak', 'unit')).toEqual(['أيام متتالية']);
    const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
    const bar = await boxOf('laurel-level .front .bar');
    const fill = await boxOf('laurel-level .front [part=fill]');
    expect(fill.width).toBeLessThan(bar.width);
    expect(fill.x + fill.width).toBeCloseTo(bar.x + bar.width, 0);
    const rank = await boxOf('laurel-leaderboard .front tr:first-child [part=rank]');
    const value = await boxOf('laurel-leaderboard .front tr:first-child [part=value]');
    expect(rank.x).toBeGreaterThan(value.x);
    await expectGoodLook(page, 'elements-rtl');
  });
});

describe('states', () => {
  browserTest('nothing moves while data arrive', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${server.url}/**`, async (route) => {
      await held;
      await route.continue();
    });
    await show();
    for (const name of NAMES) expect(await stateOf(name)).toBe('loading');
    await expectGoodLook(page, 'elements-loading');
    const heights = () =>
      page
        .locator('laurel-provider > *')
        .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().height));
    const before = await heights();
    release();
    await allReady();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await heights()).toEqual(before);
    expect(((await page.evaluate('shifts')) as number[]).reduce((sum, shift) => sum + shift, 0)).toBe(0);
  });

  browserTest('a newcomer sees what is empty', async () => {
    await show({ user: 'newcomer', elements: ALL.replace('"league"', '"lesson-league"') });
    for (const name of ['streak', 'league', 'wrapped'])
      await expect.poll(() => stateOf(name), { message: name }).toBe('empty');
    expect(await texts('streak', 'message')).toEqual(['No streak yet. Start one today.']);
    await expect.poll(() => texts('leaderboard', 'own-rank')).toEqual(['You have no rank yet.']);
    await expectGoodLook(page, 'elements-empty');
  });

  browserTest('a wrong token is an error, and the right one mends it', async () => {
    elementsPage.secret = 'another-secret-that-laurel-does-not-know';
    await show();
    for (const name of NAMES) await expect.poll(() => stateOf(name)).toBe('error');
    expect(await texts('streak', 'message')).toEqual(['Sign in again to see this.']);
    await expectGoodLook(page, 'elements-error');
    const errors = (await page.evaluate('errors')) as string[];
    expect([...new Set(errors)].sort()).toEqual(NAMES.map((name) => `laurel-${name} unauthorized`).sort());
    elementsPage.secret = TOKEN_SECRET;
    await page.locator('laurel-streak').getByRole('button', { name: 'Try again' }).press('Enter');
    for (const name of NAMES.filter((one) => one !== 'wrapped'))
      await expect.poll(() => stateOf(name)).toBe('ready');
    await page.locator('laurel-wrapped').getByRole('button', { name: 'Try again' }).click();
    await allReady();
  });

  browserTest('a key that is not configured is an error, and a slot replaces what is shown', async () => {
    await show({ elements: '<laurel-level points="px"><p slot="error">Sorry</p></laurel-level>' });
    await expect.poll(() => stateOf('level')).toBe('error');
    expect(await page.evaluate('errors')).toEqual(['laurel-level notFound']);
    await page.getByText('Sorry').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
  });

  browserTest('an element without a provider says what is missing', async () => {
    await show({ elements: '' });
    await page.evaluate(`document.body.append(document.createElement('laurel-streak'))`);
    await expect.poll(() => stateOf('streak')).toBe('error');
    expect(await page.evaluate('errors')).toEqual(['laurel-streak internal']);
  });
});

describe('the browser console warns developers once for each cause:', () => {
  const warnings = () => tab.problems.flatMap((text) => /^laurel: .*?(?= http\S+ on )/.exec(text) ?? []);
  const shownWarnings = async (given: Shown, change = '') => {
    tab.problems.length = 0;
    await show(given);
    await page.evaluate(change);
    await expect.poll(warnings).not.toEqual([]);
    await expect.poll(() => page.locator('laurel-provider > :not(:state(error))').count()).toBe(0);
    return warnings();
  };

  browserTest('keys that are wrong or missing', async () => {
    const elements = `<laurel-leaderboard board="weekl"></laurel-leaderboard><laurel-league board="weekl"></laurel-league>
      <laurel-level points="px"></laurel-level><laurel-level></laurel-level>`;
    const advice = 'Correct the attribute, or add the key to the configuration of laurel.';
    expect((await shownWarnings({ elements })).sort()).toEqual([
      'laurel: <laurel-level> needs the attribute points.',
      `laurel: Leaderboard weekl does not exist; did you mean "weekly"? ${advice}`,
      `laurel: Points system px does not exist; did you mean "xp"? ${advice}`,
    ]);
  });

  browserTest('an address that cannot be reached, as with a missing origin', async () => {
    const change = `document.querySelector('laurel-provider').url = 'https://127.0.0.1:9'`;
    expect(await shownWarnings({}, change)).toEqual([
      `laurel: laurel could not be reached. Check that laurel runs at https://127.0.0.1:9 (attribute url), and that its LAUREL_CORS_ORIGINS contains ${elementsPage.origin}.`,
    ]);
  });

  browserTest('a user who does not exist, a wrong secret, and a page in place of a token', async () => {
    expect(await shownWarnings({ user: 'nobody' })).toEqual([
      'laurel: User nobody does not exist. Let your backend create the user before it signs the first token: PUT /v1/users/{id}.',
    ]);
    elementsPage.secret = 'another-secret-that-laurel-does-not-know';
    expect(await shownWarnings({})).toEqual([expect.stringMatching(/LAUREL_USER_TOKEN_SECRET of laurel\.$/)]);
    elementsPage.secret = TOKEN_SECRET;
    const change = `document.querySelector('laurel-provider').tokenUrl = '/index.html'`;
    expect(await shownWarnings({}, change)).toEqual([
      'laurel: /index.html did not answer a token of a user. Check the attribute token-url, and that your backend answers a token there as text.',
    ]);
  });
});

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  browserTest.for([390, 1440])('axe finds nothing at %s px, and nothing overflows', async (width) => {
    const other = await openTab(browser, { colorScheme, viewport: { width, height: 900 } });
    page = other.page;
    await page.clock.setFixedTime(START);
    await show();
    await allReady();
    await expectGoodLook(page, `elements-${colorScheme}-${width}`);
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    await page.context().close();
    page = tab.page;
  });
});
