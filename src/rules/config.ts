import type { AchievementTrigger } from '../contract/achievement.ts';
import type { Guards } from '../contract/guards.ts';
import type { TriggerType } from '../contract/points.ts';
import type { StreakEvaluationMode } from '../contract/preferences.ts';
import type { WebhookEvent } from '../contract/webhooks.ts';
import type { LeaderboardChanges } from './leaderboardChanges.ts';
import type { League } from './league.ts';
import type { Reward } from './rewards.ts';
import { DEFAULT_SETTINGS, type Settings } from './tenantSettings.ts';

/**
 * A tenant's configuration as PostgreSQL records it and Redis publishes it: plain entities that refer to each
 * other by id.
 *
 * Terms: every entity has an `id` (uuid, public) and a `no` (small integer, unique per tenant and kind, never
 * reused), which names it inside a user's state and in Redis keys. A counter is a running sum of event values
 * per user: one per metric, and one per (metric, event-attribute filter) that an achievement, trigger or
 * leaderboard uses.
 */
export interface Entity {
  id: string;
  no: number;
  /** Where lists show it, among the numbers of its kind. Absent if that is `no`. */
  position?: number;
  /** ISO 8601. */
  created: string;
  updated: string;
}

/** What points awards name as their cause. */
export interface Cause extends Entity {
  /**
   * The number by which awards name the entity as it is now, drawn from the numbers of its kind. A change
   * gives it a new one, so earlier awards keep their cause. Absent before the first change: awards then name
   * `no`.
   */
  revision?: number;
}

/** The number by which awards name the cause. */
export const revisionOf = ({ no, revision }: Entity & { revision?: number }): number => revision ?? no;

/**
 * Matches when the attribute `attributeId` of the user or event has this value. A filter is a list: all must
 * match.
 */
export interface AttributeValue {
  attributeId: string;
  attributeValue: string;
}

export interface Attribute extends Entity {
  key: string;
  name: string;
  type: 'user' | 'event';
}

export interface Metric extends Entity {
  key: string;
  name: string;
  unitType: 'number' | 'currency';
  units: string;
  /** null: every valid event counts. */
  guards: Guards | null;
}

export interface Counter extends Entity {
  metricId: string;
  /** Empty for the metric's own counter. Sorted by attribute id. */
  eventAttributes: AttributeValue[];
}

export interface Achievement extends Entity {
  key: string;
  name: string;
  description: string | null;
  badgeUrl: string | null;
  trigger: AchievementTrigger;
  status: 'inactive' | 'active' | 'locked';
  /** Shown only to users who have completed it. */
  hidden: boolean;
  metricId: string | null;
  metricValue: number | null;
  streakLength: number | null;
  anniversaryYears: number | null;
  /** Prerequisites of trigger `achievement`. */
  achievementIds: string[];
  userAttributes: AttributeValue[];
  eventAttributes: AttributeValue[];
}

export interface PointsSystem extends Entity {
  key: string;
  name: string;
  description: string | null;
  badgeUrl: string | null;
  maxPoints: number | null;
}

export interface PointsLevel extends Entity {
  systemId: string;
  key: string;
  name: string;
  description: string;
  badgeUrl: string | null;
  points: number;
}

export interface PointsTrigger extends Cause {
  systemId: string;
  type: TriggerType;
  /** Negative points are taken away. */
  points: number;
  status: 'active' | 'inactive';
  metricId: string | null;
  metricThreshold: number | null;
  achievementId: string | null;
  streakLength: number | null;
  timeUnit: 'hour' | 'day' | null;
  timeInterval: number | null;
  blockIfOutOfPoints: boolean;
  userAttributes: AttributeValue[];
  eventAttributes: AttributeValue[];
}

/** Instead of the number of a trigger: an administrator adjusted the points. */
export const ADJUSTMENT_TRIGGER = 0;

export interface PointsBoost extends Cause {
  systemId: string;
  name: string;
  /** Local dates, YYYY-MM-DD, both inclusive. */
  start: string;
  end: string | null;
  multiplier: number;
  rounding: 'down' | 'up' | 'nearest';
  userId: string | null;
  userAttributes: AttributeValue[];
}

export interface Leaderboard extends Entity, LeaderboardChanges {
  key: string;
  name: string;
  description: string | null;
  status: 'inactive' | 'scheduled' | 'active' | 'finished';
  rankBy: 'metric' | 'points' | 'streak';
  metricId: string | null;
  pointsSystemId: string | null;
  /** Which values are better: higher ones (`desc`) or lower ones. `asc` needs `best` or `latest`. */
  sortOrder: 'desc' | 'asc';
  /** The score of a run: the sum of the values of its events, or one of them. Only `sum` unless by metric. */
  aggregation: 'sum' | 'best' | 'latest';
  /** Users with equal scores rank by arrival, or share a rank. */
  ties: 'arrival' | 'shared';
  /** Only events with all of these attribute values count. Empty unless by metric. */
  eventAttributes: AttributeValue[];
  maxParticipants: number;
  /** Local dates, YYYY-MM-DD, both inclusive. */
  start: string;
  end: string | null;
  /** Local time of day HH:MM or HH:MM:SS: the daily window in which events count. */
  startTime: string | null;
  endTime: string | null;
  /** The zone by which runs begin and end for everybody; null: by each user's own. */
  timeZone: string | null;
  /** Ids of user attributes. */
  breakdownAttributes: string[];
  /** Both null for a perpetual leaderboard. */
  runUnit: 'day' | 'month' | 'year' | null;
  runInterval: number | null;
  rewards: Reward[];
  league: League | null;
}

