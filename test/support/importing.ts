import { createLog } from '../../src/base/log.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool } from '../../src/db/pool.ts';
import { History } from '../../src/engine/availability/historyReads.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { runImport } from '../../src/engine/imports/runImport.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import type { Scripts } from '../../src/redis/scripts/scripts.ts';
import type { Reply, TestServer } from './server.ts';
import { WAIT_MS } from './until.ts';
import type { ServerUnderTest } from './useServer.ts';

type Row = object | string;

/** Imports rows into a server as a worker would. */
export interface Importing {
  /** Sends the rows as one chunk. @returns the id of the import */
  send(kind: 'users' | 'events', rows: Row[], options?: object): Promise<string>;
  /** What a worker does for the import, once. */
  apply(id: string): Promise<void>;
  /**
   * As `apply`, with one user in each call.
   * @param act what happens once, after rows have been read and `calls` calls have been made
   */
  applyAround(id: string, act: () => Promise<void>, calls?: number): Promise<void>;
  /** Some script calls of a worker that ends before the import does. */
  applyCalls(id: string, calls: number): Promise<void>;
  /** Sends and applies rows. @returns the import */
  import(kind: 'users' | 'events', rows: Row[], options?: object): Promise<Reply['body']>;
  refused(id: string): Promise<Reply['body'][]>;
  close(): Promise<void>;
}

/**
 * @param of the tenant that gets the rows; by default that of an account without tenants
 * @param waitReplicas replicas that must have what a call imports
 */
export async function useImports(
  server: TestServer,
  of?: Pick<ServerUnderTest, 'call' | 'no'>,
  waitReplicas = 0,
): Promise<Importing> {
  const tenant = of?.no ?? 1;
  const log = createLog('test', 'silent');
  const pool = createPool(server.databaseUrl, log);
  const redis = connectRedis(server.redisUrl, log, { waitReplicas });
  await whenReady(redis);
  const cells = (await readCells(pool))!;
  const engine = createEngine({ redis, clock: server.clock, cells });
  const history = new History({ pool, redis, cells, waitMsMax: WAIT_MS });
  const deps = { pool, ...engine, history };
  const admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
    (of ?? server).call(method, `/admin/v1${path}`, body);
  const importing: Importing = {
    async send(kind, rows, options = {}) {
      const { status, body } = await admin('POST', '/imports', { kind, ...options });
      if (status !== 201) throw new Error(JSON.stringify(body));
      const chunk = rows.map((row, i) => ({
        line: i + 1,
        row: typeof row === 'string' ? row : JSON.stringify(row),
      }));
      const sent = await admin('POST', `/imports/${body.id}/chunks`, { chunk: 0, rows: chunk, isLast: true });
      if (sent.status !== 200) throw new Error(JSON.stringify(sent.body));
      return body.id;
    },
    apply: (id) => runImport(deps, { tenant, id }),
    async applyAround(id, act, calls = 0) {
      let left = calls;
      const scripts = new Proxy(deps.scripts, {
        get:
          (target, name: keyof Scripts) =>
          async (...values: never[]) => {
            if (name.startsWith('import') && left-- === 0) await act();
            return (target[name] as (...values: never[]) => unknown)(...values);
          },
      });
      const pace = { signal: new AbortController().signal, callsAtOnce: 1, rest: 0.001, usersPerCall: 1 };
      await runImport({ ...deps, scripts }, { tenant, id }, pace);
      if (left >= 0) throw new Error('The import ended before');
    },
    applyCalls(id, calls) {
      const [worker, left] = [new AbortController(), { calls }];
      const pace = {
        signal: worker.signal,
        // As beside live events, so that a call takes few events.
        callsAtOnce: 1,
        rest: 0.001,
        get usersPerCall() {
          if (--left.calls === 0) worker.abort();
          return 1;
        },
      };
      return runImport(deps, { tenant, id }, pace);
    },
    async import(kind, rows, options) {
      const id = await importing.send(kind, rows, options);
      await importing.apply(id);
      return (await admin('GET', `/imports/${id}`)).body;
    },
    refused: async (id) => (await admin('GET', `/imports/${id}/refused`)).body.refused,
    async close() {
      redis.disconnect();
      await pool.end();
    },
  };
  return importing;
}
