import { isDeepStrictEqual } from 'node:util';
import { DateTime } from 'luxon';
import type { NotificationPreferences, StreakPreferences } from '../../src/contract/preferences.ts';
import type { UpdatedUser } from '../../src/contract/user.ts';
import type { StreakState, UserState } from '../../src/redis/decoding/userState.ts';
import type { Config, Counter, Frequency, StreakSettings } from '../../src/rules/config.ts';
import { ALL_EVENTS, type Counting } from '../../src/rules/counting.ts';
import { daysOffMask } from '../../src/rules/daysOff.ts';
import type { ScriptPreferences } from '../../src/rules/inForce/preparePreferences.ts';
import {
  addPeriods,
  dateOf,
  endOfPeriod,
  type LocalDate,
  localDate,
  ordinal,
  periodOf,
} from './modelCalendar.ts';
import { challengeStates, type ModelChallengeRun } from './modelChallenges.ts';
import { type Attributes, addedBy, type Countable, CountedTogether } from './modelCounting.ts';
import { leagueState, type Membership } from './modelLeagues.ts';

export const FREQUENCIES: readonly Frequency[] = ['daily', 'weekly', 'monthly'];

export interface ModelEvent extends Countable {
  metricId: string;
  /** When it happened, ms. */
  happenedAt: number;
  /** When it arrived, ms, and the date for which guards count it. */
  at: number;
  date: LocalDate;
  /** Whether it comes from an administrator, so that guards do not count it. */
  isApproved: boolean;
  undoes?: ModelEvent;
}

/** Periods and dates are dates without a zone; null before the first extension. */
export interface ModelStreak {
  length: number;
  firstDate: LocalDate | null;
  lastPeriod: LocalDate | null;
  extendedAt: number;
  lostLength: number;
  lostFirstDate: LocalDate | null;
  /**
   * When it is over unless it is extended, ms: the end of the next period, where that comes last of all zones
   * since.
   */
  deadline: number;
  /** Events of condition metrics that counted towards a period which was not extended yet, oldest first. */
  counted: { metricId: string; value: number; period: LocalDate }[];
}

/** What extended a streak, or kept it in a missed period. */
export interface StreakPeriodOfUser {
  frequency: Frequency;
  period: LocalDate;
  /** Afterwards. */
  length: number;
  by: 'event' | 'freeze' | 'pause' | 'dayOff';
}

/** A user as the model keeps one: nothing is summed up, everything that happened is a list. */
export interface ModelUser {
  id: string;
  sequence: number;
  created: number;
  updated: number;
  tz: string | null;
  name: string | null;
  email: string | null;
  subscribeToEmails: boolean;
  signUpDate: string | null;
  control: boolean;
  deviceTokens: string[] | null;
  attributes: Attributes;
  events: ModelEvent[];
  streaks: Record<Frequency, ModelStreak>;
  /** In force when the streaks were settled last. */
  frequency: Frequency | null;
  /** Whether the last change left the user with a streak. Nobody has one while streaks are switched off. */
  hasStreak: boolean;
  /** What each period did to the streaks, in order. */
  periods: readonly StreakPeriodOfUser[];
  /** Achievement id → when it was completed. */
  achievements: Map<string, number>;
  /** Achievement id → how often it was completed, and in which periods (ordinals). */
  repeats: Map<string, { times: number; periods: ReadonlySet<number> }>;
  /** Achievement id → when an administrator took it back. */
  revoked: Map<string, number>;
  /** Points system id → total, once the user was awarded any. */
  points: Map<string, number>;
  /** Leaderboard id → run, value in it (null for none), and the group the user was in when last looked at. */
  boards: Map<string, { run: LocalDate; value: number | null; group: string | null }>;
  leagues: Map<string, Membership>;
  /** Leaderboard id → the last run whose rewards the user has had. */
  rewarded: Map<string, number>;
  freezes: number;
  /** Up to which freezes were earned; null before the first extension of the streak. */
  freezeDate: LocalDate | null;
  /** Whose daily time triggers are done. */
  settledDate: LocalDate;
  pauses: { id: string; start: LocalDate; end: LocalDate }[];
  /** null while the user has set none. */
  preferences: StreakPreferences | null;
  /** Channels by type of notification. */
  channels: NotificationPreferences;
  /** When time brings something next, ms; infinite when never. */
  due: number;
  /** As of when newer rules of time are to look at the user, ms; null when they have. */
  reviewAt: number | null;
  /** While an administrator has blocked the user. `until`: ms. */
  block: { until: number | null } | null;
  /** Whether the user is on leaderboards by the preferences; null while the user has not said. */
  isVisible: boolean | null;
  /** Ids of the leaderboards from which an administrator has hidden the user. */
  hiddenFrom: Set<string>;
  /** Whether the user has used idempotency keys under a former id. */
  hasFormerKeys: boolean;
  /** Of each challenge the latest runs in which an event has counted. */
  challengeRuns: readonly ModelChallengeRun[];
  /** How many runs of each challenge (id) were ever completed. */
  challengeCompletions: ReadonlyMap<string, number>;
  /** What challenges have given, in force between two instants (ms). */
  boosts: readonly ModelBoost[];
  imported: ModelImported;
}

