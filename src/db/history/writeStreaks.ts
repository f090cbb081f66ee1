import { frequencyNo } from '../../rules/calendar.ts';
import type { DailyCounts, DayOf } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { execute, prepared } from '../rows.ts';
import { MILLISECONDS } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import type {
  EarnedFreezesRow,
  EntryRow,
  ExtensionRow,
  HistoryRows,
  LossRow,
  RepairedRows,
  ResetRow,
} from './historyRows.ts';

type CountedExtension = Omit<ExtensionRow, 'userId' | 'period' | 'day'>;
type CountedLoss = Omit<LossRow, 'userId' | 'period'>;
const EXTENSIONS = new BulkStatement<ExtensionRow, CountedExtension>(
  {
    tenant: 'int4',
    userId: 'text',
    frequency: 'text',
    period: 'int4',
    length: 'int4',
    day: ['day', 'local_date'],
    extendedAt: 'instant',
    madeGoodBy: 'text',
  },
  ({ insertInto }) => `${insertInto('streak_extensions')} order by 1, 2, 3, 4`,
  {
    again: `on conflict do nothing
      returning tenant, frequency, length, ${MILLISECONDS('extended_at')} as "extendedAt", made_good_by as "madeGoodBy"`,
  },
);

const LOSSES = new BulkStatement<LossRow, CountedLoss>(
  { tenant: 'int4', userId: 'text', frequency: 'text', period: 'int4', length: 'int4', lostAt: 'instant' },
  ({ insertInto }) => `${insertInto('streak_losses')} order by 1, 2, 3, 4`,
  {
    again: `on conflict do nothing
      returning tenant, frequency, length, ${MILLISECONDS('lost_at')} as "lostAt"`,
  },
);

const RESETS = new BulkStatement<ResetRow>(
  { tenant: 'int4', userId: 'text', frequency: 'text', period: 'int4', resetAt: 'instant' },
  ({ insertInto }) => `${insertInto('streak_resets')} order by 1, 2, 3, 4, 5 on conflict do nothing`,
);

const EARNED_FREEZES = new BulkStatement<EarnedFreezesRow, Omit<EarnedFreezesRow, 'userId'>>(
  { tenant: 'int4', userId: 'text', earnedAt: 'instant', freezes: 'int4' },
  ({ insertInto }) => `${insertInto('earned_freezes')} order by 1, 2, 3 on conflict do nothing
    returning tenant, ${MILLISECONDS('earned_at')} as "earnedAt", freezes`,
);

/**
 * Writes the history of streaks, and adds it to the counts. Existing rows stay unchanged, and only new rows
 * are counted. Rows are expected to be new, as events are: then PostgreSQL need not return those that it has
 * written.
 */
export async function writeStreaks(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  const extended = await EXTENSIONS.run(client, rows.extensions, isRepeat);
  for (const row of isRepeat ? extended : rows.extensions)
    countPeriod(dailyCounts, row, rows.dayOf(row.tenant, row.extendedAt), 1);
  const lost = await LOSSES.run(client, rows.losses, isRepeat);
  for (const row of isRepeat ? lost : rows.losses)
    countLoss(dailyCounts, row, rows.dayOf(row.tenant, row.lostAt), 1);
  await RESETS.run(client, rows.resets, false);
  const earned = await EARNED_FREEZES.run(client, rows.earnedFreezes, false);
  for (const { tenant, earnedAt, freezes } of earned)
    dailyCounts.add(tenant, 'freezesEarned', rows.dayOf(tenant, earnedAt), 0, '', freezes);
}

/**
 * Removes the rows of streaks that late events and imports replace, and takes back what they added to the
 * counts. The rows that replace them are written after that. Runs in the transaction that writes the history.
 * @param entries those that no earlier transaction has written
 * @returns the users whose longest streak may have become shorter
 */
export async function removeRepaired(
  client: PoolClient,
  entries: readonly EntryRow[],
  dayOf: DayOf,
  dailyCounts: DailyCounts,
): Promise<UserKey[]> {
  const shortened: UserKey[] = [];
  for (const { repaired } of entries)
    for (const rows of repaired) {
      await remove(client, rows, dayOf, dailyCounts);
      if (rows.longest !== null) shortened.push(rows);
    }
  return shortened;
}

async function remove(
  client: PoolClient,
  { tenant, userId, frequency, periods, losses, earned, longest }: RepairedRows,
  dayOf: DayOf,
  dailyCounts: DailyCounts,
): Promise<void> {
  const db = prepared(client);
  if (periods.length > 0)
    await execute(db)`
      delete from streak_extensions where tenant = ${tenant} and user_id = ${userId}
        and frequency = ${frequency} and period = any(${periods.map(({ period }) => period)})`;
  if (losses.length > 0)
    await execute(db)`
      delete from streak_losses where tenant = ${tenant} and user_id = ${userId}
        and frequency = ${frequency} and period = any(${losses.map(({ period }) => period)})`;
  if (earned.length > 0)
    await execute(db)`
      delete from earned_freezes where tenant = ${tenant} and user_id = ${userId}
        and earned_at = any(${earned.map(({ at }) => new Date(at))})`;
  // A later change may have been written already.
  if (longest !== null)
    await execute(db)`
      update streak_standings set longest = case when sequence > ${longest.sequence}
        then greatest(${longest.length}::integer, length) else ${longest.length}::integer end
      where tenant = ${tenant} and user_id = ${userId} and frequency = ${frequency}`;
  for (const row of periods)
    countPeriod(dailyCounts, { tenant, frequency, ...row }, dayOf(tenant, row.at), -1);
  for (const row of losses)
    countLoss(dailyCounts, { tenant, frequency, ...row }, dayOf(tenant, row.lostAt), -1);
  for (const { at, freezes } of earned)
    dailyCounts.add(tenant, 'freezesEarned', dayOf(tenant, at), 0, '', -freezes);
}

/* What the history of streaks adds to the counts of a day. `times` is -1 for a row that is removed. */

function countPeriod(
  dailyCounts: DailyCounts,
  { tenant, frequency, length, madeGoodBy }: Omit<CountedExtension, 'extendedAt'>,
  day: number,
  times: 1 | -1,
): void {
  const no = frequencyNo(frequency);
  if (madeGoodBy === 'freeze') dailyCounts.add(tenant, 'freezesUsed', day, no, '', times);
  else if (madeGoodBy === 'pause') dailyCounts.add(tenant, 'pausesUsed', day, no, '', times);
  else if (madeGoodBy === null) {
    dailyCounts.add(tenant, 'streaksExtended', day, no, '', times);
    if (length === 1) dailyCounts.add(tenant, 'streaksStarted', day, no, '', times);
  }
}

function countLoss(
  dailyCounts: DailyCounts,
  { tenant, frequency, length }: Omit<CountedLoss, 'lostAt'>,
  day: number,
  times: 1 | -1,
): void {
  dailyCounts.add(tenant, 'streaksLost', day, frequencyNo(frequency), length, times);
}
