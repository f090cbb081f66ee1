import { decimalSum } from '../../../support/modelUser.ts';
import { datesOf, type FigureRead, type Figures, INTERVALS, Range } from './range.ts';

/** Users, events and sums of each metric and period. */
export function metricReads(figures: Figures): FigureRead[] {
  const { model, log } = figures;
  return INTERVALS.map((interval) => {
    const range = new Range(figures, interval);
    const periods = range.periods.flatMap((period) =>
      model.config.metrics.flatMap(({ id, key, name }) => {
        const ofUsers = log.everybody
          .map(({ events }) => events.filter((one) => one.metricId === id && one.origin !== 'import'))
          .map((events) => range.in(period, events))
          .filter(({ length }) => length > 0);
        const events = ofUsers.flat();
        if (events.length === 0) return [];
        const sum = events.reduce((all, { value }) => decimalSum(all, value), 0);
        const counts = { users: ofUsers.length, events: events.length, sum };
        return [{ metric: key, metricName: name, ...datesOf(period), ...counts }];
      }),
    );
    return { path: `metrics?${range.query}`, body: { ...range.fields, periods } };
  });
}
