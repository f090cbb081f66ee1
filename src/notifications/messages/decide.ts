import type { Suppression } from '../../base/suppressions.ts';
import type { NotificationType } from '../../contract/preferences.ts';
import {
  NO_TEMPLATE,
  type NoticeFacts,
  type PendingNotification,
  type SentTemplate,
} from '../../db/deliveries/notificationDeliveries.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { localTime } from '../../rules/calendar.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import { isDayOff } from '../../rules/daysOff.ts';
import { matchesAll } from '../../rules/inForce/filters.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { usefulUntil } from '../../rules/notices.ts';
import { isPausedIn } from '../../rules/streakHistory.ts';
import { streakInForce } from '../../views/streakView.ts';
import { zoneOf } from '../userVariables.ts';
import { chooseVariant, textOf } from './chooseVariant.ts';

export interface Recipient {
  rules: Rules;
  user: UserState;
  /** The service's time, ms. */
  now: number;
  /**
   * Whether the test clock has been moved over the hour of the notification. It is then sent as of its hour:
   * it is not late, and changes by the passing of time since do not count.
   */
  isSkipped: boolean;
}

/** Exactly one address. Excludes characters that could add a header or another address. */
const ADDRESS = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

/** The text of a notification, and the template and variant that it is from. */
export interface SentText extends SentTemplate, Pick<NotificationTemplate, 'channel' | 'subject' | 'body'> {}

/** Chooses the text for a user. @returns the text, or why the notification is not sent */
export function decide(
  notification: PendingNotification,
  recipient: Recipient,
): { text: SentText } | { suppressed: Suppression } {
  const suppressed = reasonAgainst(notification, recipient);
  if (suppressed !== null) return { suppressed };
  const { rules, user } = recipient;
  const { type, channel, text, userId } = notification;
  if (text !== null) return { text: { channel, ...text, ...NO_TEMPLATE } };
  const templates = templatesFor(rules, type, channel, notification.facts);
  if (templates.length === 0) return { suppressed: 'inactive' };
  const template = templates.find(({ userAttributes }) => matchesAll(rules, userAttributes, user.attributes));
  if (template === undefined) return { suppressed: 'attributes' };
  if (notification.isRepeat) return { suppressed: 'duplicate' };
  const variant = chooseVariant(template, userId);
  const from = { template: template.id, variant: variant?.key ?? null };
  return { text: { channel, ...textOf(template, variant), ...from } };
}

/**
 * Active templates for a notification, by number of user attributes (most first), then by age (oldest first).
 */
export function templatesFor(
  { config }: Rules,
  type: NotificationType,
  channel: NotificationTemplate['channel'],
  { frequency }: Pick<NoticeFacts, 'frequency'>,
): NotificationTemplate[] {
  return config.notificationTemplates
    .filter(
      (template) =>
        template.status === 'active' &&
        template.type === type &&
        template.channel === channel &&
        (type !== 'recap' || (template.frequency ?? config.settings.aggregationPeriod) === frequency),
    )
    .sort((a, b) => b.userAttributes.length - a.userAttributes.length || a.no - b.no);
}

/** @returns why the notification is not sent, whatever its text; null if it is */
export function reasonAgainst(
  notification: Pick<PendingNotification, 'type' | 'channel' | 'at' | 'facts' | 'rejectedAddress'>,
  recipient: Recipient,
): Suppression | null {
  const { type, channel, at, facts, rejectedAddress } = notification;
  const { rules, user, now, isSkipped } = recipient;
  if (user.control) return 'control_group';
  if (user.block !== null) return 'blocked';
  if (at < user.messagesFrom) return 'imported';
  const chosen = user.preferences?.[type];
  if (chosen !== undefined && !chosen.includes(channel)) return 'preferences';
  const unreachable =
    channel === 'email'
      ? emailProblem(user, rejectedAddress)
      : user.deviceTokens?.length
        ? null
        : 'no_device_token';
  if (unreachable !== null) return unreachable;
  if (!isSkipped && now >= usefulUntil(zoneOf(rules, user), at)) return 'late';
  if (type === 'streak_reminder' && !isInDanger(rules, user, facts, isSkipped)) return 'extended';
  if (type === 'challenge_ending' && !isRunOpen(recipient, at, facts)) return 'completed';
  if (type === 'reactivation' && hasReturned(recipient, at, facts)) return 'returned';
  return null;
}

function emailProblem(user: UserState, rejectedAddress: string | null): Suppression | null {
  if (user.email === null || user.email === '') return 'no_email';
  if (!user.subscribeToEmails) return 'unsubscribed';
  if (!ADDRESS.test(user.email)) return 'invalid_email';
  return user.email === rejectedAddress ? 'rejected_email' : null;
}

/** Whether the user takes part in the challenge that is about to end, and has not completed it. */
function isRunOpen(
  { rules, user, isSkipped }: Recipient,
  at: number,
  { challenge: no, period }: NoticeFacts,
): boolean {
  const run = user.challenges.find((one) => one.challenge === no && one.run === period);
  const needsJoining = rules.findByNo('challenges', no!)?.join === 'optIn';
  if (run === undefined || (needsJoining && run.joinedAt === null)) return false;
  return run.completedAt === null || (isSkipped && run.completedAt > at);
}

/** Whether the user has had an event since the inactivity that the notification reports. */
function hasReturned({ rules, user }: Recipient, at: number, { days }: NoticeFacts): boolean {
  return user.activeDay > localTime(zoneOf(rules, user), at).day - days!;
}

/**
 * Whether a reminder is still needed: the streak will be lost unless the user extends it in the period of the
 * reminder (endsWith in lua/includes/notices.lua). The user must be settled: a streak that can still be
 * saved, in whatever time zone, has a length.
 * @param isSkipped see Recipient; the streak may be lost by now
 */
export function isInDanger(
  rules: Rules,
  user: UserState,
  { frequency, period }: Pick<NoticeFacts, 'frequency' | 'period'>,
  isSkipped: boolean,
): boolean {
  if (frequency !== rules.config.streak.frequency) return false;
  const { length, lastPeriod, daysOff } = streakInForce(rules, user);
  // It may have become a day off since the reminder was planned. Only daily streaks have them.
  if (isDayOff(daysOff, period!)) return false;
  if (isSkipped) return lastPeriod < period!;
  return (
    length > 0 && lastPeriod < period! && user.freezes === 0 && !isPausedIn(user.pauses, frequency, period!)
  );
}
