import { isDeepStrictEqual } from 'node:util';
import { derivedId, outboxId } from '../../base/ids.ts';
import { KEPT_ROWS_MAX } from '../../base/limits.ts';
import { type LeaderboardDayRow, readLeaderboardDays } from '../../db/leaderboards/readRuns.ts';
import type { Rows } from '../../db/rows.ts';
import { type OrderedAward, readAwards } from '../../db/users/readUserHistory.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { pack, unpackAll } from '../../redis/decoding/codec.ts';
import type { KeptChange, LatestHistory } from '../../redis/decoding/keptHistory.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import {
  layout,
  list,
  number,
  readRecords,
  table,
  text,
  toRecords,
  type Value,
} from '../../redis/layouts/recordLayout.ts';
import type { AwardReward } from '../../rules/award.ts';

/** A user whose history is kept in a cell. */
export interface KeptUser extends UserKey {
  cell: number;
}

/** A part of a user's history that Redis keeps, as the value `V`. */
export interface KeptPart<V> {
  /** Distinguishes the parts of a user. */
  name: string;
  pack(part: V): Buffer;
  unpack(packed: Buffer): V;
  /** Reads the part from PostgreSQL. @param kept of this part, if it is kept */
  read(rows: Rows, user: UserKey, kept?: V): Promise<V>;
  /** Returns the part after one more change of the user. */
  add(part: V, change: KeptChange, user: KeptUser): V;
  /** Whether PostgreSQL has what is kept. */
  agrees(kept: V, recorded: V): boolean;
  /** Whether the part can be kept of a user with this state. */
  fits(part: V, state: UserState): boolean;
}

const date: Value<Date> = {};
const orNull = <T>(_value: Value<T>): Value<T | null> => ({});
const KEPT_AWARD = layout<OrderedAward>({
  id: text,
  trigger: number,
  awarded: number,
  total: number,
  date,
  boosts: orNull(list<number>()),
  reward: orNull(table<AwardReward>()),
  sequence: number,
  n: number,
});
const RANK_DAY = layout<LeaderboardDayRow>({
  day: number,
  group: text,
  changedAt: date,
  rank: orNull(number),
  value: number,
  previousRank: orNull(number),
  previousValue: orNull(number),
  sequence: number,
});

/** The latest awards of a points system, newest first. */
export const awardsPart = (system: number): KeptPart<OrderedAward[]> => ({
  name: `awards:${system}`,
  pack: (awards) => pack(toRecords(KEPT_AWARD, awards)),
  unpack: (packed) => readRecords(KEPT_AWARD, unpackAll(packed)[0] as unknown[]),
  read: (rows, user) => readAwards(rows, user, system, KEPT_ROWS_MAX),
  add: (awards, change, user) => {
    const added = awardsOfChange(change, user, system);
    if (added.length === 0) return awards;
    return [...added, ...awards].sort(newestFirst).slice(0, KEPT_ROWS_MAX);
  },
  agrees: (kept, recorded) => isDeepStrictEqual(kept, recorded),
  fits: () => true,
});

function newestFirst(a: OrderedAward, b: OrderedAward): number {
  return b.date.getTime() - a.date.getTime() || b.sequence - a.sequence || b.n - a.n;
}

/** The awards of a system as the relay writes them, which numbers those of all systems of a change. */
function awardsOfChange(change: KeptChange, { cell, userId }: KeptUser, system: number): OrderedAward[] {
  const { at, sequence, eventId, entryId } = change;
  if (change.points.length === 0) return [];
  const base = eventId || outboxId(cell, entryId as string, `${userId} ${at}`);
  let n = 0;
  return change.points.flatMap((points) =>
    points.awards.flatMap(({ boosts, ...award }) => {
      n++;
      if (points.system !== system) return [];
      const ordered = { ...award, id: derivedId(base, n), sequence, n, reward: null };
      return [{ ...ordered, date: new Date(at), boosts: boosts.length === 0 ? null : boosts }];
    }),
  );
}

/** The latest days of a user on a leaderboard. */
interface RankDays {
  /** First day of the run. */
  run: number;
  /** Latest day first. */
  days: LeaderboardDayRow[];
}

/** The days with a change in the run of a leaderboard that begins on the day `start`. */
export const rankDaysPart = (leaderboard: number, start: number): KeptPart<RankDays> => ({
  name: `ranks:${leaderboard}`,
  pack: ({ run, days }) => pack([run, ...toRecords(RANK_DAY, days)]),
  unpack: (packed) => {
    const [[run, ...days]] = unpackAll(packed) as [[number, ...unknown[]]];
    return { run, days: readRecords(RANK_DAY, days) };
  },
  read: async (rows, user, { run } = { run: start, days: [] }) => ({
    run,
    days: await readLeaderboardDays(rows, user, { leaderboard, start: run }, KEPT_ROWS_MAX),
  }),
  add: (part, change) =>
    change.boards
      .filter(({ board }) => board === leaderboard)
      .reduce((before, place) => withPlace(before, place, change), part),
  // The history may have dropped the oldest days.
  agrees: (kept, recorded) => isDeepStrictEqual(kept.days.slice(0, recorded.days.length), recorded.days),
  // Runs of a user never go back, so a later change is not in a former run.
  fits: ({ run }, state) => run >= (state.boards.get(leaderboard)?.run ?? run),
});

/** As the relay combines the changes of a day in a group. */
function withPlace(
  { run, days }: RankDays,
  { run: changedRun, group, rank, value, previousRank, previousValue }: KeptChange['boards'][number],
  { at, day, sequence }: KeptChange,
): RankDays {
  if (changedRun < run) return { run, days };
  const ofRun = changedRun === run ? days : [];
  const known = ofRun.find((one) => one.day === day && one.group === group);
  const before = known ?? { previousRank, previousValue };
  const changed = {
    day,
    group,
    changedAt: new Date(at),
    rank,
    value,
    previousRank: before.previousRank,
    previousValue: before.previousValue,
    sequence,
  };
  const others = ofRun.filter((one) => one !== known);
  const sorted = [changed, ...others].sort((a, b) => b.day - a.day || b.sequence - a.sequence);
  return { run: changedRun, days: sorted.slice(0, KEPT_ROWS_MAX) };
}

/** @returns a part with all changes; null if it is not kept */
export function foldPart<V>(part: KeptPart<V>, { parts, changes }: LatestHistory, user: KeptUser): V | null {
  const written = parts[part.name];
  if (written === undefined) return null;
  return changes.reduce((value, change) => part.add(value, change, user), part.unpack(written));
}

/** A part that is kept, by its name. */
export function partNamed(name: string): KeptPart<unknown> {
  const [kind, no] = name.split(':');
  const part = kind === 'awards' ? awardsPart(Number(no)) : rankDaysPart(Number(no), 0);
  return part as KeptPart<unknown>;
}
