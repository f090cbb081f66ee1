import type { Static } from 'typebox';
import { ServiceError } from '../../base/errors.ts';
import { DATE_RANGE_DAYS_MAX } from '../../base/limits.ts';
import { decimalSum } from '../../base/numbers.ts';
import type { GetMetricEventSummary } from '../../contract/metric.ts';
import type { GetPointsEventSummary } from '../../contract/points.ts';
import type { EventSummary, EventSummaryQuery } from '../../contract/summary.ts';
import { readDays, type Summed } from '../../db/users/readUserHistory.ts';
import type { DaySpan } from '../../rules/activity.ts';
import { dateOfDay, dayOfDate, periodDays, periodOfDay } from '../../rules/calendar.ts';
import type { Frequency } from '../../rules/config.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findMetric, findSystem } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';

/** GET /users/{id}/metrics/{key}/event-summary?aggregation=&startDate=&endDate= */
export async function getMetricEventSummary(
  call: OperationRequest<typeof GetMetricEventSummary>,
): Promise<OperationResponse<typeof GetMetricEventSummary>> {
  return summarize(call, 'metric', findMetric);
}

/** GET /users/{id}/points/{key}/event-summary?aggregation=&startDate=&endDate= */
export async function getPointsEventSummary(
  call: OperationRequest<typeof GetPointsEventSummary>,
): Promise<OperationResponse<typeof GetPointsEventSummary>> {
  return summarize(call, 'points', findSystem);
}

async function summarize(
  call: OperationRequest<typeof GetMetricEventSummary>,
  summed: Summed,
  find: typeof findMetric | typeof findSystem,
): Promise<{ status: 200; body: EventSummary }> {
  const { service, path, query } = call;
  const range = readRange(query);
  const { rules } = await readPathUser(call);
  const { no } = find(rules, path.key);
  const user = { tenant: rules.tenant, userId: path.id };
  const days = await service.history.read(rules.tenant, (rows) => readDays(rows, user, summed, [no], range));
  return ok(summaryItems(days, range, query.aggregation));
}

/**
 * One item for each day, week (Monday first) or month of the range, dated with its first day in the range.
 * `total` is the total at its end, `change` the sum of its days in the range.
 */
function summaryItems(
  changes: { day: number; change: number }[],
  range: DaySpan,
  aggregation: Frequency,
): EventSummary {
  const items: EventSummary = [];
  let total = 0;
  let at = 0;
  const add = (last: number): number => {
    let sum = 0;
    for (; at < changes.length && changes[at]!.day <= last; at++) sum = decimalSum(sum, changes[at]!.change);
    total = decimalSum(total, sum);
    return sum;
  };
  add(range.from - 1);
  for (let day = range.from; day <= range.to; ) {
    const last = Math.min(periodDays(aggregation, periodOfDay(aggregation, day)).end, range.to);
    const change = add(last);
    items.push({ date: dateOfDay(day), total, change });
    day = last + 1;
  }
  return items;
}

/** @throws ServiceError `invalid` if the range is reversed or too long */
function readRange({ startDate, endDate }: Static<typeof EventSummaryQuery>): DaySpan {
  const from = dayOfDate(startDate);
  const to = dayOfDate(endDate);
  if (to < from) throw new ServiceError('invalid', 'endDate must not be before startDate');
  if (to - from >= DATE_RANGE_DAYS_MAX) {
    throw new ServiceError(
      'invalid',
      `endDate must be less than ${DATE_RANGE_DAYS_MAX} days after startDate`,
    );
  }
  return { from, to };
}
