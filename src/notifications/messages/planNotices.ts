import type { NoticeFacts } from '../../db/deliveries/notificationDeliveries.ts';
import type { DeliveryRows } from '../../db/deliveries/writeDeliveries.ts';
import { laterWebhookRows, webhookRows } from '../../engine/webhooks/webhookRows.ts';
import type { Notice, StreakNow } from '../../redis/decoding/outcome.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { recapPeriod } from '../../rules/notices.ts';
import { achievementView } from '../../views/entityViews.ts';
import { userView } from '../../views/userView.ts';
import type { BatchUsers, EntryBatch } from '../entryBatch.ts';
import { templatesFor } from './decide.ts';
import { CHANNELS, noticeRow } from './noticeRows.ts';

interface Due {
  rules: Rules;
  userId: string;
  user: UserState;
  /** ms */
  at: number;
  notice: Notice;
  /** At that instant. */
  streak: StreakNow;
}

/**
 * The notifications of due notices, one for each channel with an active template, and the webhook deliveries
 * that report them.
 */
export function planNotices(
  { entries }: EntryBatch,
  rulesOf: ReadonlyMap<number, Rules>,
  users: BatchUsers,
): Pick<DeliveryRows, 'webhookDeliveries' | 'notificationDeliveries'> {
  const webhookDeliveries: DeliveryRows['webhookDeliveries'] = [];
  const notificationDeliveries: DeliveryRows['notificationDeliveries'] = [];
  for (const { entry } of entries) {
    const rules = rulesOf.get(entry.tenant);
    if (rules === undefined || entry.fn !== 'settleUsers') continue;
    for (const { change, outcome } of entry.changes) {
      if (outcome.notices.length === 0) continue;
      const { userId, at } = change;
      const user = users.find(entry.tenant, userId);
      if (user === null) continue;
      for (const notice of outcome.notices) {
        const due: Due = { rules, userId, user, at, notice, streak: outcome.streak };
        notificationDeliveries.push(...notificationsOf(due));
        if (!user.control && user.block === null) webhookDeliveries.push(...webhooksOf(due));
      }
    }
  }
  return { webhookDeliveries, notificationDeliveries };
}

function notificationsOf({ rules, userId, at, notice, streak }: Due): DeliveryRows['notificationDeliveries'] {
  const { type } = notice;
  const facts = factsOf(notice, streak.length);
  const ids = [facts.frequency ?? ''];
  return CHANNELS.filter((channel) => templatesFor(rules, type, channel, facts).length > 0).map((channel) =>
    noticeRow(rules, { userId, channel, type, ids, at }, facts),
  );
}

function factsOf(notice: Notice, length: number): NoticeFacts {
  if (notice.type === 'achievement_completed') return { achievements: notice.achievements };
  if (notice.type === 'reactivation') return { messageNumber: notice.messageNumber, days: notice.days };
  const { frequency } = notice;
  return notice.type === 'recap'
    ? { frequency, period: notice.firstDay }
    : { frequency, period: notice.period, length };
}

function webhooksOf({ rules, userId, user, at, notice }: Due): DeliveryRows['webhookDeliveries'] {
  const shown = () => ({ timestamp: new Date(at).toISOString(), user: userView(rules, userId, user) });
  const about = { at, userId };
  if (notice.type === 'achievement_completed') {
    return notice.achievements.flatMap((no) => {
      const achievement = rules.findByNo('achievements', no);
      const completedAt = user.achievements.get(no);
      if (achievement === null || completedAt === undefined) return [];
      return webhookRows(rules, { type: 'emails.achievement_due', ...about, ids: [no] }, () => ({
        ...shown(),
        achievement: {
          ...achievementView(rules, achievement),
          achievedAt: new Date(completedAt).toISOString(),
        },
      }));
    });
  }
  if (notice.type === 'recap') {
    const { start, end } = recapPeriod(notice.frequency, notice.firstDay);
    return webhookRows(rules, { type: 'emails.recap_due', ...about, ids: [notice.frequency] }, () => ({
      ...shown(),
      recap: { periodStart: dateOfDay(start), periodEnd: dateOfDay(end) },
    }));
  }
  if (notice.type === 'reactivation') {
    const { messageNumber, days } = notice;
    return webhookRows(rules, { type: 'emails.reactivation_due', ...about, ids: [] }, () => ({
      ...shown(),
      reactivation: { messageNumber, daysSinceLastActive: days },
    }));
  }
  // The body contains the history of the streak, which is read when the webhook is sent.
  return laterWebhookRows(rules, { type: 'emails.streak_reminder_due', ...about, ids: [] }, at, {});
}