export interface Webhook extends Entity {
  name: string;
  url: string;
  events: WebhookEvent[];
  /** `disabled` by laurel itself, because deliveries fail. */
  status: 'active' | 'inactive' | 'disabled';
  disabledReason: string | null;
  /** Signs what is delivered. Shown once. */
  secret: string;
  /** The secret before, and until when (ISO 8601) it signs beside the new one. */
  previousSecret: { secret: string; expires: string } | null;
}

export interface NotificationTemplate extends Entity {
  name: string;
  type: 'achievement_completed' | 'recap' | 'reactivation' | 'streak_reminder';
  channel: 'email' | 'push';
  status: 'active' | 'inactive';
  /** Subject of an e-mail, or title of a push notification. A Liquid template, as is the body. */
  subject: string;
  body: string;
  /** Of a recap: the period that it looks back on; null for that of the settings, and for the other types. */
  frequency: RecapFrequency | null;
  userAttributes: AttributeValue[];
}

export type Frequency = 'daily' | 'weekly' | 'monthly';
export type RecapFrequency = Frequency | 'yearly';

/** In the shape of the Admin API. Metrics are named by key, because keys cannot be changed. */
export interface StreakSettings {
  enabled: boolean;
  frequency: Frequency;
  /** Whether a user must reach the thresholds of all metrics or of any. */
  evaluationMode: StreakEvaluationMode;
  /** Whether users may choose their own metrics, thresholds, mode and days off. */
  customizationEnabled: boolean;
  /** Weekdays, ascending: 0 is Sunday, 6 is Saturday. Empty unless the frequency is daily. */
  daysOff: number[];
  metrics: { key: string; threshold: number }[];
  freezes: StreakFreezes | null;
}

export interface StreakFreezes {
  startCount: number;
  maxCount: number;
  /** Days. Null, as is the amount, if users earn no freezes. */
  autoEarnInterval: number | null;
  autoEarnAmount: number | null;
}

/** The kinds that are lists of entities; each is one `kind` in the table `entities`. */
export interface EntityLists {
  attributes: Attribute[];
  metrics: Metric[];
  counters: Counter[];
  achievements: Achievement[];
  pointsSystems: PointsSystem[];
  pointsLevels: PointsLevel[];
  pointsTriggers: PointsTrigger[];
  pointsBoosts: PointsBoost[];
  leaderboards: Leaderboard[];
  webhooks: Webhook[];
  notificationTemplates: NotificationTemplate[];
}

export type EntityKind = keyof EntityLists;
export type EntityOf<K extends EntityKind> = EntityLists[K][number];

const KINDS: Record<EntityKind, true> = {
  attributes: true,
  metrics: true,
  counters: true,
  achievements: true,
  pointsSystems: true,
  pointsLevels: true,
  pointsTriggers: true,
  pointsBoosts: true,
  leaderboards: true,
  webhooks: true,
  notificationTemplates: true,
};
/** Every kind, each after the kinds that it refers to. */
export const ENTITY_KINDS = Object.keys(KINDS) as EntityKind[];

export const CAUSE_KINDS = ['pointsTriggers', 'pointsBoosts'] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

export function isCauseKind(kind: EntityKind): kind is CauseKind {
  return (CAUSE_KINDS as readonly EntityKind[]).includes(kind);
}

/**
 * The space in which a key is unique: attributes have one per type, the parts of a points system one per
 * system.
 */
export function keyScope(entity: EntityOf<EntityKind>): string {
  if ('systemId' in entity) return entity.systemId;
  // Attributes are the only kind with both a key and a type.
  return 'type' in entity && 'key' in entity ? entity.type : '';
}

export interface Config extends EntityLists {
  /** Number of the tenant, the `T` of its Redis keys. */
  tenant: number;
  /** The customer's own id of the tenant; null for the account itself. */
  customerId: string | null;
  archived: boolean;
  /** Raised by every change. */
  version: number;
  streak: StreakSettings;
  settings: Settings;
}

export const DEFAULT_STREAK: StreakSettings = {
  enabled: false,
  frequency: 'daily',
  evaluationMode: 'AND',
  customizationEnabled: false,
  daysOff: [],
  metrics: [],
  freezes: null,
};

export function emptyConfig(tenant: number): Config {
  return {
    tenant,
    customerId: null,
    archived: false,
    version: 0,
    attributes: [],
    metrics: [],
    counters: [],
    achievements: [],
    pointsSystems: [],
    pointsLevels: [],
    pointsTriggers: [],
    pointsBoosts: [],
    leaderboards: [],
    webhooks: [],
    notificationTemplates: [],
    streak: DEFAULT_STREAK,
    settings: DEFAULT_SETTINGS,
  };
}
