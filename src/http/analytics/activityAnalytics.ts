import {
  DeleteAnalytics,
  GetActivity,
  GetMetricAnalytics,
  GetNotificationAnalytics,
} from '../../contract/analytics.ts';
import { ListAnomalies } from '../../contract/anomalies.ts';
import { readAnomalies } from '../../db/analytics/anomalyRows.ts';
import type { CountKind } from '../../db/analytics/dailyCounts.ts';
import { deleteCounts } from '../../db/analytics/deleteCounts.ts';
import { type PeriodCount, readCounts, readRunningCount } from '../../db/analytics/readAnalytics.ts';
import { tenantTransaction } from '../../db/configuration/tenantTransaction.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import { namedView } from '../history/timelineView.ts';
import { audit, contextOf } from '../request/adminContext.ts';
import { endpoint, type OperationResponse, ok } from '../request/endpoint.ts';
import { findMetric } from '../request/find.ts';
import { invalid } from '../request/refuse.ts';
import {
  type AnalyticsRange,
  periodStarting,
  periodView,
  rangeView,
  rateOf,
  readRange,
  rounded,
} from './range.ts';

const UNITS = { day: 'Day', week: 'Week', month: 'Month' } as const;

export function countsOf(found: PeriodCount[]): (kind: CountKind, start: number) => number {
  const counts = new Map<string, number>();
  for (const { kind, start, count } of found) {
    const key = `${kind} ${start}`;
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return (kind, start) => counts.get(`${kind} ${start}`) ?? 0;
}

export const deleteAnalytics = endpoint(DeleteAnalytics, async (call) => {
  const { service, rules } = call;
  await tenantTransaction(service.pool, rules.tenant, async (client) => {
    if (!(await deleteCounts(client, rules.tenant)))
      throw invalid('There are users. The counts of days can only be deleted without any');
    await audit(client, contextOf(call), { action: 'delete', kind: 'analytics' });
  });
  return ok({ deleted: true as const });
});

export const getActivity = endpoint(GetActivity, async (call) => {
  const { service, rules, query } = call;
  const range = readRange(call, query);
  const active = `activeUsers${UNITS[range.interval]}` as const;
  const { tenant } = rules;
  const counts: CountKind[] = [
    ...new Set<CountKind>([active, 'activeUsersDay', 'newUsers', 'firstActiveUsers']),
  ];
  const [found, last7, last30] = await service.history.read(rules.tenant, (rows) =>
    Promise.all([
      readCounts(rows, tenant, counts, range, 'period'),
      readRunningCount(rows, tenant, 'activeUsersLast7', range),
      readRunningCount(rows, tenant, 'activeUsersLast30', range),
    ]),
  );
  const count = countsOf(found);
  const periods = range.periods.map(({ start, end }) => {
    const lastDay = Math.max(start, Math.min(end, range.today));
    const activeUsers = count(active, start);
    const daily = count('activeUsersDay', start) / (lastDay - start + 1);
    const monthly = last30.get(lastDay)!;
    return {
      ...periodView({ start, end }),
      activeUsers,
      newUsers: count('newUsers', start),
      returningUsers: activeUsers - count('firstActiveUsers', start),
      dailyActiveUsers: rounded(daily, 2),
      weeklyActiveUsers: last7.get(lastDay)!,
      monthlyActiveUsers: monthly,
      stickiness: rateOf(daily, monthly),
    };
  });
  return ok({ ...rangeView(range), periods });
});

export const getMetricAnalytics = endpoint(GetMetricAnalytics, async (call) => {
  const { service, rules, query } = call;
  const range = readRange(call, query);
  const no = query.metric === undefined ? null : findMetric(rules, query.metric).no;
  const users = `metricUsers${UNITS[range.interval]}` as const;
  const found = await service.history.read(rules.tenant, (rows) =>
    readCounts(rows, rules.tenant, [users, 'metricEvents'], range, 'period', no),
  );
  const usersOf = new Map(
    found.filter(({ kind }) => kind === users).map((row) => [`${row.no} ${row.start}`, row.count]),
  );
  const periods = found
    .filter(({ kind }) => kind === 'metricEvents')
    .map((row) => {
      const { key, name } = namedView(rules, 'metrics', row.no);
      return {
        metric: key,
        metricName: name,
        ...periodStarting(range, row.start),
        users: usersOf.get(`${row.no} ${row.start}`) ?? 0,
        events: row.count,
        sum: row.sum,
      };
    });
  return ok({ ...rangeView(range), periods });
});

type NotificationStatus = 'pending' | 'sent' | 'suppressed' | 'failed';
type NotificationPeriod = OperationResponse<typeof GetNotificationAnalytics>['body']['periods'][number];

export const getNotificationAnalytics = endpoint(GetNotificationAnalytics, async (call) => {
  const { service, rules, query } = call;
  const range = readRange(call, query);
  const found = await readCounts(service.history.final, rules.tenant, ['notifications'], range, 'both');
  return ok({ ...rangeView(range), periods: notificationPeriods(range, found) });
});

function notificationPeriods(range: AnalyticsRange, found: PeriodCount[]): NotificationPeriod[] {
  const periods = new Map<string, NotificationPeriod>();
  for (const { start, detail, count } of found) {
    const [type, channel, status] = detail.split(' ') as [string, string, NotificationStatus];
    const key = `${start} ${type} ${channel}`;
    let period = periods.get(key);
    if (period === undefined) {
      period = {
        ...periodStarting(range, start),
        type,
        channel,
        pending: 0,
        sent: 0,
        suppressed: 0,
        failed: 0,
      };
      periods.set(key, period);
    }
    period[status] += count;
  }
  return [...periods.values()];
}

export const listAnomalies = endpoint(ListAnomalies, async (call) => {
  const { service, rules, query } = call;
  const { metric, ...page } = query;
  const range = readRange(call, { ...query, interval: 'day' });
  const no = metric === undefined ? null : findMetric(rules, metric).no;
  const found = await readAnomalies(service.history.final, rules.tenant, range, no, page);
  const anomalies = found.flatMap(({ day, metric: of, userId, value, bound, median }) => {
    const known = rules.findByNo('metrics', of);
    return known === null ? [] : [{ date: dateOfDay(day), metric: known.key, userId, value, bound, median }];
  });
  return ok({ anomalies });
});
