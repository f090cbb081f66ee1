import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, first } from '../rows.ts';
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
  await execute(client)`
    insert into scheduled_webhooks (tenant, kind, no, due_at)
    select ${tenant}::integer, kind, no, ${new Date(now)}::timestamptz
    from unnest(${changed.map(({ kind }) => kind)}::text[], ${changed.map(({ no }) => no)}::integer[])
      as changed (kind, no)
    union select tenant, kind, no, ${new Date(now)} from entities
    where ${settings !== null} and tenant = ${tenant} and kind = any(${KINDS})
    on conflict (tenant, kind, no) do update set due_at = excluded.due_at`;
}

/**
 * Boosts and leaderboards whose starts and ends may have to be reported by `now` (ms), the longest due first.
 */
export const listScheduledWebhooks = (db: Queryable, now: number): Promise<ScheduledWebhook[]> =>
  all(db)`
    select tenant, kind, no from scheduled_webhooks where due_at <= ${new Date(now)}
    order by due_at, tenant, no limit ${FOUND_MAX}`;

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
  const due = await first(client)<{ reported: string | null }>`
    select reported from scheduled_webhooks
    where tenant = ${tenant} and kind = ${kind} and no = ${no} and due_at <= ${new Date(now)}
    for update skip locked`;
  return due?.reported;
}

/** @param next when to check again, ms; null for never */
export async function reschedule(
  client: PoolClient,
  { tenant, kind, no }: ScheduledWebhook,
  reported: string | null,
  next: number | null,
): Promise<void> {
  await execute(client)`
    update scheduled_webhooks set reported = ${reported}, due_at = ${next === null ? null : new Date(next)}
    where tenant = ${tenant} and kind = ${kind} and no = ${no}`;
}

export async function unschedule(client: PoolClient, { tenant, kind, no }: ScheduledWebhook): Promise<void> {
  await execute(client)`
    delete from scheduled_webhooks where tenant = ${tenant} and kind = ${kind} and no = ${no}`;
}
