import type { DailyCounts, DayOf } from '../analytics/dailyCounts.ts';
import type { PoolClient } from '../pool.ts';
import type { EntryRow, MendedRows } from './historyRows.ts';
import { countLoss, countPeriod } from './streakCounts.ts';

/**
 * Removes the rows of streaks that late events replace, and takes back what they added to the counts. The
 * rows that replace them are written after that. Runs in the transaction that writes the history.
 * @param entries those that no earlier transaction has written
 */
export async function removeMended(
  client: PoolClient,
  entries: readonly EntryRow[],
  dayOf: DayOf,
  dailyCounts: DailyCounts,
): Promise<void> {
  for (const { mended } of entries) for (const rows of mended) await remove(client, rows, dayOf, dailyCounts);
}

async function remove(
  client: PoolClient,
  { tenant, userId, frequency, periods, losses, earned }: MendedRows,
  dayOf: DayOf,
  dailyCounts: DailyCounts,
): Promise<void> {
  const user = [tenant, userId, frequency];
  if (periods.length > 0) {
    await client.query({
      name: 'remove mended periods',
      text: `delete from streak_extensions
        where tenant = $1 and user_id = $2 and frequency = $3 and period = any($4)`,
      values: [...user, periods.map(({ period }) => period)],
    });
  }
  if (losses.length > 0) {
    await client.query({
      name: 'remove mended losses',
      text: 'delete from streak_losses where tenant = $1 and user_id = $2 and frequency = $3 and period = any($4)',
      values: [...user, losses.map(({ period }) => period)],
    });
  }
  if (earned.length > 0) {
    await client.query({
      name: 'remove mended earnings',
      text: 'delete from earned_freezes where tenant = $1 and user_id = $2 and earned_at = any($3)',
      values: [tenant, userId, earned.map(({ at }) => new Date(at))],
    });
  }
  for (const row of periods)
    countPeriod(dailyCounts, { tenant, frequency, ...row }, dayOf(tenant, row.at), -1);
  for (const row of losses)
    countLoss(dailyCounts, { tenant, frequency, ...row }, dayOf(tenant, row.lostAt), -1);
  for (const { at, freezes } of earned)
    dailyCounts.add(tenant, 'freezesEarned', dayOf(tenant, at), 0, '', -freezes);
}
