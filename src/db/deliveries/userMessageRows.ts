import type { NotificationChannel } from '../../contract/preferences.ts';
import type { MessageText } from '../../contract/userMessages.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, column, execute, first } from '../rows.ts';

/** Messages that administrators send to many users. */

export type MessageTexts = Partial<Record<NotificationChannel, MessageText>>;

/**
 * Stores a message, unless it is known, and locks it until the end of the transaction, so that calls about
 * one message follow each other.
 * @returns when it was stored first (ms), and whether its texts are these
 */
export async function keepUserMessage(
  client: PoolClient,
  { tenant, id, texts }: { tenant: number; id: string; texts: MessageTexts },
  now: number,
): Promise<{ createdAt: number; isSame: boolean }> {
  const json = JSON.stringify(texts);
  await execute(client)`
    insert into user_messages (tenant, id, created_at, texts) values (${tenant}, ${id}, ${new Date(now)}, ${json})
    on conflict do nothing`;
  const row = await first(client)<{ createdAt: Date; isSame: boolean }>`
    select created_at as "createdAt", texts = ${json}::jsonb as "isSame"
    from user_messages where tenant = ${tenant} and id = ${id} for update`;
  return { createdAt: row!.createdAt.getTime(), isSame: row!.isSame };
}

/** Those of these users who have a delivery of a message, also if they had another id then. */
export async function usersWithMessage(
  client: PoolClient,
  { tenant, id, createdAt }: { tenant: number; id: string; createdAt: number },
  userIds: readonly string[],
): Promise<Set<string>> {
  const known = await column(client)<string>`
    select distinct user_id from notification_deliveries
    where tenant = ${tenant} and user_id = any(${userIds}) and created_at = ${new Date(createdAt)}
      and facts ->> 'message' = ${id}`;
  return new Set(known);
}

/** Addresses that a mail server has refused for good, by user. */
export async function readRejectedAddresses(
  db: Queryable,
  tenant: number,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await all(db)<{ userId: string; address: string }>`
    select user_id as "userId", address from suppressed_addresses
    where tenant = ${tenant} and user_id = any(${userIds})`;
  return new Map(rows.map(({ userId, address }) => [userId, address]));
}
