import { decimalSum } from '../../base/numbers.ts';
import type { Rows } from '../../db/rows.ts';
import { type DayRow, readDays, type Summed } from '../../db/users/readUserHistory.ts';
import { readCompletions } from '../../db/users/readWrapped.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import type { RecapFrequency } from '../../rules/config.ts';
import { type Period, periodInWords, recapPeriod } from '../../rules/notices.ts';
import type { Rules } from '../../rules/rules.ts';
import { PERIOD_NAMES, shownAchievement } from '../userVariables.ts';
import type { Recap, ShownChange } from '../variables.ts';

/**
 * A user's activity in the period that contains `day` and in the previous one, from the history.
 * @returns null if the user had no activity in the period
 */
export async function readRecap(
  rows: Rows,
  rules: Rules,
  user: UserKey,
  frequency: RecapFrequency,
  day: number,
): Promise<Recap | null> {
  const period = recapPeriod(frequency, day);
  const before = recapPeriod(frequency, period.start - 1);
  const range = { from: before.start, to: period.end };
  const { metrics, pointsSystems } = rules.config;
  const read = (summed: Summed, entities: { no: number }[]): Promise<DayRow[]> =>
    readDays(
      rows,
      user,
      summed,
      entities.map(({ no }) => no),
      range,
    );
  const [ofMetrics, ofPoints, completions] = await Promise.all([
    read('metric', metrics),
    read('points', pointsSystems),
    readCompletions(rows, user, { from: period.start, to: period.end }),
  ]);
  const achievements = completions.flatMap(({ achievement }) => {
    const known = rules.findByNo('achievements', achievement);
    return known ? [shownAchievement(known)] : [];
  });
  const recap: Recap = {
    frequency,
    unit: PERIOD_NAMES[frequency],
    title: periodInWords(frequency, period),
    periodStart: dateOfDay(period.start),
    periodEnd: dateOfDay(period.end),
    metrics: changesOf(metrics, ofMetrics, period, before),
    points: changesOf(
      pointsSystems.map((system) => ({ ...system, units: '' })),
      ofPoints,
      period,
      before,
    ),
    achievements,
  };
  return recap.metrics.length === 0 ? null : recap;
}

/** Changes of the entities with any activity in the period. Totals are as of the end of the period. */
function changesOf(
  entities: { no: number; key: string; name: string; units: string }[],
  days: readonly DayRow[],
  period: Period,
  before: Period,
): ShownChange[] {
  return entities.flatMap(({ no, key, name, units }) => {
    const own = days.filter((row) => row.no === no);
    const sumOf = (rows: DayRow[]): number => rows.reduce((sum, { change }) => decimalSum(sum, change), 0);
    const inPeriod = (of: Period) => own.filter(({ day }) => day >= of.start && day <= of.end);
    const active = inPeriod(period);
    if (active.length === 0) return [];
    return [
      { key, name, units, total: sumOf(own), change: sumOf(active), previous: sumOf(inPeriod(before)) },
    ];
  });
}
