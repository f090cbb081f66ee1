import { isCounted } from '../../db/conditions/countingSql.ts';
import type { Rows } from '../../db/rows.ts';
import { type CountedPast, readCountedPast } from '../../db/users/readCounted.ts';
import { readLaterEvents, readStreakRecords } from '../../db/users/readLateFacts.ts';
import { readDays } from '../../db/users/readUserHistory.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import {
  computeLocalTime,
  FREQUENCIES,
  type LocalTime,
  periodDays,
  periodOf,
  runOf,
  startOfLocalDay,
} from '../../rules/calendar.ts';
import type { DaySum, StreakConditions } from '../../rules/completedPeriods.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { daysTogether, isForgotten } from '../../rules/counterMarks.ts';
import { daysOffOf, isDayOff } from '../../rules/daysOff.ts';
import type { RecordedPeriod } from '../../rules/followStreak.ts';
import { isWithinHours } from '../../rules/inForce/lateCalendar.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import { eventsOf } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import {
  type PresentStreaks,
  type Repair,
  repairStreaks,
  type StreakRules,
} from '../../rules/lateStreaks.ts';
import { wasPausedAt } from '../../rules/pauses.ts';
import { dayOfRuns, rangeOfRun } from '../../rules/runZones.ts';
import type { History } from '../availability/historyReads.ts';
import { STORE_FAULT, unavailable } from '../availability/storeFaults.ts';
import { findUndone, type UndoFindings, type Undoing } from './undoing.ts';

/** Reads of the history that wait for the relay. */
export type LateReads = Pick<History, 'readUser'>;

/** Of processes that record no late events. */
export const NO_LATE_READS: LateReads = {
  readUser: () => Promise.reject(unavailable(STORE_FAULT.postgresAway)),
};

/** What the history says of one event. */
interface FoundOfEvent {
  repair: Repair | null;
  /** Numbers of leaderboards of the latest value on which a later event counts. */
  outdated: number[];
  /** What counters have in periods that the user's state has forgotten. */
  marks: CountedPast[];
}

export const NOTHING_FOUND: FoundOfEvent = { repair: null, outdated: [], marks: [] };

/** What the history says of a late event of a user with this sequence number. */
export interface LateFindings {
  sequence: number;
  /** Of each of its events (eventsOf), after those before it. */
  ofEvents: FoundOfEvent[];
  /** Of an event that undoes another one. */
  undone: UndoFindings | null;
}

/** The state of a new user. */
const NEW_STREAK = {
  length: 0,
  firstDay: 0,
  lastPeriod: 0,
  extendedAt: 0,
  lostLength: 0,
  lostFirstDay: 0,
};

interface LateEvent {
  rules: Rules;
  event: PreparedEvent;
  /** null for a new user. */
  user: UserState | null;
  at: number;
  past: LocalTime;
  now: LocalTime;
}

/**
 * Finds out from the history what an event of the past changes.
 * @throws ServiceError `unavailable` if the relay has not written all changes of the user in time
 */
export function findLateChanges(
  reads: LateReads,
  known: {
    rules: Rules;
    event: PreparedEvent;
    user: UserState | null;
    zone: string;
    at: number;
    now: number;
    undoes: Undoing | null;
  },
): Promise<LateFindings> {
  const { rules, event, user, zone, at, now, undoes } = known;
  const times = { past: computeLocalTime(zone, at), now: computeLocalTime(zone, now) };
  const late: LateEvent = { rules, event, user, at, ...times };
  return reads.readUser(keyOf(late), async (rows) => ({
    sequence: user?.sequence ?? 0,
    ofEvents: await findOfEvents(rows, late, undoes !== null),
    undone:
      undoes === null || user === null
        ? null
        : await findUndone(rows, { rules, key: keyOf(late), user, zone, now }, undoes),
  }));
}

const keyOf = ({ rules, event }: LateEvent): UserKey => ({ tenant: rules.tenant, userId: event.userId });

async function findOfEvents(rows: Rows, late: LateEvent, isUndo: boolean): Promise<FoundOfEvent[]> {
  const found: FoundOfEvent[] = [];
  const before: Before = { present: presentOf(late.rules, late.user), periods: [], sums: [] };
  for (const event of eventsOf(late.event)) {
    const one = { ...late, event };
    const repair = await findRepair(rows, one, before);
    found.push({
      repair,
      outdated: isUndo ? [] : await findOutdated(rows, one),
      marks: isUndo ? [] : await readForgotten(rows, one),
    });
    before.sums.push({ metric: event.metric.no, day: late.past.day, sum: event.value });
    if (repair !== null) follow(before, repair);
  }
  return found;
}

/** What the earlier events of the same event have changed. */
interface Before {
  present: PresentStreaks;
  /** Periods that they have extended or kept. */
  periods: RecordedPeriod[];
  sums: DaySum[];
}

function follow(before: Before, { streaks, freezes, freezeDay, addedPeriods }: Repair): void {
  const repaired = FREQUENCIES.map((each) => [each, streaks[each] ?? before.present.streaks[each]]);
  const all = Object.fromEntries(repaired) as PresentStreaks['streaks'];
  before.present = { ...before.present, streaks: all, freezes, freezeDay };
  before.periods.push(...addedPeriods);
}

