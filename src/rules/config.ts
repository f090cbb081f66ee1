import { DECLARED_KINDS, type DeclaredKind, type Kinds } from '../contract/kinds/allKinds.ts';
import type { AttributeValue } from '../contract/kinds/field.ts';
import type { StoredOf } from '../contract/kinds/kind.ts';
import type { StreakEvaluationMode } from '../contract/preferences.ts';
import type { Counting } from './counting.ts';
import type { LeaderboardChanges } from './leaderboardChanges.ts';
import type { League } from './league.ts';
import { DEFAULT_SETTINGS, type Settings } from './tenantSettings.ts';

/**
 * A tenant's configuration as PostgreSQL records it and Redis publishes it: plain entities that refer to each
 * other by id.
 *
 * Terms: every entity has an `id` (uuid, public) and a `no` (small integer, unique per tenant and kind, never
 * reused), which names it inside a user's state and in Redis keys. A counter is a running sum of event values
 * per user: one per metric, and one per metric and way of counting its events that an achievement, trigger or
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

export type { AttributeValue };

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

export interface Attribute extends Entity, StoredOf<Kinds['attributes']> {}

export interface Metric extends Entity, StoredOf<Kinds['metrics']> {}

/** The metric's own counter counts all events. Event attributes are sorted by attribute id. */
export interface Counter extends Entity, Counting {
  metricId: string;
}

export interface Achievement extends Entity, StoredOf<Kinds['achievements']> {}

export interface PointsSystem extends Entity, StoredOf<Kinds['pointsSystems']> {}

export interface PointsLevel extends Entity, StoredOf<Kinds['pointsLevels']> {
  systemId: string;
}

export interface PointsTrigger extends Cause, StoredOf<Kinds['pointsTriggers']> {
  systemId: string;
}

/** Instead of the number of a trigger: an administrator adjusted the points. */
export const ADJUSTMENT_TRIGGER = 0;

export interface PointsBoost extends Cause, StoredOf<Kinds['pointsBoosts']> {
  systemId: string;
}

export interface Leaderboard
  extends Entity,
    LeaderboardChanges,
    Omit<StoredOf<Kinds['leaderboards']>, 'runUnit' | 'league'> {
  /** A week is stored as 7 days. */
  runUnit: 'day' | 'month' | 'year' | null;
  league: League | null;
}

/** Awards name the boost that it gives. */
export interface Challenge extends Cause, StoredOf<Kinds['challenges']> {}

export interface Webhook extends Entity, Omit<StoredOf<Kinds['webhooks']>, 'status'> {
  /** `disabled` by laurel itself, because deliveries fail. */
  status: 'active' | 'inactive' | 'disabled';
  disabledReason: string | null;
  /** Signs what is delivered. Shown once. */
  secret: string;
  /** The secret before, and until when (ISO 8601) it signs beside the new one. */
  previousSecret: { secret: string; expires: string } | null;
}

export interface NotificationTemplate extends Entity, StoredOf<Kinds['notificationTemplates']> {}

export type Frequency = 'daily' | 'weekly' | 'monthly';
export type RecapFrequency = NonNullable<NotificationTemplate['frequency']>;

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

/** Entities that have a name here. Those of other kinds have the fields of their kind. */
interface NamedEntities {
  attributes: Attribute;
  metrics: Metric;
  achievements: Achievement;
  pointsSystems: PointsSystem;
  pointsLevels: PointsLevel;
  pointsTriggers: PointsTrigger;
  pointsBoosts: PointsBoost;
  leaderboards: Leaderboard;
  challenges: Challenge;
  webhooks: Webhook;
  notificationTemplates: NotificationTemplate;
}
type DeclaredLists = {
  [K in DeclaredKind]: (K extends keyof NamedEntities ? NamedEntities[K] : Entity & StoredOf<Kinds[K]>)[];
};

/** The kinds that are lists of entities; each is one `kind` in the table `entities`. */
export interface EntityLists extends DeclaredLists {
  counters: Counter[];
}

export type EntityKind = keyof EntityLists;
export type EntityOf<K extends EntityKind> = EntityLists[K][number];

/** Every kind, each after the kinds that it refers to. */
export const ENTITY_KINDS: readonly EntityKind[] = [...DECLARED_KINDS, 'counters'];

export const CAUSE_KINDS = ['pointsTriggers', 'pointsBoosts', 'challenges'] as const;
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
    ...(Object.fromEntries(ENTITY_KINDS.map((kind) => [kind, []])) as unknown as EntityLists),
    streak: DEFAULT_STREAK,
    settings: DEFAULT_SETTINGS,
  };
}
