import type { Page } from '../../contract/admin.ts';
import { DAY_MS, dayOfDate, firstDayAnywhere, isLive, overEverywhere } from '../../rules/calendar.ts';
import { goalsSince } from '../../rules/challenges/goals.ts';
import type { Achievement, Challenge, Leaderboard, PointsTrigger } from '../../rules/config.ts';
import { ALL_EVENTS, counterIdentity } from '../../rules/counting.ts';
import { isPaused } from '../../rules/pauses.ts';
import { isWhole } from '../../rules/rankingOrder.ts';
import type { Pool, PoolClient, Queryable } from '../pool.ts';
import { all, column, execute, first, value } from '../rows.ts';
import { MILLISECONDS, raw, sql } from '../sql.ts';
import type { ConfigChanges, EntityChange } from './configChanges.ts';

/** Shortest time between two searches for users who fill a leaderboard. */
export const REFILL_EVERY_MS = 600_000;

/**
 * What a change of configuration activated, or which leaderboard got more ranks. Users may already qualify
 * for it, so all users are processed.
 */
export interface ActivationRow {
  id: string;
  tenant: number;
  version: number;
  activated: { kind: ActivatedKind; id: string }[];
  dueAt: Date;
  /** Id of the last processed user; users are processed in the order of their ids. */
  lastUser: string;
  /** Users who got another id meanwhile, or whose events left no time; they are processed last. */
  renamed: string[];
  usersDone: number;
  /** null until processing begins. */
  usersTotal: number | null;
  finishedAt: Date | null;
}

type ActivatedKind = 'achievements' | 'pointsTriggers' | 'leaderboards';

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

/** The counter that an active trigger needs beside the total of its metric; null if it needs none. */
function ownCounterOf(trigger: PointsTrigger | null): string | null {
  if (trigger?.status !== 'active' || trigger.type !== 'metric') return null;
  const identity = counterIdentity(trigger.metricId!, trigger);
  return identity === counterIdentity(trigger.metricId!, ALL_EVENTS) ? null : identity;
}

/** Whether a goal counts from now on, of a challenge that has begun somewhere. */
function beginsToCount(challenge: Challenge, before: Challenge | null, now: number): boolean {
  if (challenge.status !== 'active' || dayOfDate(challenge.start) > firstDayAnywhere(now)) return false;
  const known = new Set(before === null ? [] : goalsSince(before));
  return goalsSince(challenge).some((goal) => !known.has(goal));
}

function concernsUsers({ kind, action, before, entity }: EntityChange, now: number): boolean {
  if (action === 'delete') return false;
  if (kind === 'pointsTriggers') {
    const counter = ownCounterOf(entity as PointsTrigger);
    return counter !== null && counter !== ownCounterOf(before as PointsTrigger | null);
  }
  if (kind === 'achievements') {
    const { status, trigger } = entity as Achievement;
    return status === 'active' && trigger !== 'api' && conditionOf(before) !== conditionOf(entity);
  }
  if (kind === 'challenges') return beginsToCount(entity as Challenge, before as Challenge | null, now);
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
  const isBoard = kind === 'leaderboards';
  if (!isBoard || hasMorePlaces(entity as Leaderboard, before as Leaderboard | null)) return [now];
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
  for (const change of changes.filter((one) => concernsUsers(one, now))) {
    for (const instant of dueAt(change, now)) {
      activatedAt.set(instant, [...(activatedAt.get(instant) ?? []), { kind: change.kind, id: change.id }]);
    }
  }
  for (const [instant, activated] of activatedAt) {
    await execute(client)`
      insert into activations (tenant, version, activated, due_at)
      values (${tenant}, ${version}, ${JSON.stringify(activated)}, ${new Date(instant)})`;
  }
}

/** Shortest time between two requests to fill a leaderboard from all users. */
const REFILL_EVERY = raw(`interval '${REFILL_EVERY_MS} milliseconds'`);

