import type { Achievement } from '../../../../src/rules/config.ts';
import { addDays } from '../../../support/modelCalendar.ts';
import type { LoggedCompletion, LoggedUser } from '../../worldLog.ts';
import {
  activeDates,
  datesOf,
  type FigureRead,
  type Figures,
  homeDate,
  INTERVALS,
  isActiveIn,
  Range,
  ratio,
  round,
} from './range.ts';

const DAY_MS = 86_400_000;
/** As docs/analytics.md says it. */
const STEPS = [0, 1, 2, 3, 5, 7, 14, 21, 30, 60, 90, 180, 365];
const DAYS_AROUND = 14;

/** A completion, and how many days after the creation of the user it was. */
interface TimedCompletion extends LoggedCompletion {
  days: number;
}

const completionsOf = (users: readonly LoggedUser[], { id }: Achievement): TimedCompletion[] =>
  users.flatMap(({ created, completions }) =>
    completions
      .filter(({ achievementId }) => achievementId === id)
      .map((one) => ({ ...one, days: Math.max(0, one.at - created) / DAY_MS })),
  );

const meanDays = (completions: readonly TimedCompletion[]): number | null =>
  completions.length === 0
    ? null
    : round(completions.reduce((sum, { days }) => sum + days, 0) / completions.length, 2);

/** Completions of achievements, and how long they take. */
export function completionReads(figures: Figures): FigureRead[] {
  const { model, log } = figures;
  const { achievements } = model.config;
  const ofPeriods = INTERVALS.map((interval) => {
    const range = new Range(figures, interval);
    const periods = range.periods.flatMap((period) =>
      achievements.flatMap((achievement) => {
        const completions = range.in(period, completionsOf(log.everybody, achievement)).length;
        return completions === 0 ? [] : [{ achievement: achievement.key, ...datesOf(period), completions }];
      }),
    );
    const ofAll = achievements.map((achievement) => {
      const { id, key, name, badgeUrl } = achievement;
      const inRange = range.inAll(completionsOf(log.everybody, achievement));
      const now = completionsOf(log.present, achievement).length;
      return {
        ...{ id, key, name, badgeUrl, completions: inRange.length, totalCompletions: now },
        rate: ratio(now, model.users.size),
        meanDaysToComplete: meanDays(inRange),
      };
    });
    const body = { ...range.fields, totalUsers: model.users.size, achievements: ofAll, periods };
    return { path: `achievements?${range.query}`, body };
  });
  return [...ofPeriods, ...achievements.map((achievement) => timesRead(figures, achievement))];
}

function timesRead(figures: Figures, achievement: Achievement): FigureRead {
  const { log } = figures;
  const range = new Range(figures, 'day');
  const inRange = range.inAll(completionsOf(log.everybody, achievement));
  const timeToComplete = STEPS.map((fromDays, i) => ({
    fromDays,
    toDays: STEPS[i + 1] ?? null,
    users: inRange.filter(({ days }) => days >= fromDays && days < (STEPS[i + 1] ?? Infinity)).length,
  }));
  return {
    path: `achievements/${achievement.key}?${range.query}`,
    body: {
      ...range.fields,
      completions: inRange.length,
      meanDaysToComplete: meanDays(inRange),
      timeToComplete,
      activity: activityAround(figures, achievement, range),
    },
  };
}

/** Active days before and after the completions that are 14 days ago or longer. */
function activityAround({ model, log }: Figures, { id }: Achievement, { today }: Range) {
  const around = log.present.flatMap((user) => {
    const dates = activeDates(model.config, user);
    return user.completions
      .filter(({ achievementId }) => achievementId === id)
      .map(({ at }) => homeDate(model.config, at))
      .filter((date) => date < addDays(today, -DAYS_AROUND))
      .map((date) => {
        const activeIn = (from: number, to: number): number =>
          dates.filter((one) => isActiveIn([one], { start: addDays(date, from), end: addDays(date, to) }))
            .length;
        return { before: activeIn(-DAYS_AROUND, -1), after: activeIn(1, DAYS_AROUND) };
      });
  });
  const mean = (days: readonly number[]): number | null =>
    days.length === 0 ? null : round(days.reduce((sum, count) => sum + count, 0) / days.length, 2);
  return {
    users: around.length,
    daysBefore: mean(around.map(({ before }) => before)),
    daysAfter: mean(around.map(({ after }) => after)),
  };
}
