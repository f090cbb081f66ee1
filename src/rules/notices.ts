import { DateTime } from 'luxon';
import {
  DAY_MS,
  dateOfDay,
  HOUR_MS,
  localTime,
  periodDays,
  periodOfDay,
  startOfLocalDay,
} from './calendar.ts';
import type { Config, Frequency, RecapFrequency } from './config.ts';

/**
 * When users are to be notified: pure functions of a time zone and a local day. Instants are seconds since
 * 1970, days are ordinals since 1970. A local hour that the clock skips is the instant at which it skips it;
 * of one that comes twice, the first counts.
 */

/** Local hours. */
const EVENING_HOUR = 17;
const EVENING_END_HOUR = 21;
const RECAP_HOUR = 9;
const REACTIVATION_HOUR = 10;
const REMINDER_HOUR = 9;
/** From this hour on nothing is sent: a notice this late in its day is useless. */
const NIGHT_HOUR = 22;
/** Time before the end of the day that would end a daily streak. */
const DAILY_REMINDER_SECONDS = 4 * 3600;
/** Day of the month on which the reminder for a monthly streak is sent. */
const REMINDER_DAY_OF_MONTH = 25;
/** Days without an event after which a user gets a reactivation notice, one for each. */
export const REACTIVATION_DAYS = [3, 5, 7, 14, 30] as const;
/** Mornings ahead that a calendar contains; a user who is due later is checked again by then. */
const MORNINGS_AHEAD = 7;

/** What is wanted of a tenant's users. */
export interface NoticeRules {
  achievements: boolean;
  reminder: boolean;
  recaps: RecapFrequency[];
  reactivation: boolean;
}

/** In the order in which the scripts number them, from 1. */
export const RECAP_FREQUENCIES: readonly RecapFrequency[] = ['daily', 'weekly', 'monthly', 'yearly'];

/** By the active templates and webhooks; null when nothing is wanted, which is what a tenant begins with. */
export function compileNoticeRules({
  notificationTemplates,
  webhooks,
  streak,
  settings,
}: Config): NoticeRules | null {
  const templates = notificationTemplates.filter(({ status }) => status === 'active');
  const events = new Set(
    webhooks.filter(({ status }) => status === 'active').flatMap((webhook) => webhook.events),
  );
  const has = (type: string): boolean => templates.some((template) => template.type === type);
  const { aggregationPeriod } = settings;
  const recaps = new Set<RecapFrequency>(
    templates.filter(({ type }) => type === 'recap').map(({ frequency }) => frequency ?? aggregationPeriod),
  );
  if (events.has('emails.recap_due') && recaps.size === 0) recaps.add(aggregationPeriod);
  const rules: NoticeRules = {
    achievements: has('achievement_completed') || events.has('emails.achievement_due'),
    reminder: streak.enabled && (has('streak_reminder') || events.has('emails.streak_reminder_due')),
    recaps: RECAP_FREQUENCIES.filter((frequency) => recaps.has(frequency)),
    reactivation: has('reactivation') || events.has('emails.reactivation_due'),
  };
  const { achievements, reminder, reactivation } = rules;
  return achievements || reminder || reactivation || rules.recaps.length > 0 ? rules : null;
}

/** The instants around a local day, as the scripts take them; a list is empty when its type is not wanted. */
export interface NoticeTimes {
  /** 17:00 and 21:00 of the day, 17:00 of the next one. */
  evening: number[];
  /** Of a streak that is lost with the current period, and with the next one. */
  reminder: number[];
  /**
   * For each wanted frequency: its number, first day of the period before and when its recap is due, the same
   * of the current one.
   */
  recaps: number[][];
  /** 10:00 of the day and of those that follow. */
  mornings: number[];
  /** Days without an event after which the users are written to. */
  absences: number[];
}

