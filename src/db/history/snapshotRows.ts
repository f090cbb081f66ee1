import { bulkStatement, insert } from '../bulkInsert.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { MILLISECONDS } from '../sql.ts';

/** A user's state as Redis held it; instants are milliseconds since 1970. */
export interface Snapshot {
  tenant: number;
  userId: string;
  sequence: number;
  takenAt: number;
  hot: Buffer;
  cold: Buffer;
}

/** Rows of relayed_states that one transaction merges into snapshots: bounds its memory to some megabytes. */
const ROWS_PER_FOLD = 32;
const SNAPSHOTS_PER_STATEMENT = 2_000;

/** States that the relay has read, packed (src/redis/state/storedStates.ts). */
export interface RelayedStates {
  id: string;
  /** Milliseconds since 1970. */
  readAt: number;
  users: Buffer;
  states: Buffer;
}

const TAKE_RELAYED = (skipLocked: boolean): string => `
  select id, ${MILLISECONDS('read_at')} as "readAt", users, states from relayed_states
  order by id limit ${ROWS_PER_FOLD} for update ${skipLocked ? 'skip locked' : ''}`;

const SNAPSHOTS = bulkStatement<Snapshot>(
  {
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    sequence: ['int8', (row) => row.sequence],
    taken_at: ['instant', (row) => row.takenAt],
    hot: ['bytes', (row) => row.hot.toString('hex')],
    cold: ['bytes', (row) => row.cold.toString('hex')],
  },
  ({ insertInto }) => `${insertInto('user_snapshots as old')}
    on conflict (tenant, user_id) do update set
      sequence = excluded.sequence, taken_at = excluded.taken_at, hot = excluded.hot, cold = excluded.cold
    where excluded.sequence > old.sequence`,
);

/**
 * Reads the oldest relayed states and locks them until the end of the transaction.
 * @param wait whether to wait for rows that other transactions have locked, instead of skipping them
 */
export async function takeRelayedStates(client: PoolClient, wait: boolean): Promise<RelayedStates[]> {
  return (await client.query<RelayedStates>(TAKE_RELAYED(!wait))).rows;
}

export async function deleteRelayedStates(client: PoolClient, rows: readonly RelayedStates[]): Promise<void> {
  await client.query('delete from relayed_states where id = any($1::int8[])', [rows.map(({ id }) => id)]);
}

/** Writes those snapshots that are newer than the stored ones. */
export async function writeSnapshots(client: PoolClient, snapshots: Snapshot[]): Promise<void> {
  for (let at = 0; at < snapshots.length; at += SNAPSHOTS_PER_STATEMENT) {
    await insert(client, 'snapshots', SNAPSHOTS, snapshots.slice(at, at + SNAPSHOTS_PER_STATEMENT), false);
  }
}

export async function deleteSnapshot(
  db: Queryable,
  { tenant, userId }: Pick<Snapshot, 'tenant' | 'userId'>,
): Promise<void> {
  await db.query('delete from user_snapshots where tenant = $1 and user_id = $2', [tenant, userId]);
}

/** Whether some relayed states have not been merged into snapshots yet. */
export async function hasRelayedStates(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select exists (select from relayed_states) as found');
  return rows[0]!.found;
}

/** Whether there are snapshots or relayed states; if so, an empty Redis has lost data. */
export async function hasSnapshots(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select exists (select from user_snapshots) as found');
  return rows[0]!.found || (await hasRelayedStates(db));
}
