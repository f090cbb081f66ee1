import { addPeriods, periodOf } from '../../../support/modelCalendar.ts';
import type { Expected } from '../../difference.ts';
import { datesOf, type FigureRead, type Figures, homeDate, INTERVALS, iso, Range, round } from './range.ts';

/** How many of the longest streaks at risk are listed, by the length from which they are. */
const LEAST_LENGTHS = [1, 7];

/** Changes of streaks by period, the lengths of present ones, and how many survive. */
export function streakReads(figures: Figures): FigureRead[] {
  const { model, log } = figures;
  const { frequency } = model.config.streak;
  const ofUsers = log.everybody;
  const own = <T extends { frequency: string }>(list: readonly T[]): T[] =>
    list.filter((one) => one.frequency === frequency);
  const kept = own(ofUsers.flatMap(({ periods }) => periods));
  const losses = own(ofUsers.flatMap(({ losses: ofUser }) => ofUser));
  const earned = ofUsers.flatMap(({ earnedFreezes }) => earnedFreezes);
  const extended = kept.filter(({ by }) => by === 'event');
  const lengths = presentLengths(figures);
  return INTERVALS.map((interval) => {
    const range = new Range(figures, interval);
    const periods = range.periods.map((period) => {
      const count = (list: readonly { at: number }[]): number => range.in(period, list).length;
      return {
        ...datesOf(period),
        started: count(extended.filter(({ length }) => length === 1)),
        extended: count(extended),
        lost: count(losses),
        freezesUsed: count(kept.filter(({ by }) => by === 'freeze')),
        freezesEarned: range.in(period, earned).reduce((sum, { freezes }) => sum + freezes, 0),
        pausesUsed: count(kept.filter(({ by }) => by === 'pause')),
      };
    });
    const body = {
      ...range.fields,
      frequency,
      periods,
      lengths: [...new Set(lengths)]
        .sort((a, b) => a - b)
        .map((length) => ({ length, users: lengths.filter((one) => one === length).length })),
      survival: survivalOf(
        lengths,
        range.inAll(losses).map(({ length }) => length),
      ),
    };
    return { path: `streaks?${range.query}`, body };
  });
}

function presentLengths({ model }: Figures): number[] {
  const { enabled, frequency } = model.config.streak;
  const lengths = [...model.users.values()].map(({ streaks }) => (enabled ? streaks[frequency].length : 0));
  return lengths.filter((length) => length > 0);
}

/** By Kaplan and Meier: of the streaks that have reached a length, the share that goes beyond it. */
function survivalOf(present: readonly number[], lost: readonly number[]): Expected {
  const all = [...present, ...lost];
  let rate = 1;
  return [...new Set(all)]
    .sort((a, b) => a - b)
    .map((length) => {
      const atRisk = all.filter((one) => one >= length).length;
      const ended = lost.filter((one) => one === length).length;
      rate *= 1 - ended / atRisk;
      return { length, atRisk, lost: ended, rate: round(rate, 4) };
    });
}

/** Streaks that end with the present period unless their users are active. */
export function streaksAtRiskReads({ model, now }: Figures): FigureRead[] {
  const { enabled, frequency } = model.config.streak;
  const period = periodOf(frequency, homeDate(model.config, now));
  const before = addPeriods(frequency, period, -1);
  const lastDay = iso(addPeriods(frequency, period, 1).minus({ days: 1 }) as typeof period);
  return LEAST_LENGTHS.map((least) => {
    const streaks = [...model.users.values()]
      .map(({ id: userId, name, streaks: own }) => ({ userId, name, ...own[frequency] }))
      .filter(({ length, lastPeriod }) => enabled && length >= least && +lastPeriod! === +before)
      .map(({ userId, name, length }) => ({ userId, name, length }))
      .sort((a, b) => b.length - a.length || Buffer.compare(Buffer.from(a.userId), Buffer.from(b.userId)));
    return { path: `streaks-at-risk?minLength=${least}`, body: { lastDay, isComplete: true, streaks } };
  });
}
