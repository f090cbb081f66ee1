import type { NoticeFacts, PendingNotification } from '../../db/deliveries/notificationDeliveries.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Rows } from '../../db/rows.ts';
import { dateOfDay, periodDays } from '../../rules/calendar.ts';
import type { Frequency } from '../../rules/config.ts';
import { RECAP_FREQUENCIES } from '../../rules/notices.ts';
import type { Rules } from '../../rules/rules.ts';
import { shownAchievement, totalsOf } from '../userVariables.ts';
import type { NoticeVariables, UserVariables } from '../variables.ts';
import type { Suppression } from './decide.ts';
import { readRecap } from './recap.ts';

/** The template variables of a notification, or why it is not sent. */
export async function readNotice(
  db: Queryable,
  rules: Rules,
  { tenant, userId, type, facts }: PendingNotification,
  ofUser: UserVariables,
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
  if (type === 'streak_reminder') return { streak: streakOf(facts, ofUser) };
  const rows: Rows = async ({ name, text }, values) => (await db.query({ name, text, values })).rows;
  const frequency = RECAP_FREQUENCIES.find((candidate) => candidate === facts.frequency)!;
  const recap = await readRecap(rows, rules, { tenant, userId }, frequency, facts.period!);
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
