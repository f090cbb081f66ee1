import type { Static } from 'typebox';
import { DATE_RANGE_DAYS_MAX, KEPT_DAYS } from '../../base/limits.ts';
import { decimalSum } from '../../base/numbers.ts';
import { WrittenJson, writeList } from '../../base/writtenJson.ts';
import {
  GetMetricEventSummary,
  GetUserMetric,
  ListUserMetrics,
  type MetricResponse,
} from '../../contract/metric.ts';
import { GetPointsEventSummary } from '../../contract/points.ts';
import type { EventSummary, EventSummaryQuery } from '../../contract/summary.ts';
import { type DayRow, readDays, type Summed } from '../../db/users/readUserHistory.ts';
import { metricDaysPart } from '../../engine/keptHistory/keptParts.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { DaySpan } from '../../rules/activity.ts';
import { dateOfDay, dayOfDate, lastDayAnywhere, periodDays, periodOfDay } from '../../rules/calendar.ts';
import type { Frequency, Metric } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { getFragments } from '../../views/fragments.ts';
import { isShownTo, userAchievementJson } from '../../views/userAchievements.ts';
import { endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { findMetric, findSystem } from '../request/find.ts';
import { invalid } from '../request/refuse.ts';
import { readPathUser } from '../users/userHandlers.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

export const listUserMetrics = endpoint(ListUserMetrics, async (call) => {
  return ok(userMetrics(await beginReading(call)));
});

/** The metrics of a user. */
export const userMetrics = ({ rules, user, now }: UserReading): WrittenJson<MetricResponse[]> =>
  writeList(rules.config.metrics.map((metric) => metricJson(rules, metric, user, now)));

export const getUserMetric = endpoint(GetUserMetric, async (call) => {
  const { user, rules } = await readPathUser(call);
  const metric = findMetric(rules, call.path.key);
  return ok(new WrittenJson<MetricResponse>(metricJson(rules, metric, user, call.service.clock.now())));
});

/** JSON of `MetricResponse`: the user's total, and the achievements of the metric. */
function metricJson(rules: Rules, metric: Metric, user: UserState, now: number): string {
  const total = user.counters.get(rules.counterOf(metric.id).no) ?? 0;
  let achievements = '';
  for (const achievement of rules.config.achievements) {
    if (achievement.metricId !== metric.id || !isShownTo(achievement, user)) continue;
    achievements += `${achievements === '' ? '' : ','}${userAchievementJson(rules, achievement, user, now)}}`;
  }
  return `${getFragments(rules).metric(metric.no)},"current":${total},"achievements":[${achievements}]}`;
}

export const getMetricEventSummary = endpoint(GetMetricEventSummary, async (call) => {
  return summarize(call, 'metric', findMetric);
});

export const getPointsEventSummary = endpoint(GetPointsEventSummary, async (call) => {
  return summarize(call, 'points', findSystem);
});

async function summarize(
  call: OperationRequest<typeof GetMetricEventSummary>,
  summed: Summed,
  find: typeof findMetric | typeof findSystem,
): Promise<{ status: 200; body: EventSummary }> {
  const { service, path, query } = call;
  const range = readRange(query);
  const first = lastDayAnywhere(service.clock.now()) - KEPT_DAYS;
  const isRecent = summed === 'metric' && range.from >= first;
  const reading = await beginReading(call, isRecent);
  const { no } = find(reading.rules, path.key);
  const recent = isRecent ? await (await reading.latest()).part(metricDaysPart(no, first)) : null;
  const days =
    recent !== null && recent.from <= range.from
      ? recent.days
      : await readAllDays(reading, summed, no, range);
  return ok(summaryItems(days, range, query.aggregation));
}

function readAllDays(
  { service: { history }, rules, userId }: UserReading,
  summed: Summed,
  no: number,
  range: DaySpan,
): Promise<DayRow[]> {
  const user = { tenant: rules.tenant, userId };
  return history.readUser(user, (rows) => readDays(rows, user, summed, [no], range));
}

/**
 * One item for each day, week (Monday first) or month of the range, dated with its first day in the range.
 * `total` is the total at its end, `change` the sum of its days in the range.
 */
function summaryItems(
  changes: readonly Pick<DayRow, 'day' | 'change'>[],
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
  if (to < from) throw invalid('endDate must not be before startDate');
  if (to - from >= DATE_RANGE_DAYS_MAX) {
    throw invalid(`endDate must be less than ${DATE_RANGE_DAYS_MAX} days after startDate`);
  }
  return { from, to };
}
