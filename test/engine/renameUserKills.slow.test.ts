import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { check } from '../../src/commands/check/check.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { listRenames } from '../../src/db/users/renameRows.ts';
import type { ErasureDependencies } from '../../src/engine/erasure/eraseUser.ts';
import { carryOutRename, requestRename } from '../../src/engine/erasure/renameUser.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { finishRenames } from '../../workers/jobs/scheduleTable.ts';
import { closeOwnStores, openOwnStores } from '../support/ownStores.ts';
import type { Json } from '../support/reading.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';

const silent = createLog('test', 'silent');
const tenant = DEFAULT_TENANT;
/** More calls of stores than a new id takes. */
const CALLS_MAX = 200;

let server: TestServer;
let own: ErasureDependencies;

const call = (method: string, path: string, body?: object): Promise<Reply> => server.call(method, path, body);
const event = (id: string): Promise<Reply> =>
  call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1 });
const run = () => finishRenames({ ...own, clock: server.clock, log: silent }, new AbortController().signal);

beforeEach(async () => {
  server = await startTestServer();
  await server.startRelay();
  own = await openOwnStores(server);
});
afterEach(async () => {
  await closeOwnStores(own);
  await server?.stop();
});

/** What belongs to the process of a test that can be killed. */
interface Mortal {
  deps: ErasureDependencies;
  /** Calls of stores so far. */
  calls: number;
}

/** The stores of a process that is killed at a call, before it or once the store has carried it out. */
function mortal(own: ErasureDependencies, lastCall: number, isCarriedOut: boolean): Mortal {
  const process: Mortal = { deps: own, calls: 0 };
  const die = (): never => {
    throw new Error('killed');
  };
  const guarded = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        if (name === 'pipeline') return (...args: unknown[]) => value.apply(target, args);
        return async (...args: unknown[]) => {
          if (name === 'release') return value.call(target, true);
          process.calls++;
          if (process.calls > lastCall || (process.calls === lastCall && !isCarriedOut)) die();
          // biome-ignore lint/suspicious/noExplicitAny: any method of a store
          const result = (await (value as any).apply(target, args)) as unknown;
          if (process.calls === lastCall) {
            if (name === 'connect') (result as { release(broken: boolean): void }).release(true);
            die();
          }
          return name === 'connect' ? guarded(result as object) : result;
        };
      },
    });
  const [pool, redis] = [guarded(own.pool), guarded(own.redis)];
  process.deps = { ...own, pool, redis, scripts: new Scripts(redis, own.cells) };
  return process;
}

/** Some fifty users get another id, each after waits for the history. */
const KILLS_MS_MAX = 600_000;

test.each([
  ['before', false],
  ['after', true],
])(
  'a process that is killed %s any call leaves a user whom the next one renames, and nothing else',
  {
    timeout: KILLS_MS_MAX,
  },
  async (_when, isCarriedOut) => {
    const state = async (id: string): Promise<unknown> => {
      const { body } = await call('GET', `/admin/v1/users/${id}/export`);
      const { user, state, records } = body;
      const rows = [
        'event_history',
        'award_history',
        'completed_achievements',
        'leaderboard_changes',
        'points_totals',
      ];
      const counts = rows.map((table) => records[table].length);
      return {
        total: state.counters[0].total,
        points: state.points,
        boards: state.leaderboards,
        name: user.name,
        counts,
      };
    };
    for (let lastCall = 1, isDone = false; !isDone; lastCall++) {
      expect(lastCall).toBeLessThan(CALLS_MAX);
      const id = `k${lastCall}`;
      const killed = { tenant, userId: id, newId: `${id}-new` };
      for (let i = 0; i < 2; i++) await event(id);
      await call('GET', `/v1/users/${id}/points/xp?awards=10`);
      const before = await state(id);
      const process = mortal(own, lastCall, isCarriedOut);
      await requestRename(own, killed, null, { actor: 'test', now: START_MS });
      const result = await carryOutRename(process.deps, killed, START_MS, 5_000).catch(() => 'killed');
      isDone = result === 'renamed';
      // An event meanwhile counts for the user, or waits and counts for a new one.
      const meanwhile = event(id);
      await until(async () => {
        await run();
        return (await listRenames(own.pool)).length === 0;
      });
      const { status, body } = await meanwhile;
      const isCounted = status === 201 && body.total === 3;
      if (!isCounted) expect([status, body.total]).toEqual(status === 503 ? [503, undefined] : [201, 1]);
      await call('GET', `/v1/users/${killed.newId}/points/xp?awards=10`);
      if (!isCounted) expect(await state(killed.newId)).toEqual(before);
      expect((await event(killed.newId)).body).toMatchObject({ total: isCounted ? 4 : 3 });
      const log: Json[] = (await call('GET', `/admin/v1/audit?userId=${killed.newId}`)).body;
      expect(log).toMatchObject([{ before: { id }, after: { id: killed.newId } }]);
      expect((await call('DELETE', `/admin/v1/users/${killed.newId}`)).status).toBe(200);
    }
    const report = await check({ pool: own.pool, redis: own.redis, progress: noProgress, all: true });
    expect(report.differences).toEqual([]);
  },
);
