import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { SignJWT } from 'jose';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { compile, installClients } from '../support/clientPackages.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** clients/react, as npm run build has built it: on a server, and what the store behind it does between reads. */

const SECRET = 'the-secret-of-this-installation-0123';
const HOOKS_BYTES_MAX = 1_700;

let home: string;
// Without a relay, so that a read of the history is never answered.
const server = useServer({
  config: 'test/support/application.yaml',
  env: { LAUREL_USER_TOKEN_SECRET: SECRET },
});
// biome-ignore-start lint/suspicious/noExplicitAny: the compiler checks its types in a test below
let laurelClient: any;
let laurelReact: any;
let Store: any;
let createElement: any;
let StrictMode: any;
let renderToString: any;
let Session: any;
let idOf: (operation: string, input: object) => string;
// biome-ignore-end lint/suspicious/noExplicitAny: the compiler checks its types in a test below

beforeAll(async () => {
  home = await installClients();
  const load = (file: string) => import(pathToFileURL(join(home, 'clients', file)).href);
  laurelClient = await load('typescript/dist/index.js');
  laurelReact = await load('react/dist/index.js');
  ({ Store, Session, idOf } = await load('typescript/dist/store.js'));
  ({ createElement, StrictMode } = (await load('../node_modules/react/index.js')).default);
  ({ renderToString } = (await load('../node_modules/react-dom/server.node.js')).default);
});
afterAll(() => rm(home, { recursive: true }));

const sign = (userId: string, exp = '1h'): Promise<string> =>
  new SignJWT({ scope: 'read events' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setExpirationTime(exp)
    .sign(Buffer.from(SECRET));

test(`it depends on the client and React alone, and adds less than ${HOOKS_BYTES_MAX} bytes to a page`, async () => {
  const file = await readFile(join(packageRoot(), 'clients/react/package.json'), 'utf8');
  const { dependencies = {}, peerDependencies } = JSON.parse(file);
  expect([dependencies, Object.keys(peerDependencies)]).toEqual([{}, ['laurel-client', 'react']]);
  const bundles = await build({
    root: home,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      lib: { entry: join(home, 'clients/react/dist/index.js'), formats: ['es'], fileName: 'hooks' },
      rolldownOptions: { external: [/^react/, /^laurel-client/] },
    },
  });
  const [{ output }] = bundles as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  expect(gzipSync(output[0].code).length).toBeLessThan(HOOKS_BYTES_MAX);
});

test('the compiler knows the keys of the configuration and what hooks answer', async () => {
  await writeFile(
    join(home, 'laurel.d.ts'),
    `import 'laurel-client';
    declare module 'laurel-client' { interface Keys { metrics: 'lessons'; points: 'xp'; leaderboards: 'weekly'; challenges: 'quests' } }`,
  );
  const program = (use: string): string => `import {
    LaurelProvider, useAchievements, useChallenges, useClaim, useJoin, useLeaderboard, useMetric, usePoints, useRead,
    useRecordEvent, useStreak, useUser,
  } from 'laurel-react';
  export function Use() { ${use} }
  export const app = <LaurelProvider url="/" getToken={() => fetch('/token').then((r) => r.text())}><Use /></LaurelProvider>;`;
  const right = `
    const { record } = useRecordEvent('lessons');
    const names: string[] = (useAchievements().data ?? []).map(({ name }) => name);
    const rank: number | undefined = useLeaderboard('weekly', { limit: 3 }).data?.rankings[0]?.rank;
    const next: number | undefined = usePoints('xp').data?.nextLevel?.points;
    const year: string | undefined = useRead('getUserWrapped', { query: { year: 2026 } }).data?.activity.mostActiveDay.date;
    const isExtended: boolean = useStreak().data?.isExtended ?? false;
    const left: number[] = (useChallenges().data ?? []).flatMap(({ goals }) => goals.map(({ progress, target }) => target - progress));
    const { claim, isClaiming } = useClaim('quests');
    const claimed: Promise<string | null | undefined> = claim().then((challenge) => challenge?.claimedAt);
    void [left, isClaiming, claimed, useJoin('quests').join, names, rank, next, year, isExtended, useUser().data?.name, useMetric('lessons').data?.current];
    return <button onClick={() => record(1, { expect: { points: { xp: 10 }, extendsStreak: true } })} />;`;
  const wrong = {
    "useRecordEvent('lesson')": '"lesson"',
    "usePoints('px')": '"px"',
    "useLeaderboard('weakly')": '"weakly"',
    "useClaim('quest')": '"quest"',
    "useRead('getUserMetric', { path: { key: 'lesson' } })": '"lesson"',
    "useRead('getUserMetric')": 'Expected 2 arguments',
    "useRecordEvent('lessons').record(1, { expect: { points: { px: 1 } } })": "'px'",
  };
  const all = program(`${Object.keys(wrong).join(';\n')}; return null;`);
  const [none, issues] = await compile(home, [program(right), all]);
  expect(none).toBe('');
  for (const issue of Object.values(wrong)) expect(issues).toContain(issue);
});

function Streak() {
  const { data, isLoading } = laurelReact.useStreak();
  const { isRecording } = laurelReact.useRecordEvent('lessons');
  return createElement('p', null, JSON.stringify({ data, isLoading, isRecording }));
}

describe('on a server', () => {
  test('hooks render what loads, and call nobody', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const provider = createElement(
      laurelReact.LaurelProvider,
      { url: server.url, token: await sign('ssr'), getToken: () => sign('ssr') },
      createElement(Streak),
    );
    const page = renderToString(createElement(StrictMode, null, provider));
    expect(page.replaceAll('&quot;', '"')).toBe('<p>{"isLoading":true,"isRecording":false}</p>');
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });

  test('hooks without a provider say what is missing', () => {
    expect(() => renderToString(createElement(Streak))).toThrow('LaurelProvider');
  });
});

