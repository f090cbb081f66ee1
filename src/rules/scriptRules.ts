import type { StreakEvaluationMode } from '../contract/preferences.ts';
import type { NoticeTimes } from './notices.ts';
import type { ScriptCondition } from './scriptConditions.ts';

/**
 * The compact form of the rules for the scripts. Entities are named by their `no`. `false` means absent,
 * because a nil would leave a hole in a Lua table. Filters are flat pairs: attribute no, value, attribute no,
 * value, …
 */
export type Filter = (number | string | true)[] | false;

/** When a points trigger may fire. */
export const TRIGGER = {
  creation: 'creation',
  metric: 'metric',
  streak: 'streak',
  achievement: 'achievement',
  time: 'time',
  given: 'given',
  challenge: 'challenge',
} as const;

export const ROUNDING = { down: 'down', up: 'up', nearest: 'nearest' } as const;

/** Whether a streak needs the thresholds of all metrics or of any. */
export const STREAK_MODE = { all: 'AND', any: 'OR' } as const satisfies Record<string, StreakEvaluationMode>;

/** What a leaderboard ranks: a sum, a streak, or the best or latest value of the events of a metric. */
export const RANK_BY = {
  metric: 'metric',
  points: 'points',
  streak: 'streak',
  best: 'best',
  latest: 'latest',
} as const;

/** What a counter remembers beside a total. */
export const COUNTER_KEEPS = { days: 'days', greatest: 'greatest', values: 'values' } as const;

export interface ScriptRules {
  /** The metric of the event; 0 if the change is not an event. */
  metric: number;
  /** The metric's own counter; 0 without a metric. */
  counter: number;
  defaultZone: string;
  idempotencyWindowMs: number | false;
  /** Length of a slice of used idempotency keys. */
  idempotencySliceMs: number;
  counters: ScriptCounter[];
  /** What conditions on the event ask of the user; absent if they ask for nothing. */
  facts?: ScriptFact[];
  /** Challenges with a goal of the metric, and what these goals count; absent without any. */
  challenges?: ScriptChallenge[];
  goalCounters?: ScriptCounter[];
  /** Sent as JSON, because most events reach none of them. */
  achievements: ScriptAchievements;
  /** Ascending values of the metric's own counter; false if scripts compute what an achievement counts. */
  ownValues: number[] | false;
  /** The least value of the achievements of each counter that an event may name. */
  leastValues?: ReadonlyMap<number, number>;
  streak: {
    /** 1 daily, 2 weekly, 3 monthly. */
    frequency: number;
    enabled: boolean;
    any: boolean;
    /** Empty unless this metric is one of the conditions. */
    conditions: { metric: number; threshold: number }[];
    /**
     * Metrics that users may choose for their own conditions; false if they may not choose, or if there is no
     * event.
     */
    metrics: number[] | false;
    /** A mask (daysOff.ts); 0 unless daily. */
    daysOff: number;
    /** Whether the users' own days off count instead. */
    ownDaysOff: boolean;
  };
  points: ScriptPointsSystem[];
  guards: ScriptGuards | false;
  /** True if an event may be refused because a points system would go below 0. */
  mayRefuse: boolean;
  boards: ScriptBoard[];
  /** True if there are time triggers. A change of points may then change when a user is due. */
  timed: boolean;
  /** Sent as JSON, because most changes do not read it. */
  time: ScriptTime;
}

/** What a counter counts of the events that match the filter. Absent fields ask for nothing. */
export interface ScriptCounter {
  no: number;
  filter?: Filter;
  /** Whether it asks more than the metric. */
  computes?: true;
  where?: ScriptCondition;
  /** What an event adds instead of its value: this, or what the derived attribute of this number has. */
  adds?: number;
  addsOf?: number;
  /** Whether the state has marks of it: it remembers something, or counts within periods (a frequency). */
  marks?: true;
  keeps?: keyof typeof COUNTER_KEEPS;
  per?: number;
  /** Achievements that are completed in each period that reaches the value. */
  repeated?: ScriptRepeat[];
}

export interface ScriptRepeat {
  /** Number of the achievement. */
  no: number;
  value: number;
  users: Filter;
}

/** A challenge with a goal of the metric of the event. */
export interface ScriptChallenge {
  no: number;
  /** What the event may add to. */
  counters: Pick<ScriptCounter, 'no' | 'keeps'>[];
  /** All goals, also those of other metrics. */
  goals: { counter: number; target: number }[];
  /** The least target of each counter. */
  leastTargets: ReadonlyMap<number, number>;
  /** How many goals of the user complete the challenge. */
  needed: number;
  /** The sets of goals that users may get, each as bits of positions from 0; absent if all have all. */
  sets?: number[];
  /** The achievement that is given. Points are given by triggers. */
  achievement?: number;
  freezes?: number;
  /** For one user and so long. `no`: boostOfChallenge. */
  boost?: { no: number; system: number; multiplier: number; ms: number };
  /** Whether only users take part who have joined. */
  isJoined?: true;
  /** Whether users claim the rewards, and how long after the completion they can. */
  isClaimed?: true;
  claimMs?: number;
}

/** The local clock, or an attribute of the user (conditions/facts.ts). */
export interface ScriptFact {
  key: string;
  /** Number of the user attribute. */
  attribute?: number;
}

