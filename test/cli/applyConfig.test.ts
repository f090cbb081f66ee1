import type { Redis } from 'ioredis';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { assertNoIssues } from '../../src/admin/entities/draftCheck.ts';
import { type ApplyReport, applyConfig } from '../../src/admin/files/applyConfig.ts';
import { exportConfig } from '../../src/admin/files/exportConfig.ts';
import { FileEdit } from '../../src/admin/files/fileEdit.ts';
import { ConfigFileError, parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { newAdminKey, newId, sha256 } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { insertApiKey, listAcceptedKeys } from '../../src/db/access/apiKeyRows.ts';
import { createDefaultTenant, DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { readOnce, setOnce } from '../../src/db/installation.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool, type Pool, transaction } from '../../src/db/pool.ts';
import { RulesStore } from '../../src/engine/calls/rulesStore.ts';
import { type ConfigContext, changeConfig } from '../../src/engine/configuration/changeConfig.ts';
import { bodyOf, type ConfigDraft } from '../../src/engine/configuration/configDraft.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import type { Config } from '../../src/rules/config.ts';
import { testCells } from '../support/cells.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { Random } from '../support/random.ts';
import { randomConfig } from '../support/randomConfig.ts';
import { emptyRedis } from '../support/redisData.ts';
import { takeRedisDatabase } from '../support/redisDatabases.ts';
import type { TestRedis } from '../support/redisKind.ts';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const experimentation = (controlRatio: number) => ({ controlRatio, userActivationWindow: 14 });
const LATER = NOW + 60_000;
const log = createLog('test', 'silent');
const CELLS = testCells(4);

const FILE = `
attributes: { user: [{ key: city, name: City }], event: [{ key: city, name: City of the event }] }
metrics: [{ key: lessons, name: Lessons }, { key: minutes, name: Minutes, unitType: currency, units: min }]
streak: { metrics: [{ key: lessons, threshold: 1 }] }
achievements:
  - { key: tenth, name: "Ten \\"lessons\\" 🎉", trigger: metric, metric: lessons, metricValue: 9.5, eventAttributes: { city: rome } }
  - { key: all, name: All, trigger: achievement, achievements: [tenth] }
points:
  - key: xp
    name: XP
    levels: [{ key: low, name: Low, points: 5 }, { key: high, name: High, points: 50 }]
    triggers:
      - { type: metric, metric: lessons, metricThreshold: 1, points: 10 }
      - { type: metric, metric: lessons, metricThreshold: 5, points: 20 }
      - { type: user_creation, points: 5, userAttributes: { city: rome } }
    boosts: [{ name: Double, start: 2026-12-21, end: 2026-12-27, multiplier: 1.5 }]
leaderboards:
  - { key: weekly, name: Weekly, rankBy: metric, metric: lessons, runUnit: day, runInterval: 7, start: 2026-11-16 }
settings: { experimentation: { controlRatio: 10 } }
`;

let database: TestDatabase;
let pool: Pool;
let redisDatabase: TestRedis;
let redis: Redis;

const by = (now: number, tenant = DEFAULT_TENANT): ConfigContext => ({
  pool,
  redis,
  cells: CELLS,
  tenant,
  actor: 'test',
  now,
});

/** What each of several processes that started at once migrated. */
let migrated: string[][];

beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
  pool = createPool(database.url, log);
  const pools = [1, 2, 3].map(() => createPool(database.url, log));
  migrated = await Promise.all(pools.map((other) => migrate(other, NOW, log)));
  await Promise.all(pools.map((other) => other.end()));
  await createDefaultTenant(pool, NOW);
  redisDatabase = await takeRedisDatabase();
  redis = connectRedis(redisDatabase.url, log);
  await whenReady(redis);
});

afterAll(async () => {
  await emptyRedis(redis);
  redis.disconnect();
  await redisDatabase.stop();
  await pool.end();
  await database.drop();
});

test('migrations run once, even if several processes start together', async () => {
  expect(migrated.flat()).toContain('001_schema.sql');
  expect(new Set(migrated.flat()).size).toBe(migrated.flat().length);
  expect(await migrate(pool, LATER, log)).toEqual([]);
  const { rows } = await pool.query('select applied from migrations');
  for (const row of rows) expect(row.applied).toEqual(new Date(NOW));
});