/** What imports of users have set, besides totals. */
export interface ModelImported {
  streaks: Partial<Record<Frequency, ImportedStreak>>;
  freezes: number | null;
  /** How many runs of each challenge (id) were completed elsewhere. */
  challenges: ReadonlyMap<string, number>;
}

/** A streak as it was elsewhere. It was extended in each of its periods. */
export interface ImportedStreak {
  length: number;
  longest: number;
  lastDate: LocalDate;
  firstDate: LocalDate;
  lastPeriod: LocalDate;
}

export interface ModelBoost {
  /** By which awards name it. */
  no: number;
  systemId: string;
  multiplier: number;
  rounding: 'down';
  from: number;
  until: number;
}

/** Whether the user has no place on any leaderboard. */
export const isAway = ({ block, isVisible }: ModelUser): boolean => block !== null || isVisible === false;

export function newModelUser(id: string, control: boolean, now: number, today: LocalDate): ModelUser {
  const streak = (): ModelStreak => ({
    length: 0,
    firstDate: null,
    lastPeriod: null,
    extendedAt: 0,
    lostLength: 0,
    lostFirstDate: null,
    deadline: 0,
    counted: [],
  });
  return {
    id,
    sequence: 0,
    created: now,
    updated: now,
    tz: null,
    name: null,
    email: null,
    subscribeToEmails: true,
    signUpDate: null,
    control,
    deviceTokens: null,
    attributes: {},
    events: [],
    streaks: { daily: streak(), weekly: streak(), monthly: streak() },
    frequency: null,
    hasStreak: false,
    periods: [],
    achievements: new Map(),
    repeats: new Map(),
    revoked: new Map(),
    points: new Map(),
    boards: new Map(),
    leagues: new Map(),
    rewarded: new Map(),
    freezes: 0,
    freezeDate: null,
    settledDate: today,
    pauses: [],
    preferences: null,
    channels: {},
    due: Number.POSITIVE_INFINITY,
    reviewAt: null,
    hiddenFrom: new Set(),
    hasFormerKeys: false,
    challengeRuns: [],
    challengeCompletions: new Map(),
    boosts: [],
    imported: { streaks: {}, freezes: null, challenges: new Map() },
    block: null,
    isVisible: null,
  };
}

/** A copy to try a change on: lists in it are replaced, never changed. */
export function copyUser(user: ModelUser): ModelUser {
  const { daily, weekly, monthly } = user.streaks;
  return {
    ...user,
    streaks: { daily: { ...daily }, weekly: { ...weekly }, monthly: { ...monthly } },
    achievements: new Map(user.achievements),
    repeats: new Map(user.repeats),
    revoked: new Map(user.revoked),
    hiddenFrom: new Set(user.hiddenFrom),
    points: new Map(user.points),
    boards: new Map(user.boards),
    leagues: new Map(user.leagues),
    rewarded: new Map(user.rewarded),
  };
}

/**
 * Answers why the profile is refused (no e-mails without an address, no sign-up after today), or null, and
 * whether it says anything new.
 */
export function applyProfile(
  user: ModelUser,
  profile: UpdatedUser,
  config: Config,
  now: number,
): { refusal: 'noEmail' | 'futureSignUp' | null; changed: boolean } {
  const email = profile.email === undefined ? user.email : profile.email;
  if (profile.subscribeToEmails === true && email === null) return { refusal: 'noEmail', changed: false };
  const zone = (profile.tz === undefined ? user.tz : profile.tz) ?? config.settings.defaultTimeZone;
  const signUp = profile.signUpDate == null ? undefined : signUpDateOf(profile.signUpDate);
  if (signUp !== undefined && dateOf(signUp) > localDate(zone, now))
    return { refusal: 'futureSignUp', changed: false };
  const { attributes = {}, ...fields } = profile;
  const losesAddress = user.email !== null && email === null;
  const next = {
    ...user,
    ...fields,
    ...(losesAddress && { subscribeToEmails: false }),
    ...(signUp && { signUpDate: signUp }),
    attributes: { ...user.attributes },
  };
  for (const [key, value] of Object.entries(attributes)) {
    const { id } = config.attributes.find((attribute) => attribute.type === 'user' && attribute.key === key)!;
    if (value === null) delete next.attributes[id];
    else next.attributes[id] = String(value);
  }
  const said = ({
    tz,
    name,
    email,
    subscribeToEmails,
    signUpDate,
    deviceTokens,
    attributes,
  }: ModelUser): string =>
    JSON.stringify([
      tz,
      name,
      email,
      subscribeToEmails,
      signUpDate,
      deviceTokens,
      Object.entries(attributes).sort(),
    ]);
  const changed = said(next) !== said(user);
  Object.assign(user, next);
  if (changed) user.updated = now;
  return { refusal: null, changed };
}

