import { type Pool, type PoolClient, type Queryable, transaction } from '../db/pool.ts';
import { unpackStates } from '../redis/storedStates.ts';
import { markersOf } from '../redis/userState.ts';

/** A user's state as Redis held it; instants are milliseconds since 1970. */
export interface Snapshot {
  tenant: number;
  userId: string;
  sequence: number;
  takenAt: number;
  hot: Buffer;
  cold: Buffer;
}

/** Rows of relayed_states that one transaction folds: bounds its memory, some megabytes. */
const ROWS_PER_FOLD = 32;
const SNAPSHOTS_PER_STATEMENT = 2_000;

interface RelayedRow {
  id: string;
  readAt: number;
  users: Buffer;
  states: Buffer;
}

const TAKE_RELAYED = (skipLocked: boolean): string => `
  select id, extract(epoch from read_at)::float8 * 1000 as "readAt", users, states from relayed_states
  order by id limit ${ROWS_PER_FOLD} for update ${skipLocked ? 'skip locked' : ''}`;

const UPSERT_SNAPSHOTS = `
  insert into user_snapshots as old (tenant, user_id, sequence, taken_at, hot, cold)
  select tenant, user_id, sequence, to_timestamp(taken_at / 1000), hot, cold
  from unnest($1::int4[], $2::text[], $3::int8[], $4::float8[], $5::bytea[], $6::bytea[])
    as row (tenant, user_id, sequence, taken_at, hot, cold)
  on conflict (tenant, user_id) do update set
    sequence = excluded.sequence, taken_at = excluded.taken_at, hot = excluded.hot, cold = excluded.cold
  where excluded.sequence > old.sequence`;

/**
 * Folds the states that the relay has written into the snapshots of their users, until none is left. Several may do it at once:
 * each takes rows that no other holds, and of two states the one with the higher sequence number stays.
 * @param options.wait also for rows that others are folding: afterwards the snapshots hold all that was relayed before
 * @returns the number of snapshots written or found newer
 */
export async function foldRelayedStates(
  pool: Pool,
  { wait, signal }: { wait: boolean; signal?: AbortSignal },
): Promise<number> {
  let folded = 0;
  while (!signal?.aborted) {
    const count = await transaction(pool, (client) => foldSome(client, wait));
    if (count === null) break;
    folded += count;
  }
  return folded;
}

/** @returns null when there was nothing to fold */
async function foldSome(client: PoolClient, wait: boolean): Promise<number | null> {
  const { rows } = await client.query<RelayedRow>(TAKE_RELAYED(!wait));
  if (rows.length === 0) return null;
  const newest = new Map<string, Snapshot>();
  for (const row of rows) {
    for (const { tenant, userId, hot, cold } of unpackStates(row)) {
      const snapshot = {
        tenant,
        userId,
        sequence: markersOf(hot).sequence,
        takenAt: row.readAt,
        hot,
        cold,
      };
      const name = `${tenant}:${userId}`;
      const known = newest.get(name);
      if (known === undefined || snapshot.sequence > known.sequence) newest.set(name, snapshot);
    }
  }
  // Always in the same order, so that two folds cannot wait for each other in a circle.
  const inOrder = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, snapshot]) => snapshot);
  await writeSnapshots(client, inOrder);
  await client.query('delete from relayed_states where id = any($1::int8[])', [rows.map(({ id }) => id)]);
  return newest.size;
}

async function writeSnapshots(client: PoolClient, snapshots: Snapshot[]): Promise<void> {
  for (let at = 0; at < snapshots.length; at += SNAPSHOTS_PER_STATEMENT) {
    const some = snapshots.slice(at, at + SNAPSHOTS_PER_STATEMENT);
    await client.query({
      name: 'write snapshots',
      text: UPSERT_SNAPSHOTS,
      values: [
        some.map(({ tenant }) => tenant),
        some.map(({ userId }) => userId),
        some.map(({ sequence }) => sequence),
        some.map(({ takenAt }) => takenAt),
        some.map(({ hot }) => hot),
        some.map(({ cold }) => cold),
      ],
    });
  }
}

/** Whether states have been relayed that no snapshot holds yet. */
export async function hasRelayedStates(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select exists (select from relayed_states) as found');
  return rows[0]!.found;
}

/** Whether any user has ever been snapshot: then an empty Redis has lost something. */
export async function hasSnapshots(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select exists (select from user_snapshots) as found');
  return rows[0]!.found || (await hasRelayedStates(db));
}
