import type { Redis } from 'ioredis';
import { cellsOf } from '../../base/cells.ts';
import { CHECK_RANKINGS } from '../../base/limits.ts';
import type { Progress } from '../../base/progress.ts';
import { listTenantNumbers } from '../../db/access/tenantRows.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { countUsers, listUserIds } from '../../db/history/recordedUsers.ts';
import { readFinalRuns } from '../../db/leaderboards/finalRunRows.ts';
import type { Pool } from '../../db/pool.ts';
import { assertRestored } from '../../engine/stores/availability.ts';
import { primariesOf } from '../../redis/connection/redisClient.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { Scripts } from '../../redis/scripts/scripts.ts';
import { sampleUsers } from '../../redis/state/statistics.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { fixedCells } from '../stores/commandStores.ts';
import { membersIn, scanned } from '../stores/scanned.ts';
import { checkRelays, checkTenant } from './checkInstallation.ts';
import { checkRanking } from './checkRankings.ts';
import { checkUsers } from './checkUsers.ts';
import { type CheckContext, type Difference, type DifferenceKind, Findings } from './differences.ts';

/** Users of each tenant that `laurel check` compares, unless it compares all. */
const CHECK_USERS = 1_000;
const CHECK_USERS_PER_BATCH = 500;
/** Differences that it names; it counts all. */
const CHECK_NAMED_MAX = 1_000;

const KEYS_PER_SCAN = 1_000;
/** Number of ids of a sample after which users of PostgreSQL are read: Redis may not have these. */
const RANGES = 10;

export interface CheckOptions {
  pool: Pool;
  redis: Redis;
  progress: Progress;
  /** Compares every user and ranking, else a sample of each tenant. */
  all: boolean;
}

export interface CheckReport {
  users: number;
  /** Users who differed and changed during every look, so nothing is known about them. */
  unsettled: number;
  rankings: number;
  counts: Partial<Record<DifferenceKind, number>>;
  /** The first ones. */
  differences: Difference[];
}

/**
 * Compares Redis with PostgreSQL while the installation runs, in bounded memory, and changes nothing.
 * @throws ServiceError `unavailable` if the relay does not catch up, or Redis waits to be restored
 */
export async function check({ pool, redis, progress, all }: CheckOptions): Promise<CheckReport> {
  const cells = await fixedCells(pool);
  await assertRestored({ pool, redis, cells });
  const findings = new Findings(CHECK_NAMED_MAX);
  const report = { users: 0, unsettled: 0, rankings: 0 };
  await checkRelays({ pool, redis, cells }, findings);
  for (const tenant of await listTenantNumbers(pool)) {
    const rules = new Rules(await loadConfig(pool, tenant));
    const isFinal = await readFinalRuns(pool, tenant);
    const scripts = new Scripts(redis, cells);
    const context = { pool, redis, scripts, cells, tenant, rules, isFinal, findings, progress };
    await checkTenant(context);
    const checked = await checkUsersAndRankings(context, all);
    report.users += checked.users;
    report.unsettled += checked.unsettled;
    report.rankings += checked.rankings;
  }
  return { ...report, counts: Object.fromEntries(findings.counts), differences: findings.first };
}

type Checked = Pick<CheckReport, 'users' | 'unsettled' | 'rankings'>;

/** @param all compares every user and ranking, else a sample of users and some rankings in which they are */
async function checkUsersAndRankings(context: CheckContext, all: boolean): Promise<Checked> {
  const { pool, tenant, progress } = context;
  const sample = all ? null : await drawUsers(context);
  progress.begin(`tenant ${tenant}`, sample?.length ?? (await countUsers(pool, tenant)));
  const checked: Checked = { users: 0, unsettled: 0, rankings: 0 };
  const rankings = new Set<string>();
  for await (const batch of sample === null ? allUsers(context) : inBatches(sample)) {
    const { rankings: ofBatch, unsettled } = await checkUsers(context, batch);
    if (!all) for (const key of ofBatch) rankings.add(key);
    checked.users += batch.length;
    checked.unsettled += unsettled;
    progress.advance(batch.length);
  }
  for await (const key of all ? allRankings(context) : [...rankings].slice(0, CHECK_RANKINGS)) {
    await checkRanking(context, key, all);
    checked.rankings++;
  }
  progress.end();
  return checked;
}

/** Users drawn from Redis, and those who follow some of them in PostgreSQL. */
async function drawUsers({ pool, redis, tenant, cells }: CheckContext): Promise<string[]> {
  const drawn = await sampleUsers(redis, tenant, cells, CHECK_USERS);
  const userIds = new Set(drawn);
  for (const after of ['', ...drawn.slice(1, RANGES)])
    for (const id of await listUserIds(pool, tenant, after, CHECK_USERS / RANGES)) userIds.add(id);
  return [...userIds];
}

function* inBatches(userIds: readonly string[]): Generator<string[]> {
  for (let at = 0; at < userIds.length; at += CHECK_USERS_PER_BATCH)
    yield userIds.slice(at, at + CHECK_USERS_PER_BATCH);
}

/** The users of PostgreSQL, then those of Redis whom PostgreSQL does not have. */
async function* allUsers({ pool, redis, tenant, cells }: CheckContext): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const batch = await listUserIds(pool, tenant, last, CHECK_USERS_PER_BATCH);
    if (batch.length > 0) yield batch;
    if (batch.length < CHECK_USERS_PER_BATCH) break;
    last = batch.at(-1)!;
  }
  for (const cell of cellsOf(tenant, cells)) {
    const seen = keys.seen(tenant, cell);
    for await (const found of membersIn((cursor) =>
      redis.zscan(seen, cursor, 'COUNT', CHECK_USERS_PER_BATCH),
    )) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from unnest($2::text[]) as id
         where not exists (select from users where tenant = $1 and user_id = id)`,
        [tenant, found],
      );
      if (rows.length > 0) yield rows.map(({ id }) => id);
    }
  }
}

async function* allRankings({ redis, tenant, cells }: CheckContext): AsyncGenerator<string> {
  const prefixes = cellsOf(tenant, cells).map((cell) => `${keys.tenantPrefix(tenant, cell)}lb:`);
  for (const primary of primariesOf(redis)) {
    for (const prefix of prefixes)
      for await (const found of scanned((cursor) =>
        primary.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', KEYS_PER_SCAN),
      ))
        yield* found;
  }
}
