import { applyConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { listDueLeaderboards } from '../../src/db/configuration/dueLeaderboards.ts';
import { createDefaultTenant, DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { publishStored } from '../../src/engine/configuration/publishing.ts';
import { advanceLeaderboard } from '../../src/engine/leaderboards/leaderboardLife.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { waitForRelay } from '../../src/redis/state/relayProgress.ts';
import { Relay } from '../../workers/relay/relay.ts';
import { createTestDatabase } from './database.ts';
import type { Engine } from './engine.ts';

const log = createLog('test', 'silent');
const RELAY_WAIT_MS_MAX = 60_000;

/**
 * PostgreSQL behind an engine: it holds the configuration, a relay fills the history, and leaderboards live
 * by time.
 */
export interface Chronicle {
  pool: Pool;
  /** Does what is due to leaderboards until `now`, ms. */
  advance(now: number): Promise<void>;
  /**
   * Rows of the history, when everything that has happened is there; `$1` is the engine's tenant, then come
   * the values.
   */
  query<T extends object>(text: string, ...values: unknown[]): Promise<T[]>;
  /** Does something while no relay runs. The next one reads these cells. */
  withoutRelay(cells: Cells, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function createChronicle(engine: Engine, file: object): Promise<Chronicle> {
  const { redis, clock, cells, tenant, rulesStore, sweep, users } = engine;
  const database = await createTestDatabase();
  const pool = createPool(database.url, log);
  await createDefaultTenant(pool, clock.now());
  await publishStored({ pool, redis, cells }, DEFAULT_TENANT, clock.now());
  // Its versions come after that which the engine has published.
  const { version } = engine.rules().config;
  await pool.query(
    `insert into tenants (no, id, name, version, created, updated) values ($1, $2, 'test', $3, $4, $4)`,
    [tenant, newId(), version, new Date(clock.now())],
  );
  const context = { pool, redis, cells, tenant, actor: 'test', now: clock.now() };
  await applyConfig(context, parseConfigFile(JSON.stringify(file), 'test'));
  await rulesStore.load(tenant);
  let relay = new Relay({ pool, redis, clock, log, cells });
  relay.start();
  const scripts = new Scripts(redis, cells);
  const deps = { pool, redis, scripts, sweep, cells, rulesStore, users };
  return {
    pool,
    advance: async (now) => {
      const due = await listDueLeaderboards(pool, now);
      for (const leaderboard of due) await advanceLeaderboard(deps, leaderboard, now);
    },
    query: async (text, ...values) => {
      await waitForRelay(scripts, allCells(cells), RELAY_WAIT_MS_MAX);
      return (await pool.query(text, [tenant, ...values])).rows;
    },
    withoutRelay: async (cells, work) => {
      await relay.stop();
      await work();
      relay = new Relay({ pool, redis, clock, log, cells });
      relay.start();
    },
    close: async () => {
      await relay.stop();
      await pool.end();
      await database.drop();
    },
  };
}