/** What a calendar of a zone knows on a local day. */
export function noticeTimes(
  rules: NoticeRules,
  frequency: Frequency,
  zone: string,
  day: number,
): NoticeTimes {
  const period = periodOfDay(frequency, day);
  return {
    evening: rules.achievements
      ? [
          atHour(zone, day, EVENING_HOUR),
          atHour(zone, day, EVENING_END_HOUR),
          atHour(zone, day + 1, EVENING_HOUR),
        ]
      : [],
    reminder: rules.reminder ? [period, period + 1].map((ending) => reminderAt(frequency, zone, ending)) : [],
    recaps: rules.recaps.map((of) => {
      const current = recapPeriod(of, day);
      const before = recapPeriod(of, current.start - 1);
      const due = ({ start, end }: Period): number[] => [start, atHour(zone, end + 1, RECAP_HOUR)];
      return [RECAP_FREQUENCIES.indexOf(of) + 1, ...due(before), ...due(current)];
    }),
    mornings: rules.reactivation
      ? Array.from({ length: MORNINGS_AHEAD + 1 }, (_, ahead) => atHour(zone, day + ahead, REACTIVATION_HOUR))
      : [],
    absences: rules.reactivation ? [...REACTIVATION_DAYS] : [],
  };
}

/** The instant at which a local clock shows an hour of a day. */
export function atHour(zone: string, day: number, hour: number): number {
  const local = DateTime.fromMillis(day * DAY_MS + hour * HOUR_MS, { zone: 'utc' });
  return local.setZone(zone, { keepLocalTime: true }).toSeconds();
}

/** When a user is reminded of a streak that would be lost at the end of a period. */
export function reminderAt(frequency: Frequency, zone: string, period: number): number {
  const { start, end } = periodDays(frequency, period);
  if (frequency === 'daily') return startOfLocalDay(zone, end + 1) / 1000 - DAILY_REMINDER_SECONDS;
  // A week begins on Monday: its Friday is the fifth day.
  return atHour(zone, frequency === 'weekly' ? start + 4 : start + REMINDER_DAY_OF_MONTH - 1, REMINDER_HOUR);
}

/**
 * When users are reminded of a run that ends with a day: so many hours before, but never at night, ms.
 */
export function endingAt(zone: string, lastDay: number, hours: number): number {
  const at = startOfLocalDay(zone, lastDay + 1) - hours * HOUR_MS;
  const { day } = localTime(zone, at);
  const [from, to] = [REMINDER_HOUR, EVENING_END_HOUR].map((hour) => atHour(zone, day, hour) * 1000);
  return Math.min(Math.max(at, from!), to!);
}

/** The first instant from `at` (ms) on between 09:00 and 21:00 of a zone, ms. */
export function daytimeFrom(zone: string, at: number): number {
  const { day } = localTime(zone, at);
  const [from, to] = [REMINDER_HOUR, EVENING_END_HOUR].map((hour) => atHour(zone, day, hour) * 1000);
  return at < to! ? Math.max(at, from!) : atHour(zone, day + 1, REMINDER_HOUR) * 1000;
}

/** First and last day. */
export interface Period {
  start: number;
  end: number;
}

/** The period of a recap that holds a day. */
export function recapPeriod(frequency: RecapFrequency, day: number): Period {
  if (frequency !== 'yearly') return periodDays(frequency, periodOfDay(frequency, day));
  const year = new Date(day * DAY_MS).getUTCFullYear();
  return { start: Date.UTC(year, 0, 1) / DAY_MS, end: Date.UTC(year + 1, 0, 1) / DAY_MS - 1 };
}

/** Until when what was due at an instant (ms) may be sent, ms: until the night of its day, never in it. */
export function usefulUntil(zone: string, dueAt: number): number {
  return atHour(zone, localTime(zone, dueAt).day, NIGHT_HOUR) * 1000;
}

const dayInWords = (day: number, format: string): string =>
  DateTime.fromISO(dateOfDay(day), { zone: 'utc', locale: 'en' }).toFormat(format);

/** `16 to 22 November 2026`, `November 2026`, `2026`. */
export function periodInWords(frequency: RecapFrequency, { start, end }: Period): string {
  if (frequency === 'daily') return dayInWords(start, 'cccc, d LLLL yyyy');
  if (frequency === 'monthly') return dayInWords(start, 'LLLL yyyy');
  if (frequency === 'yearly') return dayInWords(start, 'yyyy');
  const [year, month] = ['yyyy', 'LLLL yyyy'].map(
    (format) => dayInWords(start, format) === dayInWords(end, format),
  );
  const first = dayInWords(start, month ? 'd' : year ? 'd LLLL' : 'd LLLL yyyy');
  return `${first} to ${dayInWords(end, 'd LLLL yyyy')}`;
}
