import {
  type ActiveDays,
  countActive,
  isActive,
  isFirstOf,
  windowsGained,
  withDay,
} from '../../rules/activeDays.ts';
import { monthOfDay, periodDays, weekOfDay } from '../../rules/calendar.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { ANY_METRIC } from '../users/readActivity.ts';
import type { UserKey } from '../users/userMap.ts';
import type { ActivityRow } from './historyRows.ts';

/**
 * Only the first event of a user and day writes a row; later ones only read it. Rows are written in the order
 * of the key, so that two relays cannot deadlock. They stay locked until the commit, so that two days of a
 * user are counted one after the other.
 */
const DAYS = new BulkStatement<ActivityRow, WrittenRow>(
  { tenant: 'int4', userId: 'text', metric: 'int4', day: 'int4' },
  ({ rows }) => `insert into user_activity as old (tenant, user_id, metric, first_day, days)
    select row.tenant, row.user_id, row.metric, row.day, B'1' from ${rows}
    left join user_activity known using (tenant, user_id, metric)
    where known.days is null or not has_day(known.first_day, known.days, row.day)
    order by 1, 2, 3
    on conflict (tenant, user_id, metric) do update set
      first_day = least(old.first_day, excluded.first_day),
      days = with_day(old.first_day, old.days, excluded.first_day)
    where not has_day(old.first_day, old.days, excluded.first_day)
    returning tenant, user_id as "userId", metric, first_day as "firstDay", days::text as bits`,
);

/** The rows of users, locked until the commit. */
const LOCKED = new BulkStatement<ActivityRow, WrittenRow>(
  { tenant: 'int4', userId: 'text', metric: 'int4' },
  ({ rows }) => `select tenant, user_id as "userId", metric, first_day as "firstDay", days::text as bits
    from user_activity join ${rows} using (tenant, user_id, metric)
    order by 1, 2, 3 for update of user_activity`,
);

const REPLACED = new BulkStatement<WrittenRow>(
  { tenant: 'int4', userId: 'text', metric: 'int4', firstDay: 'int4', bits: 'text' },
  ({ rows }) => `update user_activity as old set first_day = row.first_day, days = row.bits::bit varying
    from ${rows}
    where old.tenant = row.tenant and old.user_id = row.user_id and old.metric = row.metric`,
);

const WEEK_DAYS = 7;

interface WrittenRow extends UserKey, ActiveDays {
  metric: number;
}

type Added = WrittenRow & { day: number };

const keyOf = ({ tenant, userId, metric }: Omit<ActivityRow, 'day'>): string =>
  `${tenant}:${metric}:${userId}`;

/**
 * Stores the days on which users had events, and adds new days to the dailyCounts.
 * @param rows each (tenant, userId, metric, day) once
 * @returns users with their first event of a week or of a metric
 */
export async function writeActivity(
  client: PoolClient,
  rows: ActivityRow[],
  dailyCounts: DailyCounts,
): Promise<UserKey[]> {
  const ofMetrics = await addDays(client, rows);
  const withFirsts: UserKey[] = ofMetrics.filter(({ day, firstDay }) => day === firstDay);
  for (const added of ofMetrics) {
    const { tenant, metric, day } = added;
    const first = isFirstOf(added, day);
    dailyCounts.add(tenant, 'metricUsersDay', day, metric);
    if (first.week) dailyCounts.add(tenant, 'metricUsersWeek', firstDayOf('weekly', day), metric);
    if (first.month) dailyCounts.add(tenant, 'metricUsersMonth', firstDayOf('monthly', day), metric);
  }
  const days = new Map(ofMetrics.map((row) => [`${row.tenant}:${row.day}:${row.userId}`, row]));
  const ofUsers = await addDays(
    client,
    Array.from(days.values(), ({ tenant, userId, day }) => ({ tenant, userId, metric: ANY_METRIC, day })),
  );
  for (const added of ofUsers) {
    const { tenant, userId, day } = added;
    const first = isFirstOf(added, day);
    dailyCounts.add(tenant, 'activeUsersDay', day);
    addFirst(dailyCounts, added);
    if (first.week) addWeek(dailyCounts, added);
    if (first.month) dailyCounts.add(tenant, 'activeUsersMonth', firstDayOf('monthly', day));
    addWindows(dailyCounts, added, 'activeUsersLast7', 7);
    addWindows(dailyCounts, added, 'activeUsersLast30', 30);
    if (first.week) withFirsts.push({ tenant, userId });
  }
  return withFirsts;
}

/** Counts a user in a week, and as retained from the week before it and in the week after it. */
function addWeek(dailyCounts: DailyCounts, added: Added): void {
  const { tenant, day } = added;
  const { start, end } = periodDays('weekly', weekOfDay(day));
  dailyCounts.add(tenant, 'activeUsersWeek', start);
  if (countActive(added, start - WEEK_DAYS, start - 1) > 0)
    dailyCounts.add(tenant, 'retainedUsersWeek', start);
  if (countActive(added, end + 1, end + WEEK_DAYS) > 0) dailyCounts.add(tenant, 'retainedUsersWeek', end + 1);
}

/**
 * Counts a user's first active day. If it is earlier than the first day counted so far, it replaces that day.
 */
function addFirst(dailyCounts: DailyCounts, { tenant, day, firstDay, bits }: Added): void {
  if (day !== firstDay) return;
  dailyCounts.add(tenant, 'firstActiveUsers', day);
  const next = bits.indexOf('1', 1);
  if (next !== -1) dailyCounts.add(tenant, 'firstActiveUsers', day + next, 0, '', -1);
}

function addWindows(
  dailyCounts: DailyCounts,
  added: Added,
  kind: 'activeUsersLast7' | 'activeUsersLast30',
  length: number,
) {
  const gained = windowsGained(added, added.day, length);
  if (gained === null) return;
  dailyCounts.add(added.tenant, kind, gained.start);
  dailyCounts.add(added.tenant, kind, gained.end, 0, '', -1);
}

function firstDayOf(frequency: 'weekly' | 'monthly', day: number): number {
  return periodDays(frequency, frequency === 'weekly' ? weekOfDay(day) : monthOfDay(day)).start;
}

/** @returns the days that were new, each with all days of the user up to its addition */
async function addDays(client: PoolClient, rows: ActivityRow[]): Promise<Added[]> {
  const added: Added[] = [];
  const first = new Map<string, ActivityRow>();
  // One statement can change a row only once: further days of a user are added by other statements.
  const further = new Map<string, ActivityRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (!first.has(key)) first.set(key, row);
    else if (!further.get(key)?.push(row)) further.set(key, [row]);
  }
  for (const row of await DAYS.run(client, [...first.values()], false))
    added.push({ ...row, day: first.get(keyOf(row))!.day });
  if (further.size > 0) added.push(...(await addFurtherDays(client, further)));
  return added;
}

/** Adds days to rows that exist, as many of each row as there are: an import brings years of a user. */
async function addFurtherDays(
  client: PoolClient,
  further: ReadonlyMap<string, ActivityRow[]>,
): Promise<Added[]> {
  const added: Added[] = [];
  const changed: WrittenRow[] = [];
  const keys = Array.from(further.values(), ([row]) => row!);
  for (const row of await LOCKED.run(client, keys, false)) {
    let days: WrittenRow = row;
    for (const { day } of further.get(keyOf(row))!) {
      if (isActive(days, day)) continue;
      days = { ...row, ...withDay(days, day) };
      added.push({ ...days, day });
    }
    if (days !== row) changed.push(days);
  }
  await REPLACED.run(client, changed, false);
  return added;
}