describe('applying', () => {
  const apply = (text: string, now = NOW): Promise<ApplyReport> =>
    applyConfig(by(now), parseConfigFile(text, 'test'));
  const load = (): Promise<Config> => loadConfig(pool, DEFAULT_TENANT);

  beforeEach(async () => {
    await emptyRedis(redis);
    await pool.query('truncate entities, entity_numbers, tenants cascade');
    await createDefaultTenant(pool, NOW);
    await createDefaultTenant(pool, LATER);
  });

  test('stores and reports the planned changes', async () => {
    const report = await apply(FILE);
    expect(report).toEqual({
      created: [
        { kind: 'attributes', key: 'user.city' },
        { kind: 'attributes', key: 'event.city' },
        { kind: 'metrics', key: 'lessons' },
        { kind: 'metrics', key: 'minutes' },
        { kind: 'achievements', key: 'tenth' },
        { kind: 'achievements', key: 'all' },
        { kind: 'pointsSystems', key: 'xp' },
        { kind: 'pointsLevels', key: 'xp.low' },
        { kind: 'pointsLevels', key: 'xp.high' },
        { kind: 'pointsTriggers', key: 'xp.metric' },
        { kind: 'pointsTriggers', key: 'xp.metric' },
        { kind: 'pointsTriggers', key: 'xp.user_creation' },
        { kind: 'pointsBoosts', key: 'xp.Double' },
        { kind: 'leaderboards', key: 'weekly' },
      ],
      updated: [
        {
          kind: 'streak',
          key: 'streak',
          changes: [
            { field: 'enabled', before: false, after: true },
            { field: 'metrics', before: [], after: [{ key: 'lessons', threshold: 1 }] },
          ],
        },
        {
          kind: 'settings',
          key: 'settings',
          changes: [{ field: 'experimentation', before: experimentation(0), after: experimentation(10) }],
        },
      ],
      deleted: [],
      version: 1,
    });
    const config = await load();
    expect(config.version).toBe(1);
    expect(config.achievements[0]).toEqual({
      id: config.achievements[0]!.id,
      no: 1,
      created: '2026-11-18T12:00:00.000Z',
      updated: '2026-11-18T12:00:00.000Z',
      key: 'tenth',
      name: 'Ten "lessons" 🎉',
      description: null,
      badgeUrl: null,
      trigger: 'metric',
      status: 'active',
      metricId: config.metrics[0]!.id,
      metricValue: 9.5,
      streakLength: null,
      anniversaryYears: null,
      hidden: false,
      achievementIds: [],
      userAttributes: [],
      eventAttributes: [{ attributeId: config.attributes[1]!.id, attributeValue: 'rome' }],
      where: null,
      aggregate: null,
      per: null,
      repeat: null,
    });
    expect(config.counters.map((counter) => [counter.no, counter.metricId, counter.eventAttributes])).toEqual(
      [
        [1, config.metrics[0]!.id, []],
        [2, config.metrics[1]!.id, []],
        [3, config.metrics[0]!.id, config.achievements[0]!.eventAttributes],
      ],
    );
    expect(config.settings.experimentation.controlRatio).toBe(10);
  });

  test('the configuration that is published and handed on is the stored one', async () => {
    const file = parseConfigFile(FILE, 'test');
    const { config } = await changeConfig(by(NOW), { edit: (draft) => void new FileEdit(draft, file) });
    const stored = await load();
    expect(config).toEqual(stored);
    expect((await new RulesStore(redis, CELLS).load(DEFAULT_TENANT)).config).toEqual(stored);
  });

  test('the process that has published a change serves by it at once', async () => {
    await apply(FILE);
    const rulesStore = new RulesStore(redis, CELLS);
    const { version } = await rulesStore.load(DEFAULT_TENANT);
    const edit = (draft: ConfigDraft) =>
      draft.putSettings({ ...draft.config.settings, experimentation: experimentation(20) });
    await changeConfig({ ...by(LATER), rulesStore }, { edit });
    const { config } = rulesStore.get(DEFAULT_TENANT)!;
    expect([config.version, config.settings.experimentation.controlRatio]).toEqual([version + 1, 20]);
  });

  test('what a check refuses is neither stored nor published', async () => {
    await apply(FILE);
    const before = await load();
    const refused = changeConfig(by(LATER), {
      edit: (draft) => draft.putSettings({ ...draft.config.settings, experimentation: experimentation(200) }),
      check: assertNoIssues,
    });
    await expect(refused).rejects.toThrow(
      'experimentation.controlRatio must be a whole number from 0 to 100',
    );
    expect(await load()).toEqual(before);
    expect((await new RulesStore(redis, CELLS).load(DEFAULT_TENANT)).version).toBe(before.version);
  });

  test('twice changes nothing', async () => {
    await apply(FILE);
    const before = await load();
    expect(await apply(FILE, LATER)).toEqual({ created: [], updated: [], deleted: [], version: 1 });
    expect(await load()).toEqual(before);
  });

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'twice changes nothing, nor what is exported (random configuration %i)',
    async (seed) => {
      const start = DateTime.fromMillis(NOW, { zone: 'utc' });
      const file = JSON.stringify(randomConfig(new Random(seed), start));
      await apply(file);
      const nothing = { created: [], updated: [], deleted: [], version: 1 };
      expect(await apply(file, LATER)).toEqual(nothing);
      expect(await apply(JSON.stringify(exportConfig(await load(), NOW)), LATER)).toEqual(nothing);
    },
  );

  test('by several processes at once takes effect once', async () => {
    const reports = await Promise.all([apply(FILE), apply(FILE), apply(FILE)]);
    expect(reports.map((report) => report.created.length).sort()).toEqual([0, 0, 14]);
    expect((await load()).version).toBe(1);
  });

  test('changes what differs, deletes items missing from a listed list, and leaves the rest', async () => {
    await apply(FILE);
    const before = await load();
    const report = await apply(
      `
metrics: [{ key: minutes, name: Minutes, unitType: currency, units: h }]
points:
  - key: xp
    name: Experience
    levels: [{ key: high, name: High, points: 40 }, { key: top, name: Top, points: 100 }]
    triggers:
      - { type: streak, streakLength: 7, points: 50 }
      - { type: metric, metric: lessons, metricThreshold: 2, points: 10 }
      - { type: metric, metric: lessons, metricThreshold: 5, points: 20 }`,
      LATER,
    );
    expect(report).toEqual({
      created: [
        { kind: 'pointsLevels', key: 'xp.top' },
        { kind: 'pointsTriggers', key: 'xp.streak' },
      ],
      updated: [
        { kind: 'metrics', key: 'minutes', changes: [{ field: 'units', before: 'min', after: 'h' }] },
        { kind: 'pointsSystems', key: 'xp', changes: [{ field: 'name', before: 'XP', after: 'Experience' }] },
        { kind: 'pointsLevels', key: 'xp.high', changes: [{ field: 'points', before: 50, after: 40 }] },
        {
          kind: 'pointsTriggers',
          key: 'xp.metric',
          changes: [{ field: 'metricThreshold', before: 1, after: 2 }],
        },
      ],
      deleted: [
        { kind: 'pointsLevels', key: 'xp.low' },
        { kind: 'pointsTriggers', key: 'xp.user_creation' },
      ],
      version: 2,
    });
    const after = await load();
    expect(after.pointsBoosts).toEqual(before.pointsBoosts);
    expect(after.achievements).toEqual(before.achievements);
    expect(after.streak).toEqual(before.streak);
    expect(after.metrics[1]).toEqual({
      ...before.metrics[1],
      units: 'h',
      updated: new Date(LATER).toISOString(),
    });
    // The equal trigger is itself; the one with another threshold is what it was before, by its subject. The
    // new one stands where the file lists it.
    expect(after.pointsTriggers.map((trigger) => [trigger.no, trigger.metricThreshold])).toEqual([
      [4, null],
      [1, 2],
      [2, 5],
    ]);
    expect(after.pointsTriggers[2]).toEqual(before.pointsTriggers[1]);
  });

  test('uses no number twice', async () => {
    const levels = (keys: string[]): string =>
      JSON.stringify({
        points: [{ key: 'xp', name: 'XP', levels: keys.map((key, points) => ({ key, name: key, points })) }],
      });
    await apply(levels(['a', 'b']));
    await apply(levels(['a']));
    await apply(levels([]));
    await apply(levels(['b', 'c']));
    expect((await load()).pointsLevels.map(({ no, key }) => [no, key])).toEqual([
      [3, 'b'],
      [4, 'c'],
    ]);
  });

  test('a wrong file changes nothing', async () => {
    await apply(FILE);
    const before = await load();
    const wrong = apply(
      'metrics: [{ key: more, name: More }]\nachievements: [{ key: x, name: X, trigger: streak }]',
    );
    await expect(wrong).rejects.toThrow(ConfigFileError);
    await expect(wrong).rejects.toMatchObject({ issues: [{ path: 'achievements[0].streakLength' }] });
    expect(await load()).toEqual(before);
  });

  test('the state of boosts, levels and streak survives names and orders that change', async () => {
    await apply(FILE);
    const file = parseConfigFile(FILE, 'test') as Required<ConfigFile>;
    const system = file.points[0]!;
    system.levels!.reverse();
    system.triggers!.reverse();
    system.boosts!.unshift({ name: 'Triple', start: '2026-12-01', multiplier: 3 });
    const report = await applyConfig(by(LATER), file);
    expect(report.created).toEqual([{ kind: 'pointsBoosts', key: 'xp.Triple' }]);
    expect([report.updated, report.deleted]).toEqual([[], []]);
  });

  test('one change may swap two keys, but not leave one twice', async () => {
    await apply(FILE);
    const rename = (from: string, to: string, draft: ConfigDraft): void => {
      const metric = draft.config.metrics.find(({ key }) => key === from)!;
      draft.put('metrics', metric.id, { ...bodyOf(metric), key: to });
    };
    const change = (renames: [string, string][]) =>
      changeConfig(by(LATER), {
        edit: (draft) => {
          for (const [from, to] of renames) rename(from, to, draft);
        },
      });
    await change([
      ['lessons', 'other'],
      ['minutes', 'lessons'],
      ['other', 'minutes'],
    ]);
    expect((await load()).metrics.map((metric) => metric.key)).toEqual(['minutes', 'lessons']);
    await expect(change([['minutes', 'lessons']])).rejects.toThrow(/entities_key/);
    expect((await load()).version).toBe(2);
  });

  test('an unknown tenant has no configuration', async () => {
    await expect(loadConfig(pool, 99)).rejects.toThrow('no tenant 99');
    await expect(applyConfig(by(NOW, 99), {})).rejects.toThrow('no tenant 99');
  });

  test('tenants after the default one get the next numbers', async () => {
    const insert = `insert into tenants (id, customer_id, name, created, updated) values ($1, 'acme', 'Acme', $2, $2) returning no`;
    const { rows } = await pool.query(insert, [newId(), new Date(NOW)]);
    expect(rows[0].no).toBeGreaterThan(DEFAULT_TENANT);
    await applyConfig(by(NOW, rows[0].no), parseConfigFile(FILE, 'test'));
    expect((await load()).metrics).toEqual([]);
    expect((await loadConfig(pool, rows[0].no)).metrics[0]).toMatchObject({ no: 1, key: 'lessons' });
  });
});

