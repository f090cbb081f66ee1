import { connect, type Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { Agent, type Dispatcher, EventSource, WebSocket } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NewestFirst } from '../../src/http/live/newestFirst.ts';
import { LIVE_STREAMS_OF_KEY_MAX } from '../../src/http/request/liveReads.ts';
import { primariesOf } from '../../src/redis/connection/redisClient.ts';
import { testCells } from '../support/cells.ts';
import { freePort } from '../support/installation.ts';
import { rawRequest } from '../support/rawHttp.ts';
import { API_KEY } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const BOARD = '/v1/leaderboards/weekly/live';
const SUBSCRIBERS_EACH = 50;

interface State {
  key: string;
  rankings: { userId: string; userName: string | null; rank: number; value: number }[];
}

/** What one subscriber has been sent, and how to leave. */
interface Watcher {
  states: State[];
  failures: string[];
  close(): void;
}

// A port that the system chose for a listener cannot be listened on again while connections linger there.
const server = useServer(async () => ({
  config: 'demo/config.yaml',
  env: { PORT: String(await freePort()) },
  tenantEach: true,
}));
const { call } = server;
/** Headers of calls for the tenant of this test. */
let headers: Record<string, string>;
const watchers: Watcher[] = [];
beforeEach(() => {
  headers = { 'X-API-KEY': API_KEY, 'Tenant-ID': server.tenant! };
});
afterEach(() => {
  for (const watcher of watchers.splice(0)) watcher.close();
});

const record = (id: string, value = 1, name = id) =>
  call('POST', '/v1/metrics/lessons/event', { user: { id, name }, value });

function kept(watcher: Watcher): Watcher {
  watchers.push(watcher);
  return watcher;
}

/** A WebSocket that connects again when it is closed, as a page would. */
function watchBySocket(query = '', path = BOARD): Watcher {
  const states: State[] = [];
  const failures: string[] = [];
  let isOver = false;
  let socket: WebSocket;
  const open = (): void => {
    socket = new WebSocket(server.url.replace('http', 'ws') + path + query, {
      headers,
    });
    socket.addEventListener('message', ({ data }) => states.push(JSON.parse(data as string)));
    socket.addEventListener('close', ({ code, reason }) => {
      if (code === 1008) failures.push(reason);
      else if (!isOver) setTimeout(open, 50);
    });
  };
  open();
  const close = (): void => {
    isOver = true;
    socket.close();
  };
  return kept({ states, failures, close });
}

/** EventSource takes no headers; the test's connection adds them. */
const withHeaders = new Agent().compose((dispatch) => (options: Dispatcher.DispatchOptions, handler) => {
  return dispatch({ ...options, headers: { ...(options.headers as object), ...headers } }, handler);
});

/** Server-sent events; EventSource itself connects again. */
function watchByEvents(query = ''): Watcher {
  const states: State[] = [];
  const source = new EventSource(server.url + BOARD + query, {
    node: { dispatcher: withHeaders },
  });
  source.addEventListener('message', ({ data }) => states.push(JSON.parse(data as string)));
  return kept({ states, failures: [], close: () => source.close() });
}

const latest = ({ states }: Watcher, id: string) =>
  states.at(-1)?.rankings.find(({ userId }) => userId === id);