/** Has an active leaderboard filled from all users, unless that is about to begin. */
export async function requestRefill(
  db: Queryable,
  tenant: number,
  leaderboard: number,
  now: number,
): Promise<void> {
  await execute(db)`
    with board as (
      select jsonb_build_array(jsonb_build_object('kind', kind, 'id', id)) as activated from entities
      where tenant = ${tenant} and kind = 'leaderboards' and no = ${leaderboard}
        and body ->> 'status' = 'active'
    ), earlier as (
      select due_at, finished_at is null and users_total is null
        and due_at <= ${new Date(now)}::timestamptz + ${REFILL_EVERY} as is_coming
      from activations join board using (activated) where tenant = ${tenant}
    )
    insert into activations (tenant, version, activated, due_at)
    select ${tenant}, version, activated, greatest(${new Date(now)},
      (select max(due_at) from earlier where due_at <= ${new Date(now)}) + ${REFILL_EVERY})
    from board, tenants where no = ${tenant} and not exists (select from earlier where is_coming)`;
}

const COLUMNS = sql`activations.id, tenant, activations.version::float8 as version, activated, due_at as "dueAt",
  last_user as "lastUser", renamed, users_done::float8 as "usersDone", users_total::float8 as "usersTotal",
  finished_at as "finishedAt"`;

/** Activations of a tenant, newest first. */
export const listActivations = (
  db: Queryable,
  tenant: number,
  { limit, skip }: Page,
): Promise<ActivationRow[]> =>
  all(db)`
    select ${COLUMNS} from activations where tenant = ${tenant}
    order by activations.id desc limit ${limit} offset ${skip}`;

/** Ids of unfinished activations that are due at `now` (ms) and whose version is published, oldest first. */
export const listDueActivations = (db: Queryable, now: number): Promise<string[]> =>
  column(db)`
    select activations.id from activations join tenants on tenants.no = tenant
    where finished_at is null and due_at <= ${new Date(now)} and published >= activations.version
    order by activations.id`;

/** The first instant (ms) in (`after`, `until`] at which an activation is due; null if none is. */
export const findNextDueActivation = (db: Queryable, after: number, until: number): Promise<number | null> =>
  value(db)`
    select min(${MILLISECONDS('due_at')}) as next from activations
    where finished_at is null and due_at > ${new Date(after)} and due_at <= ${new Date(until)}`;

/** null if the activation is finished or was deleted with its tenant. */
export const findOpenActivation = (db: Queryable, id: string): Promise<ActivationRow | null> =>
  first(db)`select ${COLUMNS} from activations where id = ${id} and finished_at is null`;

/** Stores the number of users, unless it is stored already. */
export async function beginActivation(db: Queryable, { id, tenant }: ActivationRow): Promise<void> {
  await execute(db)`
    update activations set users_total = (select count(*) from users where tenant = ${tenant})
    where id = ${id} and users_total is null`;
}

/** Ids of the next `count` users after `userId`, in the order of ids. */
export const listUsersAfter = (
  db: Queryable,
  tenant: number,
  userId: string,
  count: number,
): Promise<string[]> =>
  column(db)`
    select user_id as id from users where tenant = ${tenant} and user_id > ${userId} order by user_id
    limit ${count}`;

/** Marks users as processed, unless another process already has. Users created meanwhile raise the total. */
export async function advanceActivation(
  db: Queryable,
  from: ActivationRow,
  users: readonly string[],
): Promise<void> {
  await execute(db)`
    update activations set last_user = ${users.at(-1)}, users_done = users_done + ${users.length},
      users_total = greatest(users_total, users_done + ${users.length})
    where id = ${from.id} and last_user = ${from.lastUser}`;
}

/** The same for users who are processed last. */
export async function advanceRenamed(db: Queryable, { id, renamed }: ActivationRow): Promise<void> {
  await execute(db)`
    update activations set renamed = array(select unnest(renamed) except select unnest(${renamed}::text[]))
    where id = ${id}`;
}

/** Has the unfinished activations of a tenant process users last, who may be passed over otherwise. */
export async function activateLast(db: Queryable, tenant: number, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return;
  await execute(db)`
    update activations set renamed = renamed || ${userIds}::text[]
    where tenant = ${tenant} and finished_at is null`;
}

/**
 * Ends an activation, unless users are left who are processed last. Clears the last user's id, because that
 * user may be erased later.
 */
export async function finishActivation(db: Queryable, id: string, now: number): Promise<void> {
  await execute(db)`
    update activations set finished_at = ${new Date(now)}, users_total = users_done, last_user = ''
    where id = ${id} and renamed = '{}'`;
}

/**
 * After a loss of Redis: awards to processed users may not have been relayed, so all users are processed
 * again.
 */
export async function restartOpenActivations(pool: Pool): Promise<void> {
  await execute(pool)`update activations set last_user = '', users_done = 0 where finished_at is null`;
}
