import {
  activeDates,
  datesOf,
  daysUpTo,
  earlier,
  type FigureRead,
  type Figures,
  INTERVALS,
  isActiveIn,
  Range,
  ratio,
  round,
} from './range.ts';

/** Active, new and returning users of each period. */
export function activityReads(figures: Figures): FigureRead[] {
  const { model, log } = figures;
  const ofUsers = log.everybody.map((user) => activeDates(model.config, user));
  return INTERVALS.map((interval) => {
    const range = new Range(figures, interval);
    const periods = range.periods.map((period) => {
      const active = ofUsers.filter((dates) => isActiveIn(dates, period));
      const lastDay = earlier(period.end, range.today);
      const activeIn = (days: number): number =>
        ofUsers.filter((dates) => isActiveIn(dates, daysUpTo(lastDay, days))).length;
      const activeDays = active.flatMap((dates) => dates.filter((date) => isActiveIn([date], period)));
      const daily = activeDays.length / range.begun(period);
      return {
        ...datesOf(period),
        activeUsers: active.length,
        newUsers: range.in(
          period,
          log.everybody.map(({ created }) => ({ at: created })),
        ).length,
        returningUsers: active.filter(([first]) => first! < period.start).length,
        dailyActiveUsers: round(daily, 2),
        weeklyActiveUsers: activeIn(7),
        monthlyActiveUsers: activeIn(30),
        stickiness: ratio(daily, activeIn(30)),
      };
    });
    return { path: `activity?${range.query}`, body: { ...range.fields, periods } };
  });
}
