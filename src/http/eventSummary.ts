import { ServiceError } from '../base/errors.ts';
import { SUMMARY_DAYS_MAX } from '../base/limits.ts';
import { readDays, type Summed } from '../db/readUserHistory.ts';
import { dateOfDay, periodDays, periodOfDay } from '../rules/calendar.ts';
import type { Frequency } from '../rules/config.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import { findMetric, findSystem } from './find.ts';
import type { Query } from './query.ts';
import { readPathUser } from './users.ts';

const AGGREGATIONS: readonly string[] = ['daily', 'weekly', 'monthly'] satisfies Frequency[];

interface Range {
  /** Day ordinals, both inclusive. */
  start: number;
  end: number;
}

/** GET /users/{id}/metrics/{key}/event-summary?aggregation=&startDate=&endDate= */
export async function getMetricEventSummary(call: Call): Promise<Answer> {
  return summarize(call, 'metric', findMetric);
}

/** GET /users/{id}/points/{key}/event-summary?aggregation=&startDate=&endDate= */
export async function getPointsEventSummary(call: Call): Promise<Answer> {
  return summarize(call, 'points', findSystem);
}

async function summarize(call: Call, summed: Summed, find: typeof findMetric | typeof findSystem): Promise<Answer> {
  const { service, parameters, query } = call;
  const aggregation = readAggregation(query);
  const range = readRange(query);
  const [userId, key] = parameters as [string, string];
  const { rules } = await readPathUser(call);
  const { no } = find(rules, key);
  const user = { tenant: rules.tenant, userId };
  const days = await service.history.read(rules.tenant, (rows) => readDays(rows, user, summed, no, range));
  return ok(summaryItems(days, range, aggregation));
}

/**
 * An item for each day, week (Monday first) or month of the range, dated with its first day in the range (spec: Event summary
 * item). `total` is what has come together by its end, `change` what its days in the range added.
 */
function summaryItems(changes: { day: number; change: number }[], range: Range, aggregation: Frequency): object[] {
  const items = [];
  let total = 0;
  let at = 0;
  const add = (last: number): number => {
    const before = total;
    for (; at < changes.length && changes[at]!.day <= last; at++) total += changes[at]!.change;
    return total - before;
  };
  add(range.start - 1);
  for (let day = range.start; day <= range.end; ) {
    const last = Math.min(periodDays(aggregation, periodOfDay(aggregation, day)).end, range.end);
    const change = add(last);
    items.push({ date: dateOfDay(day), total: withoutNoise(total), change: withoutNoise(change) });
    day = last + 1;
  }
  return items;
}

/** A sum of decimals as a decimal: without the last binary digits, which depend on what was added first. */
function withoutNoise(sum: number): number {
  return Number(sum.toPrecision(15));
}

function readAggregation(query: Query): Frequency {
  const text = query.text('aggregation');
  if (text === null || !AGGREGATIONS.includes(text)) {
    throw new ServiceError('invalid', `aggregation must be one of ${AGGREGATIONS.join(', ')}`);
  }
  return text as Frequency;
}

/** The reference spells them one way, its documentation another. */
function readRange(query: Query): Range {
  const start = readDay(query, 'startDate', 'start_date');
  const end = readDay(query, 'endDate', 'end_date');
  if (end < start) throw new ServiceError('invalid', 'endDate must not be before startDate');
  if (end - start >= SUMMARY_DAYS_MAX) {
    throw new ServiceError('invalid', `endDate must be at most ${SUMMARY_DAYS_MAX} days from startDate, both included`);
  }
  return { start, end };
}

function readDay(query: Query, name: string, otherName: string): number {
  const day = query.day(name);
  const otherDay = query.day(otherName);
  if (day !== null && otherDay !== null)
    throw new ServiceError('invalid', `${name} must be given once, not also ${otherName}`);
  const given = day ?? otherDay;
  if (given === null) throw new ServiceError('invalid', `${name} is required, as YYYY-MM-DD`);
  return given;
}
