import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { MILLISECONDS } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import { UserMap } from '../users/userMap.ts';
import type { HistoryRows, ProfileRow, UserRow } from './historyRows.ts';

/** Writes the columns by which users are listed and searched. */

type ProfileOf = (user: UserKey) => ProfileRow | undefined;

const USERS = new BulkStatement<UserRow, UserRow, ProfileOf>(
  { tenant: 'int4', userId: 'text', createdAt: 'instant', control: 'bool' },
  ({ insertInto }) => `${insertInto('users')} order by 1, 2 on conflict do nothing
    returning tenant, user_id as "userId", ${MILLISECONDS('created_at')} as "createdAt"`,
  {
    computed: {
      name: ['text', (row, profileOf) => profileOf(row)?.name],
      name_sequence: ['int8', (row, profileOf) => sequenceOf(profileOf(row), 'name')],
      email: ['text', (row, profileOf) => profileOf(row)?.email],
      email_sequence: ['int8', (row, profileOf) => sequenceOf(profileOf(row), 'email')],
    },
  },
);

/** Sequence number of the change that passed the field; 0 if none did. */
function sequenceOf(profile: ProfileRow | undefined, field: 'name' | 'email'): number {
  return profile?.[field] === undefined ? 0 : profile.sequence;
}

/**
 * Most events pass the stored name and email, and then only read the row. Of several changes, the latest by
 * sequence wins. Rows are locked in the order of the key, so that two relays cannot deadlock.
 */
const PROFILES = new BulkStatement<ProfileRow>(
  { tenant: 'int4', userId: 'text', name: 'text', email: 'text', sequence: 'int8' },
  ({ rows }) => `with passed as (
      select * from ${rows}
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
  {
    computed: {
      has_name: ['bool', ({ name }) => name !== undefined],
      has_email: ['bool', ({ email }) => email !== undefined],
    },
  },
);

/** Runs in the transaction that writes the history of the same batch. */
export async function writeUsers(
  client: PoolClient,
  rows: HistoryRows,
  dailyCounts: DailyCounts,
): Promise<void> {
  const profiles = new UserMap<ProfileRow>();
  if (rows.users.length > 0) for (const row of rows.profiles) profiles.set(row, row);
  const created = await USERS.run(client, rows.users, false, (user) => profiles.get(user));
  const isCreated = new UserMap<true>();
  for (const user of created) {
    dailyCounts.add(user.tenant, 'newUsers', rows.dayOf(user.tenant, user.createdAt));
    isCreated.set(user, true);
  }
  const ofKnown = created.length === 0 ? rows.profiles : rows.profiles.filter((row) => !isCreated.has(row));
  await PROFILES.run(client, ofKnown, false);
}