describe('a live leaderboard', () => {
  test('sends the same state as the plain read, immediately', async () => {
    await record('first', 1, 'Zoë');
    const [socket, events] = [watchBySocket('?limit=3'), watchByEvents('?limit=3')];
    const { body } = await call('GET', '/v1/leaderboards/weekly?limit=3');
    await until(() => socket.states.length > 0 && events.states.length > 0);
    expect(socket.states[0]).toEqual(body);
    expect(events.states[0]).toEqual(body);
  });

  test('reaches a hundred subscribers when it changes', async () => {
    const all = Array.from({ length: SUBSCRIBERS_EACH }, () => [watchBySocket(), watchByEvents()]).flat();
    await until(() => all.every(({ states }) => states.length > 0));
    await until(async () => (await gauge('laurel_live_subscribers')) === all.length);
    await record('winner', 50);
    await until(() => all.every((watcher) => latest(watcher, 'winner')?.value === 50));
  });

  test('sends nothing while nothing changes, and each state once', async () => {
    const watcher = watchBySocket();
    await until(() => watcher.states.length > 0);
    for (const value of [1, 1, 1]) {
      await record('steady', value);
      const { body } = await call('GET', '/v1/leaderboards/weekly');
      await until(() => expect(watcher.states.at(-1)).toEqual(body));
    }
    const texts = watcher.states.map((state) => JSON.stringify(state));
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('selects a group and a user as the plain read does', async () => {
    const path = '/v1/metrics/lessons/event';
    await call('POST', path, { user: { id: 'anna', attributes: { city: 'berlin' } }, value: 3 });
    const watcher = watchBySocket('?userId=anna&limit=1', '/v1/leaderboards/city/live');
    await until(() => latest(watcher, 'anna')?.rank === 1);
    await call('POST', path, { user: { id: 'berta', attributes: { city: 'berlin' } }, value: 4 });
    await until(() => latest(watcher, 'anna')?.rank === 2);
  });

  test('reconnects after a restart of the server', async () => {
    const all = [watchBySocket(), watchByEvents()];
    await until(() => all.every(({ states }) => states.length > 0));
    await server.restart();
    await record('phoenix', 60);
    await until(() => all.every((watcher) => latest(watcher, 'phoenix')?.value === 60));
  });

  test('forgets subscribers that have left', async () => {
    const all = [watchBySocket(), watchByEvents()];
    await until(() => all.every(({ states }) => states.length > 0));
    for (const watcher of all) watcher.close();
    await until(async () => (await gauge('laurel_live_subscribers')) === 0);
  });
});

describe('live leaderboards that differ in the page', () => {
  const OFFSETS = Array.from({ length: 30 }, (_, offset) => `?limit=50&offset=${offset}`);

  /** Calls of a command that Redis has counted. */
  const callsOf = async (redis: Redis, command: string): Promise<number> => {
    const stats = await Promise.all(primariesOf(redis).map((node) => node.info('commandstats')));
    const found = stats.map((text) => new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? '0');
    return found.reduce((sum, calls) => sum + Number(calls), 0);
  };

  test('share one read, which is made only after a change', async () => {
    const { redis } = server;
    await record('shared', 100);
    const all = OFFSETS.map((query) => watchBySocket(query));
    await until(() => all.every(({ states }) => states.length > 0));
    const [reads, checks] = await Promise.all([callsOf(redis, 'zrange'), callsOf(redis, 'zcard')]);
    await until(async () => (await callsOf(redis, 'zcard')) > checks + 5);
    expect(await callsOf(redis, 'zrange')).toBe(reads);
    await record('shared', 1);
    const { body } = await call('GET', '/v1/leaderboards/weekly?limit=50');
    await until(() => expect(all[0]!.states.at(-1)).toEqual(body));
    expect(await callsOf(redis, 'zrange')).toBeLessThanOrEqual(reads + 2 * testCells(16).spread);
    for (const [offset, query] of OFFSETS.entries()) {
      const { body: page } = await call('GET', `/v1/leaderboards/weekly${query}`);
      await until(() => expect(all[offset]!.states.at(-1)).toEqual(page));
    }
  });

  test('are limited for an application key', async () => {
    const { body } = await call('POST', '/admin/v1/application-api-keys', [{ userId: 'ada' }]);
    const path = `${BOARD}?apiKey=${body.created[0].key}`;
    const open = await Promise.all(Array.from({ length: LIVE_STREAMS_OF_KEY_MAX }, () => openRaw(path)));
    await until(() => open.every(({ received }) => received().includes('"rankings"')));
    // The rate of requests of the key is limited, too.
    await until(() => refused(path));
    for (const { socket } of open) socket.destroy();
  });

  const refused = async (path: string): Promise<boolean> => {
    const reply = await call('GET', path, undefined, { 'X-API-KEY': '' });
    return reply.status === 429 && /live streams/.test(reply.body.error);
  };
});

describe('a subscriber that does not read', () => {
  const LIVE = '/v1/leaderboards/all-time/live?limit=1000';
  const PARTICIPANTS = 600;
  const CHANGES = 10;

  test('does not delay others, and gets the newest state once it reads again', async () => {
    // A state has 2 MB.
    const longName = '\u6f22'.repeat(1000);
    await Promise.all(Array.from({ length: PARTICIPANTS }, (_, i) => record(`p${i}`, 1, longName)));
    const quick = watchBySocket('?limit=1000', '/v1/leaderboards/all-time/live');
    const slow = await openRaw(LIVE);
    await until(() => slow.received().includes('"rankings"'));
    slow.socket.pause();
    for (let change = 1; change <= CHANGES; change++) {
      await record('mover', 1);
      await until(() => latest(quick, 'mover')?.value === 5 + 10 * change);
    }
    const sentToQuick = quick.states.length;
    slow.socket.resume();
    const newest = new RegExp(
      `"userId":"mover","userName":"mover","rank":\\d+,"value":${5 + 10 * CHANGES}\\b`,
    );
    await until(() => newest.test(eventsIn(slow.received()).at(-1) ?? ''));
    expect(eventsIn(slow.received()).length).toBeLessThan(sentToQuick);
    slow.socket.destroy();
  });

  test('has at most one state waiting', () => {
    const written: string[] = [];
    let isDrained = false;
    const states = new NewestFirst((text) => {
      written.push(text);
      return isDrained;
    });
    for (const text of ['1', '2', '3']) states.offer(text);
    expect(written).toEqual(['1']);
    isDrained = true;
    states.drained();
    expect(written).toEqual(['1', '3']);
    states.offer('4');
    expect(written).toEqual(['1', '3', '4']);
  });
});

describe('refused', () => {
  const cases: [name: string, path: string, key: string, status: number, names: RegExp][] = [
    ['without a key', BOARD, '', 401, /X-API-KEY/],
    ['an unknown leaderboard', '/v1/leaderboards/nothing/live', API_KEY, 404, /nothing/],
    ['a bad query', `${BOARD}?limit=-1`, API_KEY, 422, /limit/],
    ['an admin key in the address', `${BOARD}?apiKey=${API_KEY}`, '', 401, /application key/],
  ];

  test.each(cases)('%s', async (_name, path, key, status, names) => {
    const reply = await call('GET', path, undefined, { 'X-API-KEY': key });
    expect(reply).toMatchObject({ status, body: { error: expect.stringMatching(names) } });
  });

  test('over a WebSocket, which is closed with the reason', async () => {
    const watcher = watchBySocket('', '/v1/leaderboards/no%C3%ABl/live');
    await until(() => watcher.failures.length > 0);
    expect(watcher.failures[0]).toMatch(/noël/);
  });
});

async function gauge(name: string): Promise<number> {
  const { body } = await call('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

/** A connection on which the test decides when to read. */
async function openRaw(path: string): Promise<{ socket: Socket; received(): string }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(rawRequest('GET', path, headers, null));
  return { socket, received: () => Buffer.concat(chunks).toString() };
}

const eventsIn = (text: string): string[] => text.split('\n\n').filter((part) => part.includes('data: {'));
