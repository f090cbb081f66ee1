import { readDays, type Summed } from '../db/readUserHistory.ts';
import { dateOfDay, periodDays, periodOfDay } from '../rules/calendar.ts';
import { FREQUENCIES, type Frequency } from '../rules/config.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import { findMetric, findSystem } from './find.ts';
import type { DateRange } from './query.ts';
import { readPathUser } from './users.ts';

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
  const aggregation = query.choice('aggregation', FREQUENCIES);
  const range = query.dateRange();
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
function summaryItems(changes: { day: number; change: number }[], range: DateRange, aggregation: Frequency): object[] {
  const items = [];
  let total = 0;
  let at = 0;
  const add = (last: number): number => {
    const before = total;
    for (; at < changes.length && changes[at]!.day <= last; at++) total += changes[at]!.change;
    return total - before;
  };
  add(range.from - 1);
  for (let day = range.from; day <= range.to; ) {
    const last = Math.min(periodDays(aggregation, periodOfDay(aggregation, day)).end, range.to);
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
