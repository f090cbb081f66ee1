import type { GuardName } from '../../src/contract/guards.ts';
import type { Metric } from '../../src/rules/config.ts';
import { endOfPeriod, type LocalDate, localDate } from './modelCalendar.ts';
import { decimalSum, type ModelEvent } from './modelUser.ts';

const HOUR_MS = 3_600_000;

export type GuardDecision =
  | { value: number; by: GuardName | null; date: LocalDate }
  | { guard: GuardName; allowedAt: number | null };

/** What guards look at of an event. */
export type GuardedEvent = Pick<ModelEvent, 'metricId' | 'value' | 'at' | 'date' | 'isApproved'>;

/** The day for which an event counts after others of its metric: no day before theirs. */
function guardDate(own: readonly GuardedEvent[], today: LocalDate): LocalDate {
  const last = own.at(-1);
  return last !== undefined && last.date > today ? last.date : today;
}

/** What the guards of a metric make of an event, by the list of events that counted. */
export function guardDecision(
  { id, guards }: Metric,
  events: readonly GuardedEvent[],
  sent: number,
  zone: string,
  now: number,
): GuardDecision {
  const own = events.filter((event) => event.metricId === id && !event.isApproved);
  const date = guardDate(own, localDate(zone, now));
  if (guards === null) return { value: sent, by: null, date };
  const { minValue = Number.NEGATIVE_INFINITY, maxValue, cooldownSeconds, limits = [], action } = guards;
  const clamps = action === 'clamp';
  let [value, by]: [number, GuardName | null] = [sent, null];

  if (value < minValue) return { guard: 'minValue', allowedAt: null };
  if (maxValue !== undefined && value > maxValue) {
    if (!clamps || maxValue === 0) return { guard: 'maxValue', allowedAt: null };
    [value, by] = [maxValue, 'maxValue'];
  }
  const last = own.at(-1);
  if (cooldownSeconds !== undefined && last !== undefined && now < last.at + cooldownSeconds * 1000)
    return { guard: 'cooldownSeconds', allowedAt: last.at + cooldownSeconds * 1000 };

  const order = [
    limits.find((limit) => limit.per === 'day' && limit.events !== undefined),
    limits.find((limit) => limit.per === 'hour' && limit.events !== undefined),
    limits.find((limit) => limit.per === 'day' && limit.value !== undefined),
    limits.find((limit) => limit.per === 'hour' && limit.value !== undefined),
  ];
  for (const limit of order) {
    if (limit === undefined) continue;
    const hour = Math.floor(now / HOUR_MS);
    const isDay = limit.per === 'day';
    const counted = own.filter((event) =>
      isDay ? +event.date === +date : Math.floor(event.at / HOUR_MS) === hour,
    );
    const allowedAt = isDay ? endOfPeriod(zone, 'daily', date) : (hour + 1) * HOUR_MS;
    if (limit.events !== undefined) {
      if (counted.length >= limit.events) return { guard: 'limits', allowedAt };
      continue;
    }
    const used = counted.reduce((sum, event) => decimalSum(sum, event.value), 0);
    if (value <= 0 || decimalSum(used, value) <= limit.value!) continue;
    const left = decimalSum(limit.value!, -used);
    if (!clamps || left <= 0) return { guard: 'limits', allowedAt };
    [value, by] = [left, 'limits'];
  }
  return value < minValue ? { guard: 'limits', allowedAt: null } : { value, by, date };
}
