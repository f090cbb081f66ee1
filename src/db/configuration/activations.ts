import { REFILL_EVERY_MS } from '../../base/limits.ts';
import { DAY_MS, dayOfDate, isLive, overEverywhere } from '../../rules/calendar.ts';
import type { Achievement, Leaderboard } from '../../rules/config.ts';
import { isPaused } from '../../rules/pauses.ts';
import { isWhole } from '../../rules/rankingOrder.ts';
import type { Pool, PoolClient, Queryable } from '../pool.ts';
import type { ConfigChanges, EntityChange } from './configChanges.ts';

/**
 * What a change of configuration activated, or which leaderboard got more ranks. Users may already qualify
 * for it, so all users are processed.
 */
export interface ActivationRow {
  id: string;
  tenant: number;
  version: number;
  activated: { kind: 'achievements' | 'leaderboards'; id: string }[];
  dueAt: Date;
  /** Id of the last processed user; users are processed in the order of their ids. */
  lastUser: string;
  /** Users who got another id meanwhile; they are processed last. */
  renamed: string[];
  usersDone: number;
  /** null until processing begins. */
  usersTotal: number | null;
  finishedAt: Date | null;
}

/** Users whom Redis no longer keeps on the leaderboard may have a rank now. */
function hasMorePlaces(board: Leaderboard, stored: Leaderboard | null): boolean {
  return (
    board.status === 'active' && stored?.status === 'active' && board.maxParticipants > stored.maxParticipants
  );
}

/** Changes if and only if more users may have completed the achievement. */
function conditionOf(entity: EntityChange['entity'] | null): string {
  if (entity === null) return '';
  const { key, name, description, badgeUrl, hidden, created, updated, ...condition } = entity as Achievement;
  return JSON.stringify(Object.entries(condition).sort());
}

function concernsUsers({ kind, action, before, entity }: EntityChange): boolean {
  if (action === 'delete') return false;
  if (kind === 'achievements') {
    const { status, trigger } = entity as Achievement;
    return status === 'active' && trigger !== 'api' && conditionOf(before) !== conditionOf(entity);
  }
  if (kind !== 'leaderboards') return false;
  const [board, stored] = [entity as Leaderboard, before as Leaderboard | null];
  if (hasMorePlaces(board, stored)) return true;
  // Leaderboards with runs, an end or a daily window count no earlier gains, so there is nothing to fill in.
  if (!isLive(board) || !isWhole(board)) return false;
  const isResumed = stored !== null && isPaused(stored) && !isPaused(board);
  return stored === null || !isLive(stored) || isResumed || stored.start !== board.start;
}

/**
 * When to process the users, ms: at once; for a leaderboard that starts later, when its first time zone
 * starts and when all have.
 */
function dueAt({ kind, before, entity }: EntityChange, now: number): number[] {
  if (kind === 'achievements' || hasMorePlaces(entity as Leaderboard, before as Leaderboard | null))
    return [now];
  const day = dayOfDate((entity as Leaderboard).start);
  const everywhere = overEverywhere(day - 1);
  return everywhere > now ? [Math.max(now, day * DAY_MS), everywhere] : [now];
}

/** Stores the activations of a change, in its transaction. */
export async function addActivations(
  client: PoolClient,
  tenant: number,
  version: number,
  { changes }: ConfigChanges,
  now: number,
): Promise<void> {
  const activatedAt = new Map<number, { kind: string; id: string }[]>();
  for (const change of changes.filter(concernsUsers)) {
    for (const instant of dueAt(change, now)) {
      activatedAt.set(instant, [...(activatedAt.get(instant) ?? []), { kind: change.kind, id: change.id }]);
    }
  }
  for (const [instant, activated] of activatedAt) {
    await client.query(
      'insert into activations (tenant, version, activated, due_at) values ($1, $2, $3, $4)',
      [tenant, version, JSON.stringify(activated), new Date(instant)],
    );
  }
}

/** Shortest time between two requests to fill a leaderboard from all users. */
const REFILL_EVERY = `interval '${REFILL_EVERY_MS} milliseconds'`;

/** Has an active leaderboard filled from all users, unless that is about to begin. */
export async function requestRefill(
  db: Queryable,
  tenant: number,
  leaderboard: number,
  now: number,
): Promise<void> {
  await db.query(
    `with board as (
       select jsonb_build_array(jsonb_build_object('kind', kind, 'id', id)) as activated from entities
       where tenant = $1 and kind = 'leaderboards' and no = $2 and body ->> 'status' = 'active'
     ), earlier as (
       select due_at, finished_at is null and users_total is null and due_at <= $3::timestamptz + ${REFILL_EVERY} as is_coming
       from activations join board using (activated) where tenant = $1
     )
     insert into activations (tenant, version, activated, due_at)
     select $1, version, activated, greatest($3, (select max(due_at) from earlier where due_at <= $3) + ${REFILL_EVERY})
     from board, tenants where no = $1 and not exists (select from earlier where is_coming)`,
    [tenant, leaderboard, new Date(now)],
  );
}

