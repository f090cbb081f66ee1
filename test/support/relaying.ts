import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { StoredKeyUses } from '../../src/engine/calls/keyUses.ts';
import type { Changes, Outcome } from '../../src/redis/decoding/outcome.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { Relay, type RelayOptions } from '../../workers/relay/relay.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createEngine, type Engine } from './engine.ts';
import { achievement, item, items, lessonStreak, metricBoard, perLesson, WEEKLY, xp } from './items.ts';

export const NOON = Date.parse('2026-11-18T12:00:00Z');
export const silent = createLog('test', 'silent');

/** Something of everything that history records. */
export const CONFIG = {
  attributes: { user: items('city'), event: items('device') },
  metrics: items('lessons', 'minutes'),
  streak: lessonStreak(),
  achievements: [
    achievement('two', 2),
    item('profile', { trigger: 'api' }),
    item('both', { trigger: 'achievement', achievements: ['two', 'profile'] }),
  ],
  points: [
    xp(
      [
        { type: 'user_creation', points: 5 },
        perLesson(10),
        { type: 'achievement', achievement: 'profile', points: 100 },
      ],
      { boosts: [{ name: 'Double', start: '2026-11-18', multiplier: 2 }] },
    ),
    {
      key: 'energy',
      name: 'Energy',
      triggers: [perLesson(1)],
    },
  ],
  leaderboards: [
    metricBoard('weekly', { ...WEEKLY, start: '2026-11-16' }),
    metricBoard('city', { breakdownAttributes: ['city'], start: '2026-11-01' }),
  ],
};

const TABLES = [
  'users',
  'recorded_events',
  'points_awards',
  'completed_achievements',
  'streak_extensions',
  'leaderboard_changes',
];

/** An engine whose outbox relays empty into a database, both of the test's own. */
export class Relaying {
  database!: TestDatabase;
  pool!: Pool;
  engine!: Engine;
  relays: Relay[] = [];

  readonly createRelay = (options: Partial<RelayOptions> = {}): Relay => {
    const { redis, clock, cells } = this.engine;
    const relay = new Relay({ pool: this.pool, redis, clock, log: silent, cells, ...options });
    this.relays.push(relay);
    return relay;
  };

  readonly drain = async (relay = this.createRelay()): Promise<void> => {
    while ((await relay.runOnce()) > 0);
  };

  readonly isDrained = async (): Promise<boolean> => {
    const { redis, cells } = this.engine;
    return (await readRelayLag(redis, cells)).entries === 0;
  };

  readonly record = async (
    user: string | { id: string; attributes?: Record<string, string> },
    value = 1,
    key?: string,
    attributes?: Record<string, string>,
  ): Promise<Changes> => {
    const identified = typeof user === 'string' ? { id: user } : user;
    const request = { user: identified, value, ...(attributes ? { attributes } : {}) };
    return recorded(await this.engine.record('lessons', request, key));
  };

  /** The number of what is configured. */
  readonly no = (
    kind: 'metrics' | 'pointsSystems' | 'achievements' | 'leaderboards' | 'attributes',
    key: string,
  ): number => {
    const list: { key: string; no: number }[] = this.engine.rules().config[kind];
    return list.find((entity) => entity.key === key)!.no;
  };

  /** Rows of the test's tenant. */
  readonly rowsOf = async (from: string, order = '1'): Promise<Record<string, unknown>[]> => {
    const { rows } = await this.pool.query(`select * from ${from} where tenant = $1 order by ${order}`, [
      this.engine.tenant,
    ]);
    return rows.map(({ tenant, ...row }) => row);
  };

  /**
   * All history of the test's tenant, with the transactions that wrote it: what is equal has not been written
   * again.
   */
  readonly history = async (): Promise<Record<string, unknown[]>> => {
    const found: Record<string, unknown[]> = {};
    for (const table of TABLES) {
      const users = table === 'recorded_events' ? 'join user_numbers on no = user_no' : '';
      const rows = `select *, written.xmin::text as written_by from ${table} as written ${users}`;
      found[table] = await this.rowsOf(`(${rows}) as row`, 'row::text');
    }
    return found;
  };
}

export function recorded(outcome: Outcome): Changes {
  if (outcome.status !== 'recorded') throw new Error(`the outcome was ${outcome.status}`);
  return outcome;
}

/** A database for the test file; an engine and a tenant for each test. */
export function useRelaying(): Relaying {
  const relaying = new Relaying();
  beforeAll(async () => {
    relaying.database = await createTestDatabase();
    relaying.pool = createPool(relaying.database.url, silent);
  });
  afterAll(async () => {
    await relaying.pool?.end();
    await relaying.database?.drop();
  });
  beforeEach(async () => {
    relaying.relays = [];
    const keyUses = new StoredKeyUses(relaying.pool);
    relaying.engine = await createEngine(
      CONFIG,
      new Date(NOON).toISOString(),
      undefined,
      keyUses,
      relaying.pool,
    );
    await relaying.pool.query(
      `insert into tenants (no, id, name, created, updated) values ($1, $2, 'test', $3, $3)`,
      [relaying.engine.tenant, newId(), new Date(NOON)],
    );
  });
  afterEach(async () => {
    await Promise.all(relaying.relays.map((relay) => relay.stop()));
    await relaying.pool.query('truncate tenants cascade');
    // They need not be of any tenant.
    await relaying.pool.query('delete from dead_entries');
    // The next test has an empty Redis.
    await relaying.pool.query('delete from relay_receipts');
    await relaying.engine.close();
  });
  return relaying;
}