/** A date-time stands for its day in UTC. */
function signUpDateOf(text: string): string {
  return DateTime.fromISO(text, { zone: 'utc' }).toISODate()!;
}

/** The sum of two decimals. No value of the test has more than six decimals. */
export function decimalSum(a: number, b: number): number {
  return Number((a + b).toFixed(6));
}

/** What a counter had after an event that it counts, in the period of the event (null for ever). */
interface Counted {
  period: number | null;
  value: number;
}

/** By list of events, which is replaced when it grows: time counts the same again and again. */
const knownCourses = new WeakMap<ModelEvent[], Map<string, Counted[]>>();

/** The course of a counter, in the order of arrival. */
function courseOf(events: ModelEvent[], metricId: string, counting: Counting): Counted[] {
  const known = knownCourses.get(events) ?? new Map<string, Counted[]>();
  knownCourses.set(events, known);
  const counter = `${metricId} ${countedAs(counting)}`;
  const course = known.get(counter) ?? count(events, metricId, counting);
  known.set(counter, course);
  return course;
}

export const countedAs = ({ eventAttributes, where, aggregate, per = null }: Counting): string => {
  const pairs = eventAttributes.map(({ attributeId, attributeValue }) => [attributeId, attributeValue]);
  return JSON.stringify([pairs.sort(), where, aggregate, per]);
};

const FREQUENCY_OF = { day: 'daily', week: 'weekly', month: 'monthly' } as const;

/** The period of a counter that a date is in, as an ordinal. */
function periodOfCounter({ per = null }: Counting, date: LocalDate): number | null {
  if (per === null) return null;
  const frequency = FREQUENCY_OF[per];
  return ordinal(frequency, periodOf(frequency, date));
}

function count(events: ModelEvent[], metricId: string, counting: Counting): Counted[] {
  const counted = new Map<number | null, CountedTogether>();
  return events.flatMap((event) => {
    if (event.metricId !== metricId || addedBy(counting, event) === null) return [];
    const period = periodOfCounter(counting, event.localDate);
    const together = counted.get(period) ?? new CountedTogether(counting);
    counted.set(period, together);
    return [{ period, value: together.add(event) }];
  });
}

/** The value of a counter within its latest period that has one. */
export function counterTotal(
  events: ModelEvent[],
  metricId: string,
  counting: Counting = ALL_EVENTS,
): number {
  const course = courseOf(events, metricId, counting);
  const latest = Math.max(...course.map(({ period }) => period ?? 0));
  return course.findLast(({ period }) => (period ?? 0) === latest)?.value ?? 0;
}

/** The value of a counter in the period of a day. */
export function counterOn(
  date: LocalDate,
  events: ModelEvent[],
  metricId: string,
  counting: Counting,
): number {
  const present = periodOfCounter(counting, date);
  return courseOf(events, metricId, counting).findLast(({ period }) => period === present)?.value ?? 0;
}

/**
 * The highest a counter ever stood: what was earned on the way up is not earned again after going down. Within
 * periods, what it has in that of the last event.
 */
export function counterPeak(events: ModelEvent[], metricId: string, counting: Counting): number {
  const course = courseOf(events, metricId, counting);
  if ((counting.per ?? null) !== null) return course.at(-1)?.value ?? 0;
  return Math.max(0, ...course.map(({ value }) => value));
}

/**
 * What the last event, which a counter counts, has changed: its period, and what the counter has in it before
 * and after.
 */
export function lastCounted(
  events: ModelEvent[],
  metricId: string,
  counting: Counting,
): { period: number; before: number; after: number } {
  const course = courseOf(events, metricId, counting);
  const { period, value } = course.at(-1)!;
  const before = course.slice(0, -1).findLast((one) => one.period === period)?.value ?? 0;
  return { period: period!, before, after: value };
}

