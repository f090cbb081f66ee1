import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { bulkStatement, insert, insertWith } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { MILLISECONDS } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';
import { UserMap } from '../users/userMap.ts';
import type { HistoryRows, ProfileRow, UserRow } from './historyRows.ts';

/** Writes the columns by which users are listed and searched. */

type ProfileOf = (user: UserKey) => ProfileRow | undefined;

const USERS = bulkStatement<UserRow, ProfileOf>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    created_at: ['instant', (row) => row.createdAt],
    control: ['bool', (row) => row.control],
    name: ['text', (row, profileOf) => profileOf(row)?.name ?? null],
    name_sequence: ['int8', (row, profileOf) => sequenceOf(profileOf(row), 'name')],
    email: ['text', (row, profileOf) => profileOf(row)?.email ?? null],
    email_sequence: ['int8', (row, profileOf) => sequenceOf(profileOf(row), 'email')],
  },
  ({ insertInto }) => `${insertInto('users')}
    order by 1, 2
    on conflict do nothing
    returning tenant, user_id as "userId", ${MILLISECONDS('created_at')} as "createdAt"`,
);

/** Sequence number of the change that passed the field; 0 if none did. */
function sequenceOf(profile: ProfileRow | undefined, field: 'name' | 'email'): number {
  return profile?.[field] === undefined ? 0 : profile.sequence;
}

/**
 * Most events pass the stored name and email, and then only read the row. Of several changes, the latest by
 * sequence wins. Rows are locked in the order of the key, so that two relays cannot deadlock.
 */
const PROFILES = bulkStatement<ProfileRow>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    has_name: ['bool', (row) => row.name !== undefined],
    name: ['text', (row) => row.name ?? null],
    has_email: ['bool', (row) => row.email !== undefined],
    email: ['text', (row) => row.email ?? null],
    sequence: ['int8', (row) => row.sequence],
  },
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
);

/** Runs in the transaction that writes the history of the same batch. */
export async function writeUsers(
  client: PoolClient,
  rows: HistoryRows,
  isRepeat: boolean,
  dailyCounts: DailyCounts,
): Promise<void> {
  const profiles = new UserMap<ProfileRow>();
  if (rows.users.length > 0) for (const row of rows.profiles) profiles.set(row, row);
  const created = await insertWith<UserRow, ProfileOf, UserRow>(
    client,
    'users',
    USERS,
    rows.users,
    (user) => profiles.get(user),
    isRepeat,
  );
  const isCreated = new UserMap<true>();
  for (const user of created) {
    dailyCounts.add(user.tenant, 'newUsers', rows.dayOf(user.tenant, user.createdAt));
    isCreated.set(user, true);
  }
  const ofKnown = created.length === 0 ? rows.profiles : rows.profiles.filter((row) => !isCreated.has(row));
  await insert(client, 'profiles', PROFILES, ofKnown, isRepeat);
}
