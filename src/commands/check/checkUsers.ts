import { allCells, type Cells, cellOf, cellsOf } from '../../base/cells.ts';
import { CHECK_WAIT_MS_MAX } from '../../base/limits.ts';
import { readRecordedUsers } from '../../db/history/recordedUsers.ts';
import { hasRelayedStates } from '../../db/history/snapshotRows.ts';
import { type RedisCommand, runPipeline } from '../../redis/connection/pipeline.ts';
import { decodeUserState, markersOf, type UserState } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { USER_PART } from '../../redis/lua/scriptConstants.ts';
import { placesOf, type UserPlace } from '../../redis/state/rankingEntries.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { membersFrom } from '../../rules/rankingOrder.ts';
import { compareKept } from './compareKept.ts';
import { readCountedSeats } from './compareLeagues.ts';
import { compareUser, type HeldPlace, type HeldUser, mayComeFromBehind } from './compareUser.ts';
import {
  type CheckContext,
  confirm,
  type Difference,
  type Look,
  type NameDifference,
} from './differences.ts';

export interface CheckedUsers {
  /** Rankings in which the users are. */
  rankings: Set<string>;
  unsettled: number;
}

/**
 * Compares users while they go on. A user who differs is looked at again after the relay has caught up. The
 * difference counts if it is still the same, and if the user did not change during that look.
 */
export async function checkUsers(context: CheckContext, userIds: readonly string[]): Promise<CheckedUsers> {
  const rankings = new Set<string>();
  const first = await look(context, userIds, false, rankings);
  const unsettled = await confirm(context.findings, first, (differing) =>
    look(context, differing, true, rankings),
  );
  return { rankings, unsettled };
}

/**
 * @param isExact waits for the relay between both stores, and disregards differences of users who changed
 * meanwhile
 */
async function look(
  context: CheckContext,
  userIds: readonly string[],
  isExact: boolean,
  rankings: Set<string>,
): Promise<Look> {
  const { pool, scripts, cells, tenant, rules } = context;
  const held = await readHeldUsers(context, userIds, rankings);
  if (isExact) await waitForRelay(scripts, allCells(cells), CHECK_WAIT_MS_MAX);
  const isFolded = !(await hasRelayedStates(pool));
  const recorded = await readRecordedUsers(pool, tenant, userIds, rules.config.streak.frequency);
  const found: Look = new Map();
  for (const [i, userId] of userIds.entries()) {
    const differences: Difference[] = [];
    const report: NameDifference = (kind, text) => differences.push({ kind, tenant, userId, text });
    const { state, keptList } = held[i]!;
    compareUser(rules, held[i]!, recorded.get(userId)!, isFolded, report);
    const user = { tenant, userId, cell: cellOf(tenant, userId, cells) };
    if (state !== null) await compareKept(context, user, state, keptList, report);
    if (differences.length > 0) found.set(userId, differences);
  }
  if (isExact) await forgetChanged(context, found, new Map(userIds.map((id, i) => [id, held[i]!.state])));
  return found;
}

async function forgetChanged(
  { redis, tenant, cells }: CheckContext,
  found: Look,
  states: ReadonlyMap<string, UserState | null>,
): Promise<void> {
  const userIds = [...found.keys()];
  const hots = await runPipeline(
    redis,
    userIds.map((userId) => [
      'hget',
      keys.user(tenant, cellOf(tenant, userId, cells), userId),
      USER_PART.hot,
    ]),
  );
  for (const [i, userId] of userIds.entries()) {
    const hot = hots[i] as Buffer | null;
    const sequence = hot === null ? undefined : markersOf(hot).sequence;
    if (sequence !== states.get(userId)?.sequence) found.set(userId, []);
  }
}

const REPLIES_PER_USER = 4;

async function readHeldUsers(
  context: CheckContext,
  userIds: readonly string[],
  rankings: Set<string>,
): Promise<HeldUser[]> {
  const { redis, tenant, cells } = context;
  const replies = await runPipeline(
    redis,
    userIds.flatMap((userId): RedisCommand[] => {
      const cell = cellOf(tenant, userId, cells);
      return [
        ['hmget', keys.user(tenant, cell, userId), USER_PART.hot, USER_PART.cold],
        ['zscore', keys.seen(tenant, cell), userId],
        ['zscore', keys.due(cell), keys.dueMember(tenant, userId)],
        ['lrange', keys.history(tenant, cell, userId), 0, -1],
      ];
    }),
  );
  const states = userIds.map((_, i) => {
    const [hot, cold] = replies[i * REPLIES_PER_USER] as [Buffer | null, Buffer | null];
    return hot && cold ? decodeUserState(hot, cold) : null;
  });
  const places = await readPlaces(context, userIds, states, rankings);
  const seats = await readCountedSeats(context, states);
  return states.map((state, i) => {
    const due = replies[i * REPLIES_PER_USER + 2];
    return {
      state,
      isRegistered: replies[i * REPLIES_PER_USER + 1] !== null,
      due: due === null ? null : Number(due),
      keptList: replies[i * REPLIES_PER_USER + 3] as Buffer[],
      places: places[i]!,
      seats: seats[i]!,
    };
  });
}

/** The places of each user in rankings that are not final. */
async function readPlaces(
  { redis, rules, cells, isFinal }: CheckContext,
  userIds: readonly string[],
  states: readonly (UserState | null)[],
  rankings: Set<string>,
): Promise<HeldPlace[][]> {
  const asked = states.flatMap((state, user) =>
    (state === null ? [] : placesOf(rules, cells, userIds[user]!, state))
      .filter(({ board, run }) => !isFinal(board.no, run))
      .map((place) => ({ user, place, all: keysOfAll(rules, cells, place) })),
  );
  const replies = await runPipeline(
    redis,
    asked.flatMap(({ user, place: { key, ticket, score }, all }): RedisCommand[] => [
      ['zscore', key, ticket + userIds[user]!],
      ['zcount', key, ...membersFrom(score)],
      ...all.map((ranking): RedisCommand => ['zcard', ranking]),
    ]),
  );
  const held = userIds.map((): HeldPlace[] => []);
  let at = 0;
  for (const { user, place, all } of asked) {
    const { key, board } = place;
    const [score, notWorse, ...members] = replies.slice(at, at + 2 + all.length);
    at += 2 + all.length;
    rankings.add(key);
    held[user]!.push({
      place,
      score: score === null ? null : Number(score),
      mayHaveBeenBehind: mayComeFromBehind(
        board,
        members.reduce<number>((sum, one) => sum + Number(one), 0),
      ),
      isDue: Number(notWorse) < board.maxParticipants,
    });
  }
  return held;
}

/** The ranking in all cells of the tenant; none for a league, whose groups are in one cell. */
function keysOfAll(rules: Rules, cells: Cells, { board, run, group }: UserPlace): string[] {
  const inCells = board.league === null ? cellsOf(rules.tenant, cells) : [];
  return inCells.map((cell) => keys.board(rules.tenant, cell, board.no, run, group));
}
