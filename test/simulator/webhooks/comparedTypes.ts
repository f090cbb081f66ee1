import type { WebhookEvent } from '../../../src/contract/webhooks.ts';

const EMAILS = 'worlds have no templates, so no email is due; tests of messages';

/** For each type of webhook whether deliveries are compared with the model; else the reason why not. */
export const COMPARED_TYPES: Readonly<Record<WebhookEvent, true | string>> = {
  'achievement.completed': true,
  'challenge.joined': true,
  'challenge.completed': true,
  'challenge.claimed': true,
  'streak.started': true,
  'streak.extended': true,
  'streak.lost': true,
  'streak.freeze_consumed': true,
  'streak.freeze_earned': true,
  'points.changed': true,
  'points.level_changed': true,
  'event.held': true,
  'event.approved': true,
  'event.rejected': true,
  'points.boost_started': 'webhooks.slow',
  'points.boost_finished': 'webhooks.slow',
  'leaderboard.started': 'webhooks.slow',
  'leaderboard.changed': 'webhooks.slow',
  'leaderboard.rank_changed': 'webhooks.slow',
  'leaderboard.finished': 'webhooks.slow',
  'leaderboard.league_changed': 'webhooks.slow',
  'emails.achievement_due': EMAILS,
  'emails.recap_due': EMAILS,
  'emails.reactivation_due': EMAILS,
  'emails.streak_reminder_due': EMAILS,
};
