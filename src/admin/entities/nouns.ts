import type { EntityKind } from '../../rules/config.ts';

/** Names of the kinds in messages. */
export const NOUNS: Record<EntityKind, string> = {
  attributes: 'attribute',
  metrics: 'metric',
  counters: 'counter',
  achievements: 'achievement',
  pointsSystems: 'points system',
  pointsLevels: 'level',
  pointsTriggers: 'points trigger',
  pointsBoosts: 'boost',
  leaderboards: 'leaderboard',
  webhooks: 'webhook',
  notificationTemplates: 'notification template',
};
