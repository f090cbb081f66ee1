import type { Redis } from 'ioredis';
import { cellsOf } from '../base/cells.ts';
import { CHECK_NAMED_MAX, CHECK_RANKINGS, CHECK_USERS, CHECK_USERS_PER_BATCH } from '../base/limits.ts';
import type { Progress } from '../base/progress.ts';
import { listTenantNumbers } from '../db/access/tenantRows.ts';
import { loadConfig } from '../db/configuration/loadConfig.ts';
import { countUsers } from '../db/history/countRecorded.ts';
import { listUserIds } from '../db/history/recordedUsers.ts';
import { readCells } from '../db/installation.ts';
import { readFinalRuns } from '../db/leaderboards/finalRunRows.ts';
import type { Pool } from '../db/pool.ts';
import { assertRestored } from '../engine/availability.ts';
import { primariesOf } from '../redis/connection/redisClient.ts';
import { Scripts } from '../redis/scripts/scripts.ts';
import { keys } from '../redis/state/redisKeys.ts';
import { sampleUsers } from '../redis/state/statistics.ts';
import { Rules } from '../rules/rules.ts';
import type { CheckContext } from './checkContext.ts';
import { checkRelays, checkTenant } from './checkInstallation.ts';
import { checkRanking } from './checkRankings.ts';
import { checkUsers } from './checkUsers.ts';
import { type Difference, type DifferenceKind, Findings } from './differences.ts';

const KEYS_PER_SCAN = 1_000;
/** Of a sample, this many ids begin a range of users in PostgreSQL, which Redis may lack. */
const RANGES = 10;

export interface CheckOptions {
  pool: Pool;
  redis: Redis;
  progress: Progress;
  /** Compares every user and ranking, else a sample of each tenant. */
  all: boolean;
}

export interface CheckReport {
  /** Users compared. */
  users: number;
  /** Users who differed and changed during every look, so nothing is known about them. */
  unsettled: number;
  rankings: number;
  /** Number of differences by kind. */
  counts: Partial<Record<DifferenceKind, number>>;
  /** The first ones. */
  differences: Difference[];
}

/**
 * Compares Redis with PostgreSQL while the installation runs, in bounded memory, and changes nothing.
 * @throws ServiceError `unavailable` if the relay does not catch up, or Redis waits to be restored
 */
export async function check({ pool, redis, progress, all }: CheckOptions): Promise<CheckReport> {
  const cells = await readCells(pool);
  if (cells === null) throw new Error('there is nothing to check: start a server of this version first');
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
    const checked = all ? await checkAll(context) : await checkSample(context);
    report.users += checked.users;
    report.unsettled += checked.unsettled;
    report.rankings += checked.rankings;
  }
  return { ...report, counts: Object.fromEntries(findings.counts), differences: findings.first };
}

type Checked = Pick<CheckReport, 'users' | 'unsettled' | 'rankings'>;

/** Users drawn from Redis, those who follow some of them in PostgreSQL, and rankings in which they are. */
async function checkSample(context: CheckContext): Promise<Checked> {
  const { pool, redis, tenant, cells, progress } = context;
  const drawn = await sampleUsers(redis, tenant, cells, CHECK_USERS);
  const userIds = new Set(drawn);
  for (const after of ['', ...drawn.slice(1, RANGES)])
    for (const id of await listUserIds(pool, tenant, after, CHECK_USERS / RANGES)) userIds.add(id);
  progress.begin(`tenant ${tenant}`, userIds.size);
  const checked: Checked = { users: 0, unsettled: 0, rankings: 0 };
  const rankings = new Set<string>();
  for (const batch of inBatches([...userIds])) {
    const { rankings: ofBatch, unsettled } = await checkUsers(context, batch);
    for (const key of ofBatch) rankings.add(key);
    checked.users += batch.length;
    checked.unsettled += unsettled;
    progress.advance(batch.length);
  }
  for (const key of [...rankings].slice(0, CHECK_RANKINGS)) {
    await checkRanking(context, key, false);
    checked.rankings++;
  }
  progress.end();
  return checked;
}

function inBatches(userIds: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let at = 0; at < userIds.length; at += CHECK_USERS_PER_BATCH)
    batches.push(userIds.slice(at, at + CHECK_USERS_PER_BATCH));
  return batches;
}

async function checkAll(context: CheckContext): Promise<Checked> {
  const { pool, tenant, progress } = context;
  progress.begin(`tenant ${tenant}`, await countUsers(pool, tenant));
  const checked: Checked = { users: 0, unsettled: 0, rankings: 0 };
  for await (const batch of allUsers(context)) {
    const { unsettled } = await checkUsers(context, batch);
    checked.users += batch.length;
    checked.unsettled += unsettled;
    progress.advance(batch.length);
  }
  for await (const key of allRankings(context)) {
    await checkRanking(context, key, true);
    checked.rankings++;
  }
  progress.end();
  return checked;
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
    let cursor = '0';
    do {
      const [next, found] = await redis.zscan(
        keys.seen(tenant, cell),
        cursor,
        'COUNT',
        CHECK_USERS_PER_BATCH,
      );
      const { rows } = await pool.query<{ id: string }>(
        `select id from unnest($2::text[]) as id
         where not exists (select from users where tenant = $1 and user_id = id)`,
        [tenant, found.filter((_, i) => i % 2 === 0)],
      );
      if (rows.length > 0) yield rows.map(({ id }) => id);
      cursor = next;
    } while (cursor !== '0');
  }
}

async function* allRankings({ redis, tenant, cells }: CheckContext): AsyncGenerator<string> {
  const prefixes = cellsOf(tenant, cells).map((cell) => `${keys.tenantPrefix(tenant, cell)}lb:`);
  for (const primary of primariesOf(redis)) {
    for (const prefix of prefixes) {
      let cursor = '0';
      do {
        const [next, found] = await primary.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', KEYS_PER_SCAN);
        yield* found;
        cursor = next;
      } while (cursor !== '0');
    }
  }
}
