import { isDeepStrictEqual } from 'node:util';
import { derivedId, outboxId } from '../../base/ids.ts';
import { KEPT_DAYS, KEPT_ROWS_MAX } from '../../base/limits.ts';
import { decimalSum } from '../../base/numbers.ts';
import { type LeaderboardDayRow, readLeaderboardDays } from '../../db/leaderboards/readRuns.ts';
import type { Rows } from '../../db/rows.ts';
import { type OrderedAward, readAwards, readDays } from '../../db/users/readUserHistory.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { pack, unpackAll } from '../../redis/decoding/codec.ts';
import type { KeptChange, LatestHistory } from '../../redis/decoding/keptHistory.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import {
  layout,
  list,
  number,
  type RecordOf,
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
const METRIC_DAY = layout({ day: number, change: number });
/** More than KEPT_DAYS, so that reads of the latest days never need a day that has joined earlier ones. */
const METRIC_DAYS_MAX = 2 * KEPT_DAYS;
/** 9999-12-31. */
const LAST_DAY = 2_932_896;

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

/** What the events of a metric have changed, day by day. */
interface MetricDays {
  /** The first day that is kept as such. A row of the day before it stands for all earlier days. */
  from: number;
  /** Days with an event, ascending. */
  days: MetricDay[];
}

type MetricDay = RecordOf<typeof METRIC_DAY>;

/** The days of a metric from the day `start` on. */
export const metricDaysPart = (metric: number, start: number): KeptPart<MetricDays> => ({
  name: `days:${metric}`,
  pack: ({ from, days }) => pack([from, ...toRecords(METRIC_DAY, days)]),
  unpack: (packed) => {
    const [[from, ...days]] = unpackAll(packed) as [[number, ...unknown[]]];
    return { from, days: readRecords(METRIC_DAY, days) };
  },
  read: async (rows, user, { from } = { from: start, days: [] }) => {
    const days = await readDays(rows, user, 'metric', [metric], { from, to: LAST_DAY });
    return { from, days: days.map(({ day, change }) => ({ day, change })) };
  },
  add: (part, { metric: changed, value, day }) =>
    changed === metric ? withEvent(part, day, value as number) : part,
  agrees: (kept, recorded) => isDeepStrictEqual(kept, recorded),
  fits: () => true,
});

function withEvent({ from, days }: MetricDays, day: number, value: number): MetricDays {
  const at = Math.max(day, from - 1);
  const known = days.find((one) => one.day === at);
  const change = known === undefined ? value : decimalSum(known.change, value);
  const others = days.filter((one) => one !== known);
  const sorted = [...others, { day: at, change }].sort((a, b) => a.day - b.day);
  return sorted.length > METRIC_DAYS_MAX ? withoutOldest(sorted) : { from, days: sorted };
}

/** The oldest day joins those before it. */
function withoutOldest([earlier, oldest, ...days]: MetricDay[]): MetricDays {
  const sum = decimalSum(earlier!.change, oldest!.change);
  return { from: oldest!.day + 1, days: [{ day: oldest!.day, change: sum }, ...days] };
}

/** @returns a part with all changes; null if it is not kept */
export function foldPart<V>(part: KeptPart<V>, { parts, changes }: LatestHistory, user: KeptUser): V | null {
  const written = parts[part.name];
  if (written === undefined) return null;
  return changes.reduce((value, change) => part.add(value, change, user), part.unpack(written));
}

const PARTS = {
  awards: awardsPart,
  ranks: (no: number) => rankDaysPart(no, 0),
  days: (no: number) => metricDaysPart(no, 0),
};

/** A part that is kept, by its name. */
export function partNamed(name: string): KeptPart<unknown> {
  const [kind, no] = name.split(':');
  return PARTS[kind as keyof typeof PARTS](Number(no)) as KeptPart<unknown>;
}
