import { readTimeZones } from '../db/access/tenants.ts';
import {
  backfillActivity,
  backfillLosses,
  nextUsers,
  noteUsers,
  readUnknownUsers,
  setUserFields,
} from '../db/figures/backfillUsers.ts';
import { findFirstDay, recountFigures } from '../db/figures/recountFigures.ts';
import { type Pool, type PoolClient, transaction } from '../db/pool.ts';
import { decodeUserState } from '../redis/state/userState.ts';
import { dateOfDay, dayOfDate, localTime, monthOfDay, periodDays, startOfLocalDay } from '../rules/calendar.ts';
import { DEFAULT_SETTINGS } from '../rules/config.ts';

/** Users of one transaction. */
const USERS_PER_STEP = 200;

interface Backfill {
  tenant: number;
  /** null once all users are done. */
  lastUser: string | null;
  until: string | null;
  countedTo: string | null;
}

/**
 * Counts what happened before the roll-ups were kept, in steps of bounded size: some users, then a month of days. The day on which the
 * relay began to count is counted anew when it is over. Several may do it at once.
 * @returns the number of steps done
 */
export async function backfillFigures(pool: Pool, now: number, signal?: AbortSignal): Promise<number> {
  let steps = 0;
  while (!signal?.aborted && (await transaction(pool, (client) => step(client, now)))) steps++;
  return steps;
}

/** @returns false when there is nothing to do now */
async function step(client: PoolClient, now: number): Promise<boolean> {
  const { rows } = await client.query<Backfill>(
    `select figure_backfills.tenant, last_user as "lastUser", until::text, counted_to::text as "countedTo" from figure_backfills
     where last_user is not null or until is null or counted_to is null or counted_to >= until
       or counted_to < least(until, $1::date - 2)
     order by tenant limit 1 for update skip locked`,
    [dateOfDay(localTime('UTC', now).day)],
  );
  const [backfill] = rows;
  if (backfill === undefined) return false;
  const { tenant } = backfill;
  const zone = (await readTimeZones(client, [tenant])).get(tenant) ?? DEFAULT_SETTINGS.defaultTimeZone;
  const today = localTime(zone, now).day;
  if (backfill.until === null) {
    await client.query('update figure_backfills set until = $2 where tenant = $1', [tenant, dateOfDay(today)]);
    return true;
  }
  if (backfill.lastUser !== null) return stepUsers(client, tenant, backfill.lastUser, zone);
  return stepDays(client, { ...backfill, until: backfill.until }, zone, today);
}

async function stepUsers(client: PoolClient, tenant: number, after: string, zone: string): Promise<true> {
  const userIds = await nextUsers(client, tenant, after, USERS_PER_STEP);
  if (userIds.length > 0) {
    const stored = await readUnknownUsers(client, tenant, userIds);
    const known = stored.map(({ userId, hot, cold }) => ({ userId, ...decodeUserState(hot, cold) }));
    await setUserFields(client, tenant, known);
    await backfillLosses(client, tenant, userIds);
    await noteUsers(
      client,
      userIds.map((userId) => ({ tenant, userId })),
    );
    await backfillActivity(client, tenant, userIds, zone);
  }
  const last = userIds.length < USERS_PER_STEP ? null : userIds.at(-1);
  await client.query('update figure_backfills set last_user = $2 where tenant = $1', [tenant, last]);
  return true;
}

async function stepDays(
  client: PoolClient,
  { tenant, until, countedTo }: Backfill & { until: string },
  zone: string,
  today: number,
): Promise<true> {
  const first = countedTo === null ? await findFirstDay(client, tenant) : null;
  const from = countedTo !== null ? dayOfDate(countedTo) + 1 : first === null ? dayOfDate(until) + 1 : dayOfDate(first);
  if (from > dayOfDate(until)) {
    await client.query('delete from figure_backfills where tenant = $1', [tenant]);
    return true;
  }
  const to = Math.min(dayOfDate(until), today - 1, periodDays('monthly', monthOfDay(from)).end);
  if (to >= from) {
    await recountFigures(client, {
      tenant,
      from: dateOfDay(from),
      to: dateOfDay(to),
      zone,
      begin: startOfLocalDay(zone, from),
      end: startOfLocalDay(zone, to + 1),
    });
  }
  // Without a day that is over, the next ones are waited for.
  const countedNow = dateOfDay(Math.max(to, from - 1));
  await client.query('update figure_backfills set counted_to = $2 where tenant = $1', [tenant, countedNow]);
  return true;
}
