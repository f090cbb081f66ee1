import type { Pool, PoolClient, Queryable } from '../pool.ts';
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
  await client.query(
    `insert into due_leaderboards (tenant, leaderboard, due_at)
     select $1::integer, no, $3::timestamptz from unnest($2::integer[]) as no
     union select tenant, no, $3 from entities where $4 and tenant = $1 and kind = 'leaderboards'
     on conflict (tenant, leaderboard) do update set due_at = excluded.due_at`,
    [tenant, changed, new Date(now), settings !== null],
  );
}

/**
 * Leaderboards that are due at `now` (ms), the longest due first; only of tenants whose stored configuration
 * is published.
 */
export async function listDueLeaderboards(db: Queryable, now: number): Promise<DueLeaderboard[]> {
  const { rows } = await db.query<DueLeaderboard>(
    `select tenant, leaderboard from due_leaderboards join tenants on no = tenant
     where due_at <= $1 and published >= version order by due_at, tenant, leaderboard limit ${FOUND_MAX}`,
    [new Date(now)],
  );
  return rows;
}

/** Number of leaderboards that were due at `instant` (ms). */
export async function countOverdueLeaderboards(db: Queryable, instant: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from due_leaderboards where due_at <= $1',
    [new Date(instant)],
  );
  return rows[0]!.count;
}

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
      ? 'delete from due_leaderboards as due using unchanged'
      : 'update due_leaderboards as due set due_at = $4 from unchanged';
  await pool.query(
    `with unchanged as (select no from tenants where no = $1 and version = $3 for share)
     ${change} where tenant = no and leaderboard = $2`,
    [tenant, leaderboard, version, ...(next === null ? [] : [new Date(next)])],
  );
}