async function findRepair(rows: Rows, late: LateEvent, before: Before): Promise<Repair | null> {
  const { rules, event, user, at, past, now } = late;
  const { frequency } = rules.config.streak;
  const conditions = conditionsOf(rules, user);
  const isOver = FREQUENCIES.filter((each) => periodOf(past, each) !== periodOf(now, each));
  if (isOver.length === 0 || !conditions.thresholds.has(event.metric.no)) return null;
  const from = periodOf(past, frequency);
  const { start, end } = periodDays(frequency, from);
  const records = await readStreakRecords(
    rows,
    keyOf(late),
    frequency,
    from,
    startOfLocalDay(past.zone, start),
  );
  // The periods of other frequencies are found from all days.
  const range = isOver.every((each) => each === frequency)
    ? { from: start, to: end }
    : { from: 0, to: now.day };
  const days = await readDays(rows, keyOf(late), 'metric', [...conditions.thresholds.keys()], range);
  const sums = days
    .filter(({ day }) => day >= range.from)
    .map(({ no, day, change }) => ({ metric: no, day, sum: change }))
    .concat(before.sums);
  const lateEvent = { metric: event.metric.no, value: event.value, at, past, now };
  return repairStreaks(
    before.present,
    { ...records, periods: [...records.periods, ...before.periods] },
    sums,
    conditions,
    streakRules(rules, user),
    lateEvent,
  );
}

/** Conditions of a streak period by number of the metric. A user's own replace those of the tenant. */
export function conditionsOf({ config, metricByKey }: Rules, user: UserState | null): StreakConditions {
  const { evaluationMode, metrics, customizationEnabled } = config.streak;
  const { streakEnabled, streakMode, streakMetrics } = user?.preferences ?? {};
  if (streakEnabled === false) return { any: false, thresholds: new Map() };
  const own = new Map<number, number>();
  for (let i = 0; customizationEnabled && streakMetrics && i < streakMetrics.length; i += 2)
    if (config.metrics.some(({ no }) => no === streakMetrics[i]))
      own.set(streakMetrics[i]!, streakMetrics[i + 1]!);
  const mode = customizationEnabled ? (streakMode ?? evaluationMode) : evaluationMode;
  const common = metrics.map(({ key, threshold }) => [metricByKey.get(key)!.no, threshold] as const);
  return { any: mode === 'OR', thresholds: own.size > 0 ? own : new Map(common) };
}

function presentOf(rules: Rules, user: UserState | null): PresentStreaks {
  if (user !== null) return user;
  const { freezes } = rules.scriptTime;
  return {
    streaks: { daily: NEW_STREAK, weekly: NEW_STREAK, monthly: NEW_STREAK },
    freezes: Math.min(freezes.initial, freezes.max),
    freezeDay: 0,
    pauses: [],
  };
}

/** What missed periods need of a user. */
export function streakRules({ config, scriptTime }: Rules, user: UserState | null): StreakRules {
  const { every, amount, max } = scriptTime.freezes;
  const mask = daysOffOf(config.streak, user?.preferences ?? null);
  return {
    frequency: config.streak.frequency,
    isDayOff: (day) => isDayOff(mask, day),
    earning: every === false ? null : { every, amount, max },
  };
}

async function readForgotten(rows: Rows, late: LateEvent): Promise<CountedPast[]> {
  const { rules, event, user, past } = late;
  const { day } = past;
  const counted = rules.config.counters
    .filter((counter) => counter.metricId === event.metric.id)
    .filter((counter) => isForgotten(counter, user?.marks.get(counter.no) ?? [], day))
    .map((counter) => ({ counter, days: daysTogether(counter, day) }));
  const ofEvent = { metric: event.metric.no, day, attributes: attributesOf(event) };
  return readCountedPast(rows, rules, keyOf(late), ofEvent, counted);
}

function attributesOf({ attributes }: PreparedEvent): Map<number, string> {
  const pairs = new Map<number, string>();
  for (let i = 0; attributes && i < attributes.length; i += 2)
    pairs.set(attributes[i] as number, String(attributes[i + 1]));
  return pairs;
}

async function findOutdated(rows: Rows, late: LateEvent): Promise<number[]> {
  const { rules, event } = late;
  const ranked = rules.config.leaderboards.filter(
    ({ aggregation, metricId }) => aggregation === 'latest' && metricId === event.metric.id,
  );
  const outdated: number[] = [];
  for (const board of ranked) if (await isOutdated(rows, late, board)) outdated.push(board.no);
  return outdated;
}

/** Whether a later event of the user counts in the run of the event. */
async function isOutdated(rows: Rows, late: LateEvent, board: Leaderboard): Promise<boolean> {
  const { rules, event, past, at } = late;
  const { defaultTimeZone } = rules.config.settings;
  const run = runOf(board, dayOfRuns(board, defaultTimeZone, past, at));
  if (run === null) return false;
  const wanted = { metric: event.metric.no, counted: isCounted(rules, board) };
  const later = await readLaterEvents(rows, keyOf(late), wanted, rangeOfRun(board, defaultTimeZone, run), at);
  return later.some((instant) => isWithinHours(board, past, instant) && !wasPausedAt(board, instant));
}