const COLUMNS = `activations.id, tenant, activations.version::float8 as version, activated, due_at as "dueAt",
  last_user as "lastUser", renamed, users_done::float8 as "usersDone", users_total::float8 as "usersTotal",
  finished_at as "finishedAt"`;

/** Activations of a tenant, newest first. */
export async function listActivations(
  db: Queryable,
  tenant: number,
  { limit, skip }: { limit: number; skip: number },
): Promise<ActivationRow[]> {
  const { rows } = await db.query<ActivationRow>(
    `select ${COLUMNS} from activations where tenant = $1 order by activations.id desc limit $2 offset $3`,
    [tenant, limit, skip],
  );
  return rows;
}

/** Ids of unfinished activations that are due at `now` (ms) and whose version is published, oldest first. */
export async function listDueActivations(db: Queryable, now: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select activations.id from activations join tenants on tenants.no = tenant
     where finished_at is null and due_at <= $1 and published >= activations.version order by activations.id`,
    [new Date(now)],
  );
  return rows.map(({ id }) => id);
}

/** The first instant (ms) in (`after`, `until`] at which an activation is due; null if none is. */
export async function findNextDueActivation(
  db: Queryable,
  after: number,
  until: number,
): Promise<number | null> {
  const { rows } = await db.query<{ next: Date | null }>(
    'select min(due_at) as next from activations where finished_at is null and due_at > $1 and due_at <= $2',
    [new Date(after), new Date(until)],
  );
  return rows[0]!.next?.getTime() ?? null;
}

/** null if the activation is finished or was deleted with its tenant. */
export async function findOpenActivation(db: Queryable, id: string): Promise<ActivationRow | null> {
  const { rows } = await db.query<ActivationRow>(
    `select ${COLUMNS} from activations where id = $1 and finished_at is null`,
    [id],
  );
  return rows[0] ?? null;
}

/** Stores the number of users, unless it is stored already. */
export async function beginActivation(db: Queryable, { id, tenant }: ActivationRow): Promise<void> {
  await db.query(
    `update activations set users_total = (select count(*) from users where tenant = $2)
     where id = $1 and users_total is null`,
    [id, tenant],
  );
}

/** Ids of the next `count` users after `userId`, in the order of ids. */
export async function listUsersAfter(
  db: Queryable,
  tenant: number,
  userId: string,
  count: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select user_id as id from users where tenant = $1 and user_id > $2 order by user_id limit $3',
    [tenant, userId, count],
  );
  return rows.map(({ id }) => id);
}

/** Marks users as processed, unless another process already has. Users created meanwhile raise the total. */
export async function advanceActivation(
  db: Queryable,
  from: ActivationRow,
  users: readonly string[],
): Promise<void> {
  await db.query(
    `update activations set last_user = $3, users_done = users_done + $4,
       users_total = greatest(users_total, users_done + $4)
     where id = $1 and last_user = $2`,
    [from.id, from.lastUser, users.at(-1), users.length],
  );
}

/** The same for users who got another id meanwhile. */
export async function advanceRenamed(db: Queryable, { id, renamed }: ActivationRow): Promise<void> {
  await db.query(
    'update activations set renamed = array(select unnest(renamed) except select unnest($2::text[])) where id = $1',
    [id, renamed],
  );
}

/** Has the unfinished activations of a tenant process a user who got another id, and may be passed over. */
export async function activateRenamed(db: Queryable, tenant: number, userId: string): Promise<void> {
  await db.query(
    'update activations set renamed = array_append(renamed, $2) where tenant = $1 and finished_at is null',
    [tenant, userId],
  );
}

/**
 * Ends an activation, unless users are left who got another id. Clears the last user's id, because that user
 * may be erased later.
 */
export async function finishActivation(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(
    `update activations set finished_at = $2, users_total = users_done, last_user = ''
     where id = $1 and renamed = '{}'`,
    [id, new Date(now)],
  );
}

/**
 * After a loss of Redis: awards to processed users may not have been relayed, so all users are processed
 * again.
 */
export async function restartOpenActivations(pool: Pool): Promise<void> {
  await pool.query(`update activations set last_user = '', users_done = 0 where finished_at is null`);
}
