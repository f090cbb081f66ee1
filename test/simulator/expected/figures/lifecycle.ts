import { addDays } from '../../../support/modelCalendar.ts';
import { activeDates, datesOf, type FigureRead, type Figures, isActiveIn, Range, weekFrom } from './range.ts';

/** New, retained, returned and dormant users of each week. */
export function lifecycleReads(figures: Figures): FigureRead[] {
  const { model, log } = figures;
  const ofUsers = log.everybody.map((user) => activeDates(model.config, user));
  const range = new Range(figures, 'week');
  const weeks = range.periods.map((week) => {
    const before = weekFrom(addDays(week.start, -7));
    const active = ofUsers.filter((dates) => isActiveIn(dates, week));
    const wasActive = ofUsers.filter((dates) => isActiveIn(dates, before));
    const old = active.filter(([first]) => first! < week.start);
    const retained = old.filter((dates) => wasActive.includes(dates));
    return {
      ...datesOf(week),
      newUsers: active.length - old.length,
      retainedUsers: retained.length,
      returnedUsers: old.length - retained.length,
      dormantUsers: wasActive.length - retained.length,
    };
  });
  const { timeZone, from, to } = range.fields;
  return [{ path: `lifecycle?from=${from}`, body: { timeZone: timeZone!, from: from!, to: to!, weeks } }];
}
