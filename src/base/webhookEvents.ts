/** Types of events that a webhook can receive. */
export const WEBHOOK_EVENTS = [
  'achievement.completed',
  'streak.started',
  'streak.extended',
  'streak.lost',
  'streak.freeze_consumed',
  'streak.freeze_earned',
  'points.changed',
  'points.level_changed',
  'points.boost_started',
  'points.boost_finished',
  'leaderboard.started',
  'leaderboard.changed',
  'leaderboard.rank_changed',
  'leaderboard.finished',
  'emails.achievement_due',
  'emails.recap_due',
  'emails.reactivation_due',
  'emails.streak_reminder_due',
] as const;

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
