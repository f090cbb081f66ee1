import { isDeepStrictEqual } from 'node:util';
import { allCells, cellsOf } from '../../base/cells.ts';
import { CHECK_WAIT_MS_MAX } from '../../base/limits.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { countDeadEntries } from '../../db/history/deadEntries.ts';
import { countCompletions, countUsers } from '../../db/history/recordedUsers.ts';
import { findMissingReceipts } from '../../engine/recovery/compareReceipts.ts';
import type { Stores } from '../../engine/stores/stores.ts';
import { pack, unpackAll } from '../../redis/decoding/codec.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { PUBLISHED } from '../../redis/lua/scriptConstants.ts';
import { readReceipts } from '../../redis/scripts/redisReceipts.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import { readAchievementStatistics } from '../../redis/state/statistics.ts';
import type { Config } from '../../rules/config.ts';
import { type CheckContext, confirm, type Difference, type Findings, type Look } from './differences.ts';

/** Compares what concerns no single tenant. */
export async function checkRelays({ pool, redis, cells }: Stores, findings: Findings): Promise<void> {
  const named = (kind: 'receipts' | 'deadEntries', text: string): Difference => ({
    kind,
    tenant: null,
    userId: null,
    text,
  });
  await twice(findings, async () => {
    const { missing, lost } = await findMissingReceipts(pool, () => readReceipts(redis, allCells(cells)));
    const differences: Difference[] = [];
    if (missing > 0)
      differences.push(named('receipts', `PostgreSQL is missing ${missing} relay transactions`));
    if (lost.length > 0)
      differences.push(named('receipts', `Redis is missing ${lost.length} relay transactions`));
    return differences;
  });
  const dead = await countDeadEntries(pool);
  if (dead > 0) findings.add([named('deadEntries', `${dead} outbox entries were put aside`)]);
}

/** Compares the rules in force with the stored configuration, and counts of users and completions. */
export async function checkTenant(context: CheckContext): Promise<void> {
  const { findings } = context;
  await twice(findings, () => compareRules(context));
  await twice(findings, () => compareCounts(context));
}

async function compareRules(context: CheckContext): Promise<Difference[]> {
  const config = await loadConfig(context.pool, context.tenant);
  for (const cell of cellsOf(context.tenant, context.cells)) {
    const differences = await compareRulesOf(context, cell, config);
    if (differences.length > 0) return differences;
  }
  return [];
}

async function compareRulesOf(
  { redis, tenant }: CheckContext,
  cell: number,
  config: Config,
): Promise<Difference[]> {
  const key = keys.rules(tenant, cell);
  const [version, published] = await redis.hmgetBuffer(key, PUBLISHED.version, PUBLISHED.config);
  const named = (text: string): Difference[] => [{ kind: 'rules', tenant, userId: null, text }];
  if (Number(version) !== config.version)
    return named(`version ${version ?? 'none'} is in force, version ${config.version} is stored`);
  if (!published || !isDeepStrictEqual(unpackAll(published), unpackAll(pack(config))))
    return named(`the rules in force are not those stored as version ${config.version}`);
  return [];
}

/**
 * The history is counted between two counts of Redis. As users go on, it may be anything from one to the
 * other.
 */
async function compareCounts({
  pool,
  redis,
  scripts,
  tenant,
  cells,
  rules,
}: CheckContext): Promise<Difference[]> {
  const before = await readAchievementStatistics(redis, tenant, cells);
  await waitForRelay(scripts, allCells(cells), CHECK_WAIT_MS_MAX);
  const users = await countUsers(pool, tenant);
  const completions = await countCompletions(pool, tenant);
  const after = await readAchievementStatistics(redis, tenant, cells);
  const differences: Difference[] = [];
  const compare = (what: string, counted: number, read: (of: typeof before) => number): void => {
    const [one, other] = [read(before), read(after)];
    if (counted >= Math.min(one, other) && counted <= Math.max(one, other)) return;
    const text = `${what}: Redis ${other}, PostgreSQL ${counted}`;
    differences.push({ kind: 'counts', tenant, userId: null, text });
  };
  compare('users', users, (of) => of.users);
  for (const { no, key } of rules.config.achievements)
    compare(`completions of ${key}`, completions.get(no) ?? 0, (of) => of.completions.get(no) ?? 0);
  return differences;
}

/** Reports what a comparison finds twice in a row. */
async function twice(findings: Findings, compare: () => Promise<Difference[]>): Promise<void> {
  const look = async (): Promise<Look> => {
    const differences = await compare();
    return new Map(differences.length === 0 ? [] : [['', differences]]);
  };
  await confirm(findings, await look(), look);
}