test('a transaction that throws leaves no rows, and its connection stays usable', async () => {
  const failing = transaction(pool, async (client) => {
    await setOnce(client, 'lost', '1');
    throw new Error('stop');
  });
  await expect(failing).rejects.toThrow('stop');
  expect(await readOnce(pool, 'lost')).toBe(null);
});

test('a connection that breaks is logged, not thrown', async () => {
  const broken = transaction(pool, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await client.query('select 1');
  });
  await expect(broken).rejects.toThrow();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test('a fact about the installation is set once', async () => {
  expect(await readOnce(pool, 'cells')).toBe(null);
  const answers = await Promise.all(['16', '32', '64'].map((value) => setOnce(pool, 'cells', value)));
  expect(new Set(answers).size).toBe(1);
  expect(await setOnce(pool, 'cells', '128')).toBe(answers[0]);
  expect(await readOnce(pool, 'cells')).toBe(answers[0]);
});

test('keys are stored once, as their hash, and listed while active', async () => {
  const { key, prefix } = newAdminKey();
  const admin = {
    id: newId(),
    prefix,
    sha256: sha256(key),
    role: 'admin' as const,
    name: '',
    kind: 'admin' as const,
    tenant: null,
    userId: null,
  };
  const application = {
    ...admin,
    id: newId(),
    sha256: sha256('app_1'),
    role: 'admin' as const,
    name: '',
    kind: 'application' as const,
    userId: 'ann',
  };
  expect(await insertApiKey(pool, admin, NOW)).toBe(true);
  expect(await insertApiKey(pool, { ...admin, id: newId() }, NOW)).toBe(false);
  expect(await insertApiKey(pool, { ...application, tenant: DEFAULT_TENANT }, LATER)).toBe(true);
  expect(await listAcceptedKeys(pool)).toEqual([
    { ...admin, madeBy: null, expires: null },
    { ...application, tenant: DEFAULT_TENANT, madeBy: null, expires: null },
  ]);
  await pool.query(`update api_keys set status = 'revoked' where id = $1`, [admin.id]);
  expect((await listAcceptedKeys(pool)).map((active) => active.id)).toEqual([application.id]);
});
