import type { Pool, PoolClient, Queryable } from '../pool.ts';
import { all, execute, value } from '../rows.ts';
import { sql } from '../sql.ts';
import type { ConfigChanges } from './configChanges.ts';

/** A leaderboard by its number. */
export interface DueLeaderboard {
  tenant: number;
  leaderboard: number;
}

/** Most leaderboards that one call of `listDueLeaderboards` returns. */
const FOUND_MAX = 1_000;

/**
 * Makes changed and deleted leaderboards due, in the transaction of the change; all leaderboards of the
 * tenant if the time zone may have changed.
 */
export async function scheduleLeaderboards(
  client: PoolClient,
  tenant: number,
  { changes, settings }: ConfigChanges,
  now: number,
): Promise<void> {
  const changed = changes.filter(({ kind }) => kind === 'leaderboards').map(({ no }) => no);
  if (changed.length === 0 && settings === null) return;
  await execute(client)`
    insert into due_leaderboards (tenant, leaderboard, due_at)
    select ${tenant}::integer, no, ${new Date(now)}::timestamptz from unnest(${changed}::integer[]) as no
    union select tenant, no, ${new Date(now)} from entities
    where ${settings !== null} and tenant = ${tenant} and kind = 'leaderboards'
    on conflict (tenant, leaderboard) do update set due_at = excluded.due_at`;
}

/**
 * Leaderboards that are due at `now` (ms), the longest due first; only of tenants whose stored configuration
 * is published.
 */
export const listDueLeaderboards = (db: Queryable, now: number): Promise<DueLeaderboard[]> =>
  all(db)`
    select tenant, leaderboard from due_leaderboards join tenants on no = tenant
    where due_at <= ${new Date(now)} and published >= version order by due_at, tenant, leaderboard
    limit ${FOUND_MAX}`;

/** Number of leaderboards that were due at `instant` (ms). */
export const countOverdueLeaderboards = (db: Queryable, instant: number): Promise<number> =>
  value(db)`select count(*)::int as count from due_leaderboards where due_at <= ${new Date(instant)}`;

/**
 * Stores when a leaderboard is due next (ms), null for never. If the configuration is no longer `version`,
 * nothing changes: the leaderboard stays due.
 */
export async function setLeaderboardDue(
  pool: Pool,
  { tenant, leaderboard }: DueLeaderboard,
  version: number,
  next: number | null,
): Promise<void> {
  const change =
    next === null
      ? sql`delete from due_leaderboards as due using unchanged`
      : sql`update due_leaderboards as due set due_at = ${new Date(next)} from unchanged`;
  await execute(pool)`
    with unchanged as (select no from tenants where no = ${tenant} and version = ${version} for share)
    ${change} where tenant = no and leaderboard = ${leaderboard}`;
}
