import { isDeepStrictEqual } from 'node:util';
import { allCells, cellsOf } from '../base/cells.ts';
import { CHECK_LOOKS_MAX, CHECK_WAIT_MS_MAX } from '../base/limits.ts';
import { loadConfig } from '../db/configuration/loadConfig.ts';
import { countCompletions, countUsers } from '../db/history/countRecorded.ts';
import { countDeadEntries } from '../db/history/deadEntries.ts';
import { findMissingReceipts } from '../engine/recovery/compareReceipts.ts';
import type { Stores } from '../engine/stores.ts';
import { pack, unpackAll } from '../redis/scripts/codec.ts';
import { PUBLISHED } from '../redis/scripts/scriptConstants.ts';
import { keys } from '../redis/state/redisKeys.ts';
import { readReceipts } from '../redis/state/redisReceipts.ts';
import { waitForRelay } from '../redis/state/relayProgress.ts';
import { readAchievementStatistics } from '../redis/state/statistics.ts';
import type { Config } from '../rules/config.ts';
import type { CheckContext } from './checkContext.ts';
import { type Difference, type Findings, seenTwice } from './differences.ts';

/** Compares what concerns no single tenant. */
export async function checkRelays({ pool, redis, cells }: Stores, findings: Findings): Promise<void> {
  const named = (kind: 'receipts' | 'deadEntries', text: string): Difference => ({
    kind,
    tenant: null,
    userId: null,
    text,
  });
  const receipts = await twice(async () => {
    const { missing, lost } = await findMissingReceipts(pool, () => readReceipts(redis, allCells(cells)));
    const differences: Difference[] = [];
    if (missing > 0)
      differences.push(named('receipts', `PostgreSQL lacks ${missing} transactions of relays`));
    if (lost.length > 0)
      differences.push(named('receipts', `Redis lacks ${lost.length} transactions of relays`));
    return differences;
  });
  findings.add(receipts);
  const dead = await countDeadEntries(pool);
  if (dead > 0) findings.add([named('deadEntries', `${dead} outbox entries were put aside`)]);
}

/** Compares the rules in force with the stored configuration, and counts of users and completions. */
export async function checkTenant(context: CheckContext): Promise<void> {
  const { findings } = context;
  findings.add(await twice(() => compareRules(context)));
  findings.add(await twice(() => compareCounts(context)));
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

/** What a comparison finds that the one before has found, too. */
async function twice(compare: () => Promise<Difference[]>): Promise<Difference[]> {
  let before = await compare();
  for (let looks = 1; before.length > 0 && looks < CHECK_LOOKS_MAX; looks++) {
    const now = await compare();
    const confirmed = seenTwice(before, now);
    if (confirmed.length > 0) return confirmed;
    before = now;
  }
  return [];
}
