import { randomInt } from 'node:crypto';
import type { Redis } from 'ioredis';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { type Cells, cellOf, cellsOf, homeCellOf } from '../../src/base/cells.ts';
import { AdjustableClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { EventRequest } from '../../src/contract/event.ts';
import type { Pool } from '../../src/db/pool.ts';
import { History } from '../../src/engine/availability/historyReads.ts';
import type { KeyUses } from '../../src/engine/calls/keyUses.ts';
import { publishRules, type RulesStore } from '../../src/engine/calls/rulesStore.ts';
import { createEngine as createParts, type Engine as Parts } from '../../src/engine/engine.ts';
import { addEvent } from '../../src/engine/events/addEvent.ts';
import type { MergedReads } from '../../src/engine/ranks/mergedReads.ts';
import type { Sweep } from '../../src/engine/users/sweep.ts';
import type { UserChanges } from '../../src/engine/users/userChanges.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { type Config, emptyConfig } from '../../src/rules/config.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import { testCells } from './cells.ts';
import { OutboxKeyUses } from './outboxKeyUses.ts';
import { emptyRedis, rankingNames } from './redisData.ts';
import { takeRedisDatabase } from './redisDatabases.ts';
import { START } from './testTime.ts';
import { WAIT_MS } from './until.ts';

/** Time of a test: set it, and everything that asks happens then. */
export class TestClock extends AdjustableClock {
  #now = 0;

  override now(): number {
    return this.#now;
  }

  set(instant: string | number): void {
    this.#now = typeof instant === 'number' ? instant : Date.parse(instant);
  }
}

export interface Engine {
  redis: Redis;
  redisUrl: string;
  clock: TestClock;
  rulesStore: RulesStore;
  users: UserChanges;
  sweep: Sweep;
  mergedReads: MergedReads;
  tenant: number;
  cells: Cells;
  /** The first cell of the tenant. */
  cell: number;
  cellOf(userId: string): number;
  /** An id of a user in this cell: the name, with a number if need be. */
  userIn(cell: number, name: string): string;
  /** All cells of the tenant. */
  tenantCells: readonly number[];
  /** Keys of a ranking, such as `1:20000:`, in all cells of the tenant. */
  rankingKeys(name: string): string[];
  /** Names of the rankings in Redis. */
  rankingNames(): Promise<string[]>;
  /** What is known of idempotency keys in the outboxes, unless the engine was given other key uses. */
  outboxKeys: OutboxKeyUses;
  rules(): Rules;
  /**
   * Applies a configuration file, given as text or as its content, to what is configured; `beyond` replaces
   * what no file has.
   */
  configure(file: string | object, beyond?: Partial<Config>): Promise<Config>;
  /** Records one event through the queue that the server uses. */
  record(metricKey: string, request: EventRequest, idempotencyKey?: string): Promise<Outcome>;
  /** The same on another server, which shares the stores. */
  server(): Promise<Pick<Engine, 'record'>>;
  close(): Promise<void>;
}

export const recordOn =
  (parts: Parts, tenant: number): Engine['record'] =>
  (metricKey, request, idempotencyKey) =>
    new Promise((resolve, reject) => {
      addEvent(parts, parts.rulesStore.get(tenant)!, {
        metricKey,
        request,
        idempotencyKey: idempotencyKey ?? null,
        done: resolve,
        fail: reject,
      });
    });

/** The event path without HTTP, in a tenant and a database of Redis of its own. */
export async function createEngine(
  file: string | object,
  at = START,
  cells = testCells(4),
  keyUses?: KeyUses,
  pool?: Pool,
): Promise<Engine> {
  const database = await takeRedisDatabase();
  const redis = connectRedis(database.url, createLog('test', 'silent'));
  await whenReady(redis);
  await emptyRedis(redis);
  const tenant = randomInt(1_000, 1_000_000_000);
  const tenantCells = cellsOf(tenant, cells);
  const clock = new TestClock();
  clock.set(at);
  const outboxKeys = new OutboxKeyUses(redis, cells);
  const options = {
    redis,
    clock,
    cells,
    keyUses: keyUses ?? outboxKeys,
    ...(pool && { history: new History({ pool, redis, cells, waitMsMax: WAIT_MS }) }),
  };
  const parts = createParts(options);
  const { rulesStore, users, sweep } = parts;
  let config = emptyConfig(tenant);

  const engine: Engine = {
    redis,
    redisUrl: database.url,
    clock,
    rulesStore,
    users,
    sweep,
    mergedReads: parts.mergedReads,
    tenant,
    cells,
    cell: homeCellOf(tenant, cells),
    cellOf: (userId) => cellOf(tenant, userId, cells),
    userIn(cell, name) {
      let id = name;
      for (let i = 1; engine.cellOf(id) !== cell; i++) id = `${name}-${i}`;
      return id;
    },
    tenantCells,
    rankingKeys: (name) => tenantCells.map((cell) => `${keys.tenantPrefix(tenant, cell)}lb:${name}`),
    rankingNames: () => rankingNames(redis, tenant, cells),
    outboxKeys,
    rules: () => rulesStore.get(tenant)!,
    async configure(content, beyond = {}) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      const plan = planConfig(config, parseConfigFile(text, 'test'), clock.now());
      if (plan.issues.length > 0) throw new Error(JSON.stringify(plan.issues));
      config = { ...plan.config, ...beyond, version: config.version + 1 };
      await publishRules(redis, config, cells, clock.now());
      return config;
    },
    record: recordOn(parts, tenant),
    async server() {
      const others = createParts(options);
      await others.rulesStore.load(tenant);
      return { record: recordOn(others, tenant) };
    },
    async close() {
      await emptyRedis(redis);
      redis.disconnect();
      await database.stop();
    },
  };
  await engine.configure(file);
  await rulesStore.load(tenant);
  return engine;
}