/** A store for a user, and a fetch whose answers can be held back. */
async function openStore(userId: string) {
  await server.call('PUT', `/v1/users/${userId}`, {});
  let held: Promise<void> | null = null;
  let broken: string | null = null;
  const calls: string[] = [];
  const fetched: typeof fetch = async (url, init) => {
    calls.push(`${init!.method} ${new URL(String(url)).pathname.split('/').slice(2).join('/')}`);
    if (broken !== null && String(url).includes(broken)) throw new TypeError('fetch failed');
    const answer = await fetch(url, init);
    await held;
    return answer;
  };
  const token = await sign(userId);
  const client = laurelClient.createClient({ url: server.url, token, fetch: fetched, retries: 0 });
  const store = new Store({ client, userId: async () => userId });
  /** Every state that was shown of what is watched. */
  const states: { lessons: number; xp: number; streak: number }[] = [];
  const metric = idOf('getUserMetric', { path: { key: 'lessons' } });
  const points = idOf('getUserPoints', { path: { key: 'xp' }, query: { awards: 0 } });
  const streak = idOf('getUserStreak', { query: { historyPeriods: 0 } });
  const show = () => ({
    lessons: store.shown(metric).data?.current,
    xp: store.shown(points).data?.total,
    streak: store.shown(streak).data?.length,
  });
  const note = (): void => {
    const state = show();
    if (JSON.stringify(state) !== JSON.stringify(states.at(-1))) states.push(state);
  };
  const stops = [metric, points, streak].map((id) => store.subscribe(id, () => queueMicrotask(note)));
  await until(() => !Object.values(show()).includes(undefined!));
  states.length = 0;
  return {
    store,
    calls,
    states,
    show,
    shownError: () => store.shown(streak).error,
    /** Holds back answers until the returned function is called. */
    hold: (): (() => void) => {
      let release!: () => void;
      held = new Promise((resolve) => {
        release = () => {
          held = null;
          resolve();
        };
      });
      return release;
    },
    /** Lets calls fail whose address contains this part. */
    break: (part: string | null): void => {
      broken = part;
    },
    stop: (): void => {
      for (const stop of stops) stop();
    },
  };
}

