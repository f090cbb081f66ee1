import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { type BulkInsert, INSTANT, insert, MILLISECONDS, numbers, texts } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import type { UserKey } from '../users/readUserHistory.ts';
import { UserMap } from '../users/userMap.ts';
import type { HistoryRows, ProfileRow, UserRow } from './historyRows.ts';

/** Writes the columns by which users are listed and searched. */

const insertUsers = (profileOf: (user: UserKey) => ProfileRow | undefined): BulkInsert<UserRow> => ({
  text: `insert into users (tenant, user_id, created_at, control, name, name_sequence, email, email_sequence)
    select tenant, user_id, ${INSTANT('created_at')}, control, name, name_sequence, email, email_sequence
    from unnest($1::int4[], $2::text[], $3::float8[], $4::bool[], $5::text[], $6::int8[], $7::text[], $8::int8[])
      as row (tenant, user_id, created_at, control, name, name_sequence, email, email_sequence)
    order by 1, 2
    on conflict do nothing
    returning tenant, user_id as "userId", ${MILLISECONDS('created_at')} as "createdAt"`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    numbers((row) => row.createdAt),
    texts((row) => String(row.control)),
    texts((row) => profileOf(row)?.name ?? null),
    numbers((row) => (profileOf(row)?.name === undefined ? 0 : profileOf(row)!.sequence)),
    texts((row) => profileOf(row)?.email ?? null),
    numbers((row) => (profileOf(row)?.email === undefined ? 0 : profileOf(row)!.sequence)),
  ],
});

/**
 * Most events pass the stored name and email, and then only read the row. Of several changes, the latest by sequence wins. Rows are locked
 * in the order of the key, so that two relays cannot deadlock.
 */
const PROFILES: BulkInsert<ProfileRow> = {
  text: `with passed as (
      select * from unnest($1::int4[], $2::text[], $3::bool[], $4::text[], $5::bool[], $6::text[], $7::int8[])
        as row (tenant, user_id, has_name, name, has_email, email, sequence)
    ), changed as (
      select users.tenant, users.user_id from users join passed using (tenant, user_id)
      where (has_name and passed.name is distinct from users.name) or (has_email and passed.email is distinct from users.email)
      order by 1, 2 for no key update of users
    )
    update users set
      name = case when has_name and sequence >= name_sequence then passed.name else users.name end,
      name_sequence = case when has_name then greatest(sequence, name_sequence) else name_sequence end,
      email = case when has_email and sequence >= email_sequence then passed.email else users.email end,
      email_sequence = case when has_email then greatest(sequence, email_sequence) else email_sequence end
    from changed join passed using (tenant, user_id)
    where users.tenant = changed.tenant and users.user_id = changed.user_id`,
  columns: [
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    texts((row) => String(row.name !== undefined)),
    texts((row) => row.name ?? null),
    texts((row) => String(row.email !== undefined)),
    texts((row) => row.email ?? null),
    numbers((row) => row.sequence),
  ],
};

/** Runs in the transaction that writes the history of the same batch. */
export async function writeUsers(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  const profiles = new UserMap<ProfileRow>();
  if (rows.users.length > 0) for (const row of rows.profiles) profiles.set(row, row);
  const users = insertUsers((user) => profiles.get(user));
  const created = await insert<UserRow, UserRow>(client, 'users', users, rows.users, isRepeat);
  const isCreated = new UserMap<true>();
  for (const user of created) {
    dailyCounts.add(user.tenant, 'newUsers', rows.dayOf(user.tenant, user.createdAt));
    isCreated.set(user, true);
  }
  const ofKnown = created.length === 0 ? rows.profiles : rows.profiles.filter((row) => !isCreated.has(row));
  await insert(client, 'profiles', PROFILES, ofKnown, isRepeat);
}
