import type { PoolClient, Queryable } from '../pool.ts';
import type { ConfigChanges } from './configChanges.ts';

/** A boost or leaderboard by its number. */
export interface ScheduledWebhook {
  tenant: number;
  kind: 'pointsBoosts' | 'leaderboards';
  no: number;
}

const KINDS = ['pointsBoosts', 'leaderboards'];
/** Most rows that one call of `listScheduledWebhooks` returns. */
const FOUND_MAX = 1_000;

/**
 * Makes the changed boosts and leaderboards due, in the transaction of the change; all of them if the time
 * zone may have changed.
 */
export async function scheduleWebhooks(
  client: PoolClient,
  tenant: number,
  { changes, settings }: ConfigChanges,
  now: number,
): Promise<void> {
  const changed = changes.filter(({ kind }) => KINDS.includes(kind));
  if (changed.length === 0 && settings === null) return;
  await client.query(
    `insert into scheduled_webhooks (tenant, kind, no, due_at)
     select $1, kind, no, $4::timestamptz from unnest($2::text[], $3::integer[]) as changed (kind, no)
     union select tenant, kind, no, $4 from entities where $5 and tenant = $1 and kind = any($6)
     on conflict (tenant, kind, no) do update set due_at = excluded.due_at`,
    [
      tenant,
      changed.map(({ kind }) => kind),
      changed.map(({ no }) => no),
      new Date(now),
      settings !== null,
      KINDS,
    ],
  );
}

/**
 * Boosts and leaderboards whose starts and ends may have to be reported by `now` (ms), the longest due first.
 */
export async function listScheduledWebhooks(db: Queryable, now: number): Promise<ScheduledWebhook[]> {
  const { rows } = await db.query<ScheduledWebhook>(
    `select tenant, kind, no from scheduled_webhooks where due_at <= $1 order by due_at, tenant, no limit ${FOUND_MAX}`,
    [new Date(now)],
  );
  return rows;
}

/**
 * Locks a due boost or leaderboard until the end of the transaction.
 * @returns what was reported last (null: nothing yet); undefined if it is not due or another process has
 * locked it
 */
export async function lockScheduledWebhook(
  client: PoolClient,
  { tenant, kind, no }: ScheduledWebhook,
  now: number,
): Promise<string | null | undefined> {
  const { rows } = await client.query<{ reported: string | null }>(
    `select reported from scheduled_webhooks where tenant = $1 and kind = $2 and no = $3 and due_at <= $4
     for update skip locked`,
    [tenant, kind, no, new Date(now)],
  );
  return rows[0]?.reported;
}

/** @param next when to check again, ms; null for never */
export async function reschedule(
  client: PoolClient,
  { tenant, kind, no }: ScheduledWebhook,
  reported: string | null,
  next: number | null,
): Promise<void> {
  await client.query(
    'update scheduled_webhooks set reported = $4, due_at = $5 where tenant = $1 and kind = $2 and no = $3',
    [tenant, kind, no, reported, next === null ? null : new Date(next)],
  );
}

export async function unschedule(client: PoolClient, { tenant, kind, no }: ScheduledWebhook): Promise<void> {
  await client.query('delete from scheduled_webhooks where tenant = $1 and kind = $2 and no = $3', [
    tenant,
    kind,
    no,
  ]);
}
