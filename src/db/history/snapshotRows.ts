import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, some } from '../rows.ts';
import { MILLISECONDS, raw } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';

/** A user's state as Redis held it; instants are milliseconds since 1970. */
export interface Snapshot extends UserKey {
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

const SNAPSHOTS = new BulkStatement<Snapshot>(
  { tenant: 'int4', userId: 'text', sequence: 'int8', takenAt: 'instant' },
  ({ insertInto }) => `${insertInto('user_snapshots as old')}
    on conflict (tenant, user_id) do update set
      sequence = excluded.sequence, taken_at = excluded.taken_at, hot = excluded.hot, cold = excluded.cold
    where excluded.sequence > old.sequence`,
  {
    computed: {
      hot: ['bytes', ({ hot }) => hot.toString('hex')],
      cold: ['bytes', ({ cold }) => cold.toString('hex')],
    },
  },
);

/**
 * Reads the oldest relayed states and locks them until the end of the transaction.
 * @param wait whether to wait for rows that other transactions have locked, instead of skipping them
 */
export const takeRelayedStates = (client: PoolClient, wait: boolean): Promise<RelayedStates[]> =>
  all(client)`
    select id, ${MILLISECONDS('read_at')} as "readAt", users, states from relayed_states
    order by id limit ${ROWS_PER_FOLD} for update ${raw(wait ? '' : 'skip locked')}`;

export async function deleteRelayedStates(client: PoolClient, rows: readonly RelayedStates[]): Promise<void> {
  await execute(client)`delete from relayed_states where id = any(${rows.map(({ id }) => id)}::int8[])`;
}

/** Writes those snapshots that are newer than the stored ones. */
export async function writeSnapshots(client: PoolClient, snapshots: Snapshot[]): Promise<void> {
  for (let at = 0; at < snapshots.length; at += SNAPSHOTS_PER_STATEMENT) {
    await SNAPSHOTS.run(client, snapshots.slice(at, at + SNAPSHOTS_PER_STATEMENT), false);
  }
}

export async function deleteSnapshot(db: Queryable, { tenant, userId }: UserKey): Promise<void> {
  await execute(db)`delete from user_snapshots where tenant = ${tenant} and user_id = ${userId}`;
}

/** Whether some relayed states have not been merged into snapshots yet. */
export const hasRelayedStates = (db: Queryable): Promise<boolean> =>
  some(db)`select from relayed_states limit 1`;

/** Whether there are snapshots or relayed states; if so, an empty Redis has lost data. */
export async function hasSnapshots(db: Queryable): Promise<boolean> {
  return (await some(db)`select from user_snapshots limit 1`) || (await hasRelayedStates(db));
}
