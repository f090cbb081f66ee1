/**
 * The compact form of the rules that the scripts take. Everything is named by its `no`; `false` stands for absent, because
 * a nil would leave a hole in a Lua table. Filters are flat pairs: attribute no, value, attribute no, value, …
 */
export type Filter = (number | string)[] | false;

export interface ScriptRules {
  /** The metric whose events these rules are for; 0 when they are for something else than an event. */
  metric: number;
  /** The metric's own counter; 0 without a metric. */
  counter: number;
  defaultZone: string;
  idempotencyWindowMs: number | false;
  counters: { no: number; filter: Filter }[];
  metricAchievements: { no: number; counter: number; value: number; users: Filter }[];
  streakAchievements: { no: number; length: number; users: Filter }[];
  /** In an order in which prerequisites come first. */
  chainedAchievements: { no: number; requires: number[]; users: Filter }[];
  streak: {
    /** 1 daily, 2 weekly, 3 monthly. */
    frequency: number;
    enabled: boolean;
    any: boolean;
    /** Empty unless this metric is one of the conditions. */
    conditions: { metric: number; threshold: number }[];
    /** Those that users may choose their own conditions from; false where they may not, or there is no event. */
    metrics: number[] | false;
  };
  points: ScriptPointsSystem[];
  /** True when an event may be refused because a points system would go below 0. */
  mayRefuse: boolean;
  boards: ScriptBoard[];
  /** True when points are awarded by time: then a change of points may change when a user is due. */
  timed: boolean;
  /** Goes to the script as JSON: most changes do not look into it. */
  time: ScriptTime;
}

/** What settling a user goes by, whatever the change: the same in all rules of a version. */
export type ScriptTime = TimeRules & TimeInForce;

/** When those became what they are: in this version, at this instant (seconds since 1970). */
export interface TimeInForce {
  version: number;
  since: number;
}

export interface TimeRules {
  freezes: { initial: number; max: number; every: number | false; amount: number };
  timers: ScriptTimer[];
  /** True when a timer counts local days. */
  daily: boolean;
  /** Leaderboards that are not over, running or not: whoever joins one is rid of the others. Settling does not go by this. */
  boards: number[];
}

/** A time trigger, to find the next instant at which it awards anything. */
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
  /** Those of metrics stand together, from the first to the last, counted from 1; none: from 1 to 0. */
  firstMetric: number;
  lastMetric: number;
  boosts: ScriptBoost[];
}

export interface ScriptTrigger {
  no: number;
  on: 'creation' | 'metric' | 'streak' | 'achievement' | 'time';
  points: number;
  /** The counter, length or achievement, by `on`; of `time`, the instant (seconds since 1970) after which it fires. */
  of: number;
  /** Only for `metric`; and for `time`, every how many seconds (`hourly`) or local days. */
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
  rounding: 'down' | 'up' | 'nearest';
  user: string | false;
  users: Filter;
}

export interface ScriptBoard {
  no: number;
  by: 'metric' | 'points' | 'streak';
  /** Counter or points system, by `by`. */
  of: number;
  /** True: the score is what the user gained in the run; false: it is the total itself. */
  gain: boolean;
  max: number;
  breakdown: number[] | false;
  /** Daily window in local seconds of the day, from inclusive, to exclusive; may wrap around midnight. */
  window: [number, number] | false;
}

/** The calendar of one zone at one instant, with the run of every leaderboard. */
export interface ScriptCalendar {
  zone: string;
  /** Day, week, month. */
  periods: [number, number, number];
  offsetMs: number;
  /** Pairs: leaderboard no, first day of its run; leaderboards that are not running are absent. */
  runs: number[];
  /**
   * When periods end, seconds since 1970: of days, weeks and months those from 3 before the current one to 3 after it. Goes to
   * the script as JSON: only a change that extends or ends a streak looks into it.
   */
  ends: number[];
}
