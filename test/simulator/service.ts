import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Client } from 'pg';
import { Pool as HttpPool } from 'undici';
import { allCells, type Cells, cellOf, cellsOf } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { check } from '../../src/commands/check/check.ts';
import { findTenantByCustomerId } from '../../src/db/access/tenantRows.ts';
import { recountCohorts } from '../../src/db/analytics/cohorts.ts';
import { DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { primariesOf } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { TICKET } from '../../src/redis/lua/scriptConstants.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readFirstMembers } from '../../src/redis/state/mergedMembers.ts';
import { arrivalOf, userIdOf } from '../../src/redis/state/rankingEntries.ts';
import { readRelaySilence, waitForRelay } from '../../src/redis/state/relayProgress.ts';
import type { Config } from '../../src/rules/config.ts';
import { TenantDays } from '../../workers/relay/tenantDays.ts';
import { type Importing, useImports } from '../support/importing.ts';
import { type PostgresNode, startPostgresNode } from '../support/postgresNode.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openRedis } from '../support/redisData.ts';
import { restoreServer } from '../support/restoreServer.ts';
import { API_KEY, change, createTenant, startTestServer, type TestServer } from '../support/server.ts';
import { until, WAIT_MS } from '../support/until.ts';
import { type Pausable, Processes, type ProcessRole } from './processes.ts';
import type { Arrival } from './ties.ts';
import { WEBHOOK_ENV, WorldWebhook } from './webhooks/worldWebhook.ts';
import { beginOf, type World } from './world.ts';
import { startWorldRedis, type WorldRedis } from './worldRedis.ts';

/** Status of an answer of unknown outcome. */
export const UNAVAILABLE = 503;
/** Reads at a time. */
const READERS = 16;
/** More than a ranking of a world has. */
const RANKED_MAX = 1_000;
/** The id of the tenant that the account becomes when it is divided. */
const ADOPTED_ID = 'tenant-1';

/** An answer of the service. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape are compared
  body: any;
}

type Call = [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
];

/** An import that has ended, and its refused rows. */
export interface ImportedRows {
  found: Answer;
  refused: Answer;
}

/** A part of the service that breaks, so many ms after a call began. */
export interface Break {
  part: 'redis' | 'postgres' | ProcessRole;
  ms: number;
  /**
   * A part that is a process of this world hangs for so long, and then goes on; a primary with a replica hangs until
   * that has taken over.
   */
  hangMs?: number;
  /** Which primary of a cluster, 0 by default. */
  primary?: number;
  /** The relay is killed when it has written its next batch and not acknowledged it. */
  afterCommit?: true;
}

/** Stores and processes of a world, which may be killed; null if they are not its own. */
interface Killable {
  redis: WorldRedis | null;
  postgres: PostgresNode | null;
  processes: Processes | null;
}

/** What the tenants of a world share. */
interface Shared {
  server: TestServer;
  killable: Killable;
  /** Of the server that runs now. */
  http: { client: HttpPool };
  redis: Redis;
  pool: Pool;
  cells: Cells;
  /** Gets the deliveries of webhooks; null in a world without them. */
  receiver: Receiver | null;
  tenants: Tenant[];
  /** Lets a replaced primary go on that hangs. */
  goOn: (() => void) | null;
  failovers: number;
}

/** A tenant: its number, and its id in calls, which is null in an account without tenants. */
interface Tenant {
  no: number;
  id: string | null;
}

/**
 * The real service of one world as one of its tenants sees it: server, relay, Redis and PostgreSQL; time stands still
 * until it is moved.
 */
export class Service {
  readonly #shared: Shared;
  readonly #tenant: Tenant;
  readonly #imports: Importing;
  /** Null in a world without webhooks. */
  #webhook: WorldWebhook | null = null;

  private constructor(shared: Shared, tenant: Tenant, imports: Importing) {
    this.#shared = shared;
    this.#tenant = tenant;
    this.#imports = imports;
  }

  static async #ofTenant(shared: Shared, tenant: Tenant, hasFaults: boolean): Promise<Service> {
    const { server, receiver, killable } = shared;
    const call: TestServer['call'] = (method, path, body, headers) =>
      server.call(method, path, body, { ...headersOf(tenant), ...headers });
    const service = new Service(
      shared,
      tenant,
      await useImports(server, { no: tenant.no, call }, killable.redis?.waitReplicas),
    );
    if (receiver !== null) {
      const own = { path: `/tenant-${tenant.no}`, hasFaults, ...shared };
      service.#webhook = await WorldWebhook.create((...asked) => service.call(...asked), receiver, own);
    }
    return service;
  }

  /** The cell of a user; null if all users of the tenant are in one. */
  get cellOf(): ((userId: string) => number) | null {
    const { cells } = this.#shared;
    return cells.spread > 1 ? (userId) => cellOf(this.#tenant.no, userId, cells) : null;
  }

  /**
   * @param configs of the tenants; of an account without tenants, one
   * @returns the service as each tenant sees it
   */
  static async start(
    configs: readonly object[],
    { start: now, hasProcesses = false, hasReplica = false, hasWebhook = false, faults = 1 }: World,
  ): Promise<Service[]> {
    const redis = await startWorldRedis(hasReplica);
    const database = hasProcesses ? await startPostgresNode() : null;
    const env = { LAUREL_TEST_CLOCK: now, ...WEBHOOK_ENV, ...redis?.env };
    const server = await startTestServer({
      config: configs[0]!,
      env,
      ...(redis !== null && { redis }),
      ...(database !== null && { database }),
    });
    // What follows may take minutes on a busy machine.
    await change(server, 'POST', '/admin/v1/test-clock', clockSetting(beginOf({ start: now })));
    const processes = hasProcesses ? await Processes.start(server, env) : null;
    if (processes === null) await server.startRelay();
    const pool = createPool(server.databaseUrl, createLog('test', 'silent'));
    const shared: Shared = {
      server,
      killable: { redis, postgres: database?.node ?? null, processes },
      http: { client: connect(processes ?? server) },
      redis: await openRedis(server.redisUrl),
      pool,
      cells: (await readCells(pool))!,
      receiver: hasWebhook ? await startReceiver() : null,
      tenants: [{ no: DEFAULT_TENANT, id: configs.length > 1 ? ADOPTED_ID : null }],
      goOn: null,
      failovers: 0,
    };
    const { tenants } = shared;
    const others = configs.slice(1);
    if (others.length === 0) return [await Service.#ofTenant(shared, tenants[0]!, faults > 0)];
    await change(server, 'PATCH', '/admin/v1/settings', { multiTenancy: true, adoptAs: ADOPTED_ID });
    for (const [i, config] of others.entries()) {
      const id = `tenant-${i + 2}`;
      await createTenant(server, id, config);
      tenants.push({ no: (await findTenantByCustomerId(pool, id))!.no, id });
    }
    return Promise.all(tenants.map((tenant) => Service.#ofTenant(shared, tenant, faults > 0)));
  }

  /** Calls the API. A read that the service cannot answer now is repeated. */
  async call(...call: Call): Promise<Answer> {
    return call[0] === 'GET' ? this.untilAvailable(() => this.#send(...call)) : this.#send(...call);
  }

  async #send(...[method, path, body, headers = {}]: Call): Promise<Answer> {
    const answer = await this.#shared.http.client.request({
      method,
      path,
      headers: {
        'x-api-key': API_KEY,
        'content-type': 'application/json',
        ...headersOf(this.#tenant),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: text === '' ? null : JSON.parse(text) };
  }

  /** Moves time, and does everything that is due until then. A part that breaks meanwhile makes it begin again. */
  async moveTo(now: number, broken: Break | null): Promise<void> {
    const move = (): Promise<Answer> => this.call('POST', '/admin/v1/test-clock', clockSetting(now));
    if (broken !== null) await this.breakPart(broken, move);
    const { status, body } = await this.untilAvailable(move);
    if (status !== 200) throw new Error(`the clock is not moved: ${JSON.stringify(body)}`);
    this.goOn();
  }

  /** The stored configuration, with ids and numbers. */
  readConfig(): Promise<Config> {
    return loadConfig(this.#shared.pool, this.#tenant.no);
  }

  /** The groups of a run in the order in which the service works them off, which says nothing. */
  async inOrder(groups: readonly string[]): Promise<string[]> {
    const found = await this.#shared.pool.query<{ name: string }>(
      'select name from unnest($1::text[]) as name order by hashtextextended(name, 0)',
      [groups],
    );
    return found.rows.map(({ name }) => name);
  }

  /** Users of a ranking that is not final, by its name in the model, the best first. */
  async arrivalsOf(tenant: number, name: string): Promise<Arrival[]> {
    const [no, run, ...group] = name.split(':');
    const names = cellsOf(tenant, this.#shared.cells).map((cell) =>
      keys.board(tenant, cell, Number(no), Number(run), group.join(':')),
    );
    const members = await readFirstMembers(this.#shared.redis, names, RANKED_MAX);
    return members
      .filter((_, i) => i % 2 === 0)
      .map((member) => ({
        userId: userIdOf(member),
        at: Math.floor(arrivalOf(member.slice(0, TICKET.size)) / TICKET.arrivalsPerMs),
      }));
  }

  /** All users in the order in which newer rules look at them, which says nothing. */
  async usersInOrder(tenant: number): Promise<string[]> {
    const ofCells = await Promise.all(
      cellsOf(tenant, this.#shared.cells).map((cell) =>
        this.#shared.redis.zrange(keys.seen(tenant, cell), '0', '-1'),
      ),
    );
    return ofCells.flat();
  }

  /** Sends rows, and applies them as a worker does. */
  async importRows(kind: 'users' | 'events', rows: readonly object[]): Promise<ImportedRows> {
    const id = await this.#imports.send(kind, [...rows]);
    await this.#imports.apply(id);
    const path = `/admin/v1/imports/${id}`;
    return { found: await this.call('GET', path), refused: await this.call('GET', `${path}/refused`) };
  }

  /** Waits until the history has everything. */
  relayed(): Promise<void> {
    const { redis, cells } = this.#shared;
    return waitForRelay(new Scripts(redis, cells), allCells(cells), WAIT_MS);
  }

  get hasWebhook(): boolean {
    return this.#webhook !== null;
  }

  /** Whether the relay lives in this process, and knows at once that the clock was moved. */
  get isRelayNear(): boolean {
    return this.#shared.killable.processes === null;
  }

  /** What the webhook of the tenant has got since the last call; null in a world without webhooks. */
  async deliver(now: number): Promise<Awaited<ReturnType<WorldWebhook['deliver']>> | null> {
    if (this.#webhook === null) return null;
    await this.relayed();
    await until(() => this.#shared.server.clock.now() >= now);
    return this.#webhook.deliver(now);
  }

  /** Counts the weeks of the users whose counts may have changed, as a worker does. */
  async recountCohorts(): Promise<void> {
    await this.relayed();
    const { pool } = this.#shared;
    const days = new TenantDays(pool);
    await recountCohorts(pool, (tenants) => days.load(tenants));
  }

  /** Redis loses everything, and is restored. Until the relay reads again, the clock would pass runs that end. */
  async restoreRedis(): Promise<void> {
    const { server, pool, redis, cells } = this.#shared;
    await restoreServer({ pool, redis, clock: server.clock, relayed: () => this.relayed() });
    const replicas = this.#shared.killable.redis?.waitReplicas ?? 0;
    if (replicas > 0) await Promise.all(primariesOf(redis).map((primary) => primary.wait(replicas, WAIT_MS)));
    await until(async () => (await readRelaySilence(redis, cells)) !== null);
  }

  /**
   * Breaks a part some milliseconds after a call began. Redis, in whose place a replica may go on, PostgreSQL, server
   * and relay are killed and start again, or hang, if they are of this world alone. Else all connections of PostgreSQL
   * end, or the server stops and starts.
   * @returns the answer of the call; null if nobody knows what it did
   */
  async breakPart(broken: Break, call: () => Promise<Answer>): Promise<Answer | null> {
    const { part, ms, hangMs, afterCommit } = broken;
    const { postgres, processes } = this.#shared.killable;
    const killed = afterCommit && processes?.killAfterCommit();
    const answered = call().catch(() => null);
    await sleep(ms);
    const hanging = hangMs === undefined ? null : this.#findProcess(part);
    if (hanging !== null) {
      hanging.pause();
      await sleep(hangMs);
      hanging.resume();
    } else if (part === 'redis') await this.#breakRedis(broken);
    else if (part === 'postgres') {
      if (postgres === null) await endConnections(this.#shared.server.databaseUrl);
      await postgres?.kill();
      await postgres?.restart();
    } else if (afterCommit) await killed;
    else if (processes !== null) await processes.kill(part);
    else if (part === 'server') await this.restart();
    const answer = await answered;
    await this.#serves();
    return answer === null || answer.status === UNAVAILABLE ? null : answer;
  }

  /** Ends a primary, in whose place a replica may go on. One that hangs meanwhile stays so until `goOn`. */
  async #breakRedis({ hangMs, primary = 0 }: Break): Promise<void> {
    const { killable, redis } = this.#shared;
    if (killable.redis?.hang != null) this.#shared.failovers++;
    if (hangMs === undefined) await killable.redis?.kill(primary);
    else this.#shared.goOn = (await killable.redis?.hang?.(primary)) ?? null;
    await until(() => redis.ping());
  }

  /** How often a replica has taken over. */
  get failovers(): number {
    return this.#shared.failovers;
  }

  /** Lets a primary go on that hung until a replica took over. */
  goOn(): void {
    this.#shared.goOn?.();
    this.#shared.goOn = null;
  }

  /** Waits until all cells answer. */
  async #serves(): Promise<void> {
    const { tenants, cells } = this.#shared;
    await this.call('GET', '/v1/achievements');
    for (const tenant of tenants)
      for (const userId of usersInCells(tenant.no, cells))
        await this.call('GET', `/v1/users/${userId}`, undefined, headersOf(tenant));
  }

  /** The process of a part; null if it is not of this world alone. */
  #findProcess(part: Break['part']): Pausable | null {
    const { redis, postgres, processes } = this.#shared.killable;
    if (part === 'redis') return redis?.pausable ?? null;
    if (part === 'postgres') return postgres;
    return processes?.find(part) ?? null;
  }

  /** Repeats a call until the service does not refuse it for lack of a store. */
  async untilAvailable(call: () => Promise<Answer>): Promise<Answer> {
    return until(async () => {
      const answer = await call();
      if (answer.status === UNAVAILABLE) throw new Error(JSON.stringify(answer.body));
      return answer;
    });
  }

  /** The server stops and starts. */
  async restart(): Promise<void> {
    const { server, killable, http } = this.#shared;
    await http.client.destroy();
    await (killable.processes?.restart('server') ?? server.restart());
    http.client = connect(killable.processes ?? server);
  }

  /** What Redis and PostgreSQL disagree about. */
  async differences(): Promise<readonly unknown[]> {
    await this.relayed();
    const { pool, redis } = this.#shared;
    return (await check({ pool, redis, progress: noProgress, all: true })).differences;
  }

  /** Ends what this tenant has of its own. */
  leave(): Promise<void> {
    return this.#imports.close();
  }

  /** Ends the service for all tenants. */
  async stop(): Promise<void> {
    const { server, killable, http, redis, pool, receiver } = this.#shared;
    redis.disconnect();
    await receiver?.close();
    await http.client.destroy();
    await pool.end();
    await killable.processes?.stop();
    await server.stop();
  }
}

const headersOf = ({ id }: Tenant): Record<string, string> => (id === null ? {} : { 'tenant-id': id });

/** Time that stands still, as it is set. @param now ms */
const clockSetting = (now: number): object => ({
  now: new Date(now).toISOString(),
  stopped: true,
  awaitHistory: false,
});

/** Unknown users, one of each cell of a tenant. */
function usersInCells(tenant: number, cells: Cells): string[] {
  const found = new Map<number, string>();
  for (let i = 0; found.size < cells.spread; i++) {
    const userId = `nobody-${i}`;
    found.set(cellOf(tenant, userId, cells), userId);
  }
  return [...found.values()];
}

const connect = ({ url }: { url: string }): HttpPool => new HttpPool(url, { connections: READERS });

async function endConnections(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}