const lesson = (value = 1, expected: object = { points: { xp: 15 }, extendsStreak: true }) => ({
  metric: 'lessons',
  value,
  body: {},
  expected,
});

describe('an event', () => {
  test('shows at once what is expected of it, and then all figures of laurel together', async () => {
    const { store, states, show, stop } = await openStore('amelia');
    const before = show();
    const answer = await store.record(lesson(2, { points: { xp: 1 }, extendsStreak: true }));
    expect(answer).toMatchObject({ total: 2 });
    await until(() => states.length === 2);
    expect(before).toEqual({ lessons: 0, xp: 0, streak: 0 });
    expect(states).toEqual([
      { lessons: 2, xp: 1, streak: 1 },
      { lessons: 2, xp: answer.points.xp.total, streak: 1 },
    ]);
    stop();
  });

  test('that is refused leaves everything as it was', async () => {
    const { store, states, show, stop } = await openStore('boris');
    const before = show();
    await expect(store.record({ ...lesson(), body: { attributes: { nothing: 'x' } } })).rejects.toMatchObject(
      {
        code: 'invalid',
      },
    );
    expect(states[0]).toEqual({ lessons: 1, xp: 15, streak: 1 });
    await until(() => states.length === 2);
    expect(show()).toEqual(before);
    stop();
  });

  test('is counted once while others are under way, also by reads that are answered late', async () => {
    const { store, calls, states, show, hold, stop } = await openStore('chloe');
    const readNow = hold();
    const reading = store.refresh();
    const events = [1, 2, 3].map((value) => store.record(lesson(value)));
    const refused = store.record({ ...lesson(100), body: { attributes: { nothing: 'x' } } });
    expect(show()).toEqual({ lessons: 106, xp: 60, streak: 1 });
    readNow();
    await Promise.all([reading, ...events, expect(refused).rejects.toThrow()]);
    await until(() => show().xp > 60);
    // After the refusal no figure falls below what was recorded, or exceeds it.
    expect(states.map(({ lessons }) => lessons).filter((count) => ![6, 106].includes(count))).toEqual([]);
    expect(show().lessons).toBe(6);
    const reads = calls.filter((call) => call.startsWith('GET users/chloe/streak'));
    expect(reads).toHaveLength(3);
    stop();
  });

  test('stays where a figure cannot be read afterwards, until it can', async () => {
    const { store, show, shownError, stop, ...calls } = await openStore('dora');
    calls.break('/streak');
    await store.record(lesson());
    await until(() => shownError() !== undefined);
    expect(shownError()).toMatchObject({ code: 'network' });
    expect(show()).toEqual({ lessons: 1, xp: 10, streak: 1 });
    calls.break(null);
    await store.refresh();
    expect(shownError()).toBeUndefined();
    expect(show()).toEqual({ lessons: 1, xp: 10, streak: 1 });
    stop();
  });
});

describe('the user of a session', () => {
  const session = (options: object) => new Session({ url: server.url, ...options });

  test('is the one whom the token names, whatever its alphabet', async () => {
    expect(await session({ token: await sign('Zoë/ß') }).userId()).toBe('Zoë/ß');
    expect(await session({ getToken: () => sign('eve') }).userId()).toBe('eve');
  });

  test('is asked for again after a failure', async () => {
    const getToken = vi.fn<() => Promise<string>>(async () => 'no token');
    const opened = session({ getToken });
    await expect(opened.userId()).rejects.toMatchObject({ code: 'unauthorized' });
    getToken.mockRejectedValueOnce(new Error('signed out'));
    await expect(opened.userId()).rejects.toThrow('signed out');
    getToken.mockImplementation(() => sign('fox'));
    expect(await opened.userId()).toBe('fox');
    expect(await opened.userId()).toBe('fox');
    expect(getToken).toHaveBeenCalledTimes(3);
    await expect(session({}).userId()).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
