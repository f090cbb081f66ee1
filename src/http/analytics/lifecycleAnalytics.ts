import { STREAKS_AT_RISK_MAX } from '../../base/consoleLimits.ts';
import { GetLifecycle, GetStreaksAtRisk } from '../../contract/lifecycle.ts';
import { readCounts, readStreaksAtRisk } from '../../db/analytics/readAnalytics.ts';
import { dateOfDay, localTime, periodDays, periodOfDay } from '../../rules/calendar.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { countsOf } from './activityAnalytics.ts';
import { periodView, readRange } from './range.ts';

const WEEK_DAYS = 7;

export const getLifecycle = endpoint(GetLifecycle, async (call) => {
  const { service, rules, query } = call;
  const { from, to, timeZone, periods } = readRange(call, { ...query, interval: 'week' });
  const found = await service.history.read(rules.tenant, (rows) =>
    readCounts(
      rows,
      rules.tenant,
      ['activeUsersWeek', 'retainedUsersWeek', 'firstActiveUsers'],
      { from: from - WEEK_DAYS, to, interval: 'week' },
      'period',
    ),
  );
  const count = countsOf(found);
  const weeks = periods.map((period) => {
    const { start } = period;
    const newUsers = count('firstActiveUsers', start);
    const retainedUsers = count('retainedUsersWeek', start);
    return {
      ...periodView(period),
      newUsers,
      retainedUsers,
      returnedUsers: count('activeUsersWeek', start) - newUsers - retainedUsers,
      dormantUsers: count('activeUsersWeek', start - WEEK_DAYS) - retainedUsers,
    };
  });
  return ok({ timeZone, from: dateOfDay(from), to: dateOfDay(to), weeks });
});

export const getStreaksAtRisk = endpoint(GetStreaksAtRisk, async ({ service, rules, query }) => {
  const { streak, settings } = rules.config;
  const { frequency } = streak;
  const today = localTime(settings.defaultTimeZone, service.clock.now()).day;
  const period = periodOfDay(frequency, today);
  const lastDay = dateOfDay(periodDays(frequency, period).end);
  if (!streak.enabled) return ok({ lastDay, isComplete: true, streaks: [] });
  const found = await service.history.read(rules.tenant, (rows) =>
    readStreaksAtRisk(rows, rules.tenant, {
      frequency,
      minLength: query.minLength,
      lastPeriod: period - 1,
      count: STREAKS_AT_RISK_MAX + 1,
    }),
  );
  return ok({
    lastDay,
    isComplete: found.length <= STREAKS_AT_RISK_MAX,
    streaks: found.slice(0, STREAKS_AT_RISK_MAX),
  });
});