/** What holds for the user: the tenant's conditions, or what the user has chosen instead. */
function conditionsFor(user: ModelUser, config: Config): Pick<StreakSettings, 'evaluationMode' | 'metrics'> {
  const { streak } = config;
  if (user.preferences?.enabled === false) return { evaluationMode: 'AND', metrics: [] };
  const { evaluationMode, metrics } = (streak.customizationEnabled && user.preferences) || {};
  return {
    evaluationMode: evaluationMode ?? streak.evaluationMode,
    metrics: metrics ?? streak.metrics,
  };
}

/** What a user may set; what is left out stays. */
export interface ModelPreferences {
  streak?: StreakPreferences;
  isVisible?: boolean;
  channels?: NotificationPreferences;
}

/** Sets what is passed. Who turns the streak off loses it. Answers whether that is anything new. */
export function applyPreferences(
  user: ModelUser,
  { streak = {}, isVisible = user.isVisible ?? undefined, channels = {} }: ModelPreferences,
  now: number,
): boolean {
  const next = { ...user.preferences, ...streak };
  const nextChannels = { ...user.channels, ...channels };
  const isSame = isDeepStrictEqual(next, user.preferences ?? {});
  const hasSameChannels = isDeepStrictEqual(nextChannels, user.channels);
  if (isSame && hasSameChannels && isVisible === (user.isVisible ?? undefined)) return false;
  if (!isSame) user.preferences = next;
  user.channels = nextChannels;
  user.isVisible = isVisible ?? null;
  user.updated = now;
  for (const frequency of streak.enabled === false ? FREQUENCIES : []) loseStreak(user.streaks[frequency]);
  return true;
}

export function loseStreak(streak: ModelStreak): void {
  if (streak.length === 0) return;
  Object.assign(streak, { lostLength: streak.length, lostFirstDate: streak.firstDate, length: 0 });
}

/**
 * Extends each of the three streaks at most once a period, in the period in which the conditions become true.
 * Answers whether the one of the configured frequency was extended.
 */
export function extendStreaks(
  user: ModelUser,
  config: Config,
  event: ModelEvent,
  today: LocalDate,
  zone: string,
  now: number,
): boolean {
  const { evaluationMode, metrics } = conditionsFor(user, config);
  const idOf = (key: string): string => config.metrics.find((metric) => metric.key === key)!.id;
  const counts = metrics.some(({ key }) => idOf(key) === event.metricId);
  if (!config.streak.enabled || !counts) return false;
  let extended = false;
  for (const frequency of FREQUENCIES) {
    const streak = user.streaks[frequency];
    const period = periodOf(frequency, today);
    if (streak.lastPeriod !== null && streak.lastPeriod >= period) continue;
    streak.counted = [...streak.counted, { metricId: event.metricId, value: event.value, period }];
    // The sums begin anew whenever the period is another one than that of the event before.
    const restart = streak.counted.findLastIndex((counted) => +counted.period !== +period) + 1;
    const inPeriod = streak.counted.slice(restart);
    const met = metrics.map(({ key, threshold }) => {
      const events = inPeriod.filter((counted) => counted.metricId === idOf(key));
      return events.reduce((sum, counted) => decimalSum(sum, counted.value), 0) >= threshold;
    });
    if (!(evaluationMode === 'OR' ? met.includes(true) : !met.includes(false))) continue;
    if (streak.length === 0) streak.firstDate = today;
    const deadline = endOfPeriod(zone, frequency, addPeriods(frequency, period, 1));
    Object.assign(streak, {
      length: streak.length + 1,
      lastPeriod: period,
      extendedAt: now,
      deadline,
      counted: [],
    });
    extended ||= frequency === config.streak.frequency;
    user.periods = [...user.periods, { frequency, period, length: streak.length, by: 'event' }];
  }
  if (extended) user.freezeDate ??= today;
  return extended;
}

/** Whether events of a metric may extend the streak of anybody. */
export function isCondition({ streak, metrics }: Config, metricId: string | null): boolean {
  const key = metrics.find(({ id }) => id === metricId)?.key;
  const { enabled, customizationEnabled } = streak;
  return (
    enabled && key !== undefined && (customizationEnabled || streak.metrics.some((one) => one.key === key))
  );
}

/** Scores and places have a comparison of their own. */
export type NotCompared =
  | 'version'
  | 'keepsHistory'
  | 'boards'
  | 'formerPlaces'
  | 'due'
  | 'freezeDay'
  | 'settledDay'
  | 'activeDay'
  | 'boosts'
  | 'recentPeriods'
  | 'marks'
  | 'recordedFrom';