export interface ScriptAchievements {
  ofMetrics: { no: number; counter: number; value: number; users: Filter }[];
  ofStreaks: { no: number; length: number; users: Filter }[];
  /** Prerequisites come before the achievements that require `needed` of them. */
  chained: { no: number; requires: number[]; needed: number; users: Filter }[];
}

/** Guards of the event's metric; false for those that it does not have. */
export interface ScriptGuards {
  min: number | false;
  max: number | false;
  cooldownMs: number | false;
  hourEvents: number | false;
  hourValue: number | false;
  dayEvents: number | false;
  dayValue: number | false;
  /** Whether the value is reduced to what is allowed. */
  clamps: boolean;
  /** Whether an event that is not allowed is held for a review. */
  holds: boolean;
}

/** The rules that settling needs, the same for all changes of a version. */
export type ScriptTime = TimeRules & TimeInForce;

/** The version and the instant (seconds since 1970) of the last change of these rules. */
export interface TimeInForce {
  version: number;
  since: number;
}

export interface TimeRules {
  freezes: { initial: number; max: number; every: number | false; amount: number };
  timers: ScriptTimer[];
  anniversaries: ScriptAnniversary[];
  /** True when a timer counts local days. */
  daily: boolean;
  /**
   * Leaderboards that are scheduled or active. A user's scores on others are dropped. Settling does not read
   * this.
   */
  boards: number[];
}

/** An achievement that completes so many years after the sign-up date of a user. */
export interface ScriptAnniversary {
  no: number;
  years: number;
  users: Filter;
}

/** A time trigger, as needed to find the next instant at which it awards points. */
export interface ScriptTimer {
  system: number;
  max: number | false;
  points: number;
  hourly: boolean;
  /** Seconds, or local days; counted from 1970. */
  every: number;
  /** Seconds since 1970: it fires only after this. */
  from: number;
  users: Filter;
}

export interface ScriptPointsSystem {
  no: number;
  max: number | false;
  triggers: ScriptTrigger[];
  /**
   * Positions, from 1, of the first and the last metric trigger, which stand together; 1 and 0 if there are
   * none.
   */
  firstMetric: number;
  lastMetric: number;
  boosts: ScriptBoost[];
}

export interface ScriptTrigger {
  no: number;
  on: keyof typeof TRIGGER;
  points: number;
  /**
   * By `on`: the counter, the length, the achievement, the challenge, or the instant (seconds since 1970)
   * after which a time trigger fires.
   */
  of: number;
  /** Of `metric`: the threshold. Of `time`: the interval in seconds (`hourly`) or local days. */
  threshold: number;
  hourly: boolean;
  block: boolean;
  users: Filter;
}

export interface ScriptBoost {
  no: number;
  /** Local days, both inclusive. */
  from: number;
  to: number | false;
  multiplier: number;
  rounding: keyof typeof ROUNDING;
  user: string | false;
  users: Filter;
}

export interface ScriptBoard {
  no: number;
  by: keyof typeof RANK_BY;
  /** Counter or points system, by `by`. */
  of: number;
  /** false: values are scores, those above 0 have a rank, and equal ones rank by arrival. */
  order: ScriptOrder | false;
  /** True: the score is what the user gained in the run; false: it is the total itself. */
  gain: boolean;
  /** Places. */
  max: number;
  /** Members of the sorted set: the places and the reserve behind them. */
  keep: number;
  breakdown: number[] | false;
  /** Daily window in local seconds of the day, from inclusive, to exclusive; may wrap around midnight. */
  window: [number, number] | false;
  /** Settings in the order of their runs; then `breakdown` is a list. Absent without a league. */
  league?: ScriptLeagueSettings[];
}

/** The settings of a league from a run on (src/rules/leagues.ts). */
export interface ScriptLeagueSettings {
  fromRun: number;
  size: number;
  /** Number of the lowest tier. */
  lowest: number;
  /** Whether users without a rank lose a tier. */
  demotesIdle: boolean;
  /** The lowest first. */
  tiers: { no: number; promote: number; demote: number }[];
  former: { no: number; becomes: number }[];
}

/** The order of a ranking (rankingOrder.ts). */
export interface ScriptOrder {
  /** By which a value is multiplied to become a score, and a score to become a value. */
  sign: 1 | -1;
  /** The score of a user without a value on the leaderboard. */
  least: number;
  /** Whether equal scores share a rank. */
  isShared: boolean;
}

/** The calendar of one zone at one instant, with the run of every leaderboard. */
export interface ScriptCalendar {
  zone: string;
  /** Day, week, month. */
  periods: [number, number, number];
  offsetMs: number;
  /**
   * Pairs: leaderboard no, first day of its run; of a league also its negative number, number of the run.
   * Leaderboards that have no run now are absent.
   */
  runs: number[];
  /** Absent if no leaderboard is a league. */
  hasLeagues?: true;
  /** The run of each challenge in which events count, and of the others, by number; absent without any. */
  openRuns?: ReadonlyMap<number, number>;
  closedRuns?: ReadonlyMap<number, number>;
  /**
   * When periods end, seconds since 1970: days, weeks and months, from 3 before the current one to 3 after
   * it. Sent as JSON, because only changes that extend or end a streak read it.
   */
  ends: number[];
  /**
   * The hours at which users are to be told something; false if nothing is wanted. Goes to the script as
   * JSON, too.
   */
  notices: NoticeTimes | false;
}
