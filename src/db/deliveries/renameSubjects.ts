import type { PoolClient } from '../pool.ts';

/** A subject of throttled deliveries before and after its user got another id, as in `webhook_windows`. */
export interface RenamedSubject {
  before: string;
  after: string;
}

/**
 * Lets pending deliveries about a user, and the next ones, know each other under the new id, so that none
 * repeats what another has shown. The rows of the user have the new id already.
 */
export async function renameSubjects(
  client: PoolClient,
  { tenant, newId }: { tenant: number; newId: string },
  subjects: readonly RenamedSubject[],
): Promise<void> {
  const renamed = JSON.stringify(subjects);
  await client.query(
    `update webhook_windows set subject = renamed.after
     from jsonb_to_recordset($1::jsonb) as renamed (before uuid, after uuid)
     where subject = renamed.before and webhook in (select id from entities where tenant = $2 and kind = 'webhooks')`,
    [renamed, tenant],
  );
  await client.query(
    `update webhook_deliveries set facts = jsonb_set(facts, '{subject}', to_jsonb(renamed.after))
     from jsonb_to_recordset($1::jsonb) as renamed (before text, after text)
     where tenant = $2 and user_id = $3 and status = 'pending' and facts ->> 'subject' = renamed.before`,
    [renamed, tenant, newId],
  );
}
