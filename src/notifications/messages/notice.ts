import { decimalSum } from '../../base/numbers.ts';
import type { Suppression } from '../../base/suppressions.ts';
import type { NoticeFacts, PendingNotification } from '../../db/deliveries/notificationDeliveries.ts';
import type { Queryable } from '../../db/pool.ts';
import { prepared, type Rows } from '../../db/rows.ts';
import { type DayRow, readDays, type Summed } from '../../db/users/readUserHistory.ts';
import { readCompletions } from '../../db/users/readWrapped.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { dateOfDay, periodDays } from '../../rules/calendar.ts';
import type { Frequency, RecapFrequency } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { type Period, periodInWords, RECAP_FREQUENCIES, recapPeriod } from '../../rules/notices.ts';
import { PERIOD_NAMES, shownAchievement, totalsOf } from '../userVariables.ts';
import type { NoticeVariables, Recap, ShownChange, UserVariables } from '../variables.ts';
import { challengeVariables } from './challengeVariables.ts';

/** The template variables of a notification, or why it is not sent. */
export async function readNotice(
  db: Queryable,
  rules: Rules,
  { tenant, userId, type, facts, at }: PendingNotification,
  { user, ofUser }: { user: UserState; ofUser: UserVariables },
): Promise<(NoticeVariables & Partial<Pick<UserVariables, 'streak'>>) | { suppressed: Suppression }> {
  if (type === 'achievement_completed') {
    const achievements = (facts.achievements ?? []).flatMap((no) => {
      const achievement = rules.findByNo('achievements', no);
      return achievement ? [shownAchievement(achievement)] : [];
    });
    return achievements.length > 0
      ? { achievement: achievements[0]!, achievements }
      : { suppressed: 'no_activity' };
  }
  if (type === 'reactivation') {
    const { messageNumber, days } = facts;
    return {
      reactivation: { messageNumber: messageNumber!, daysSinceLastActive: days! },
      totals: totalsOf(rules, ofUser),
    };
  }
  if (type === 'challenge_ending') {
    const challenge = challengeVariables(rules, { userId, user }, facts, at);
    return challenge ? { challenge } : { suppressed: 'inactive' };
  }
  if (type === 'message') return {};
  if (type === 'streak_reminder') return { streak: streakOf(facts, ofUser) };
  const frequency = RECAP_FREQUENCIES.find((candidate) => candidate === facts.frequency)!;
  const recap = await readRecap(prepared(db), rules, { tenant, userId }, frequency, facts.period!);
  return recap ? { recap } : { suppressed: 'no_activity' };
}

/** The streak as of the hour of the reminder. */
function streakOf(
  { frequency, period, length }: NoticeFacts,
  { streak }: UserVariables,
): UserVariables['streak'] {
  if (length === undefined) return streak;
  return { ...streak, length, expires: dateOfDay(periodDays(frequency as Frequency, period!).end) };
}

/**
 * A user's activity in the period that contains `day` and in the previous one, from the history.
 * @returns null if the user had no activity in the period
 */
async function readRecap(
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