/** A counter counts while something active uses it; a metric's own one always does. */
export function isInUse(config: Config, counter: Counter): boolean {
  const users = [
    ...config.achievements.filter((achievement) => achievement.trigger === 'metric'),
    ...config.pointsTriggers.filter((trigger) => trigger.type === 'metric'),
    ...config.leaderboards.filter((board) => board.rankBy === 'metric'),
  ];
  return (
    countedAs(counter) === countedAs(ALL_EVENTS) ||
    users.some(
      (one) =>
        (one.status === 'active' || one.status === 'scheduled') &&
        one.metricId === counter.metricId &&
        countedAs(one) === countedAs(counter),
    )
  );
}

/**
 * The user as the service shows one, without the leaderboards and without what is only there to find out
 * when.
 */
export function userStateOf(user: ModelUser, config: Config): Omit<UserState, NotCompared> {
  const zone = user.tz ?? config.settings.defaultTimeZone;
  const numbered = <T>(list: { id: string; no: number }[], values: Map<string, T>): Map<number, T> =>
    new Map([...values].map(([id, value]) => [list.find((entity) => entity.id === id)!.no, value]));
  const streakState = (frequency: Frequency): StreakState => {
    const { length, firstDate, lastPeriod, extendedAt, lostLength, lostFirstDate, deadline } =
      user.streaks[frequency];
    const slack =
      length && (deadline - endOfPeriod(zone, frequency, addPeriods(frequency, lastPeriod!, 1))) / 1000;
    return {
      slack,
      length,
      firstDay: ordinal('daily', firstDate),
      lastPeriod: ordinal(frequency, lastPeriod),
      extendedAt,
      lostLength,
      lostFirstDay: ordinal('daily', lostFirstDate),
    };
  };
  const counted = config.counters.filter(
    (counter) => isInUse(config, counter) && courseOf(user.events, counter.metricId, counter).length > 0,
  );
  return {
    sequence: user.sequence,
    created: user.created,
    updated: user.updated,
    tz: user.tz,
    name: user.name,
    email: user.email,
    subscribeToEmails: user.subscribeToEmails,
    signUpDate: user.signUpDate,
    control: user.control,
    deviceTokens: user.deviceTokens,
    attributes: numbered(config.attributes, new Map(Object.entries(user.attributes))),
    streaks: { daily: streakState('daily'), weekly: streakState('weekly'), monthly: streakState('monthly') },
    counters: new Map(
      counted.map((counter) => [counter.no, counterTotal(user.events, counter.metricId, counter)]),
    ),
    achievements: numbered(config.achievements, user.achievements),
    timesCompleted: new Map(
      [...numbered(config.achievements, user.repeats)].flatMap(([no, { times }]) =>
        times > 0 ? [[no, times] as const] : [],
      ),
    ),
    points: numbered(config.pointsSystems, user.points),
    leagues: new Map(
      config.leaderboards.flatMap((board) => {
        const membership = user.leagues.get(board.id);
        return membership ? [[board.no, leagueState(board, membership)] as const] : [];
      }),
    ),
    freezes: user.freezes,
    messagesFrom: 0,
    hasFormerKeys: user.hasFormerKeys,
    pauses: user.pauses.map(({ id, start, end }) => ({
      id,
      start: ordinal('daily', start),
      end: ordinal('daily', end),
    })),
    preferences: scriptPreferences(user, config),
    challenges: challengeStates(config, user.challengeRuns),
    challengeCompletions: numbered(config.challenges, new Map(user.challengeCompletions)),
    block: user.block,
  };
}

/** What the user has set, as scripts take it. */
export function scriptPreferences(
  { preferences, isVisible }: ModelUser,
  config: Config,
): ScriptPreferences | null {
  if (preferences === null && isVisible === null) return null;
  const { enabled, evaluationMode, metrics, daysOff } = preferences ?? {};
  const numberOf = (key: string): number => config.metrics.find((metric) => metric.key === key)!.no;
  return {
    ...(isVisible !== null && { isOnLeaderboards: isVisible }),
    ...(enabled !== undefined && { streakEnabled: enabled }),
    ...(evaluationMode && { streakMode: evaluationMode }),
    ...(daysOff && { streakDaysOff: daysOffMask(daysOff) }),
    ...(metrics && { streakMetrics: metrics.flatMap(({ key, threshold }) => [numberOf(key), threshold]) }),
  };
}

/** Without the events that are undone, and those that undo them. */
export function withoutUndone(events: readonly ModelEvent[]): ModelEvent[] {
  const undone = new Set(events.flatMap(({ undoes }) => undoes ?? []));
  return events.filter((event) => event.undoes === undefined && !undone.has(event));
}
