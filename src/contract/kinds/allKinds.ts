import { ACHIEVEMENT } from './achievementKind.ts';
import { ATTRIBUTE } from './attributeKind.ts';
import { CHALLENGE } from './challengeKind.ts';
import type { Kind } from './kind.ts';
import { LEADERBOARD } from './leaderboardKind.ts';
import { METRIC } from './metricKind.ts';
import { NOTIFICATION_TEMPLATE } from './notificationTemplateKind.ts';
import { POINTS_BOOST } from './pointsBoostKind.ts';
import { POINTS_LEVEL } from './pointsLevelKind.ts';
import { POINTS_SYSTEM } from './pointsSystemKind.ts';
import { POINTS_TRIGGER } from './pointsTriggerKind.ts';
import { WEBHOOK } from './webhookKind.ts';

/** The kinds by their list in the configuration, each after the kinds that it refers to. */
export const KINDS = {
  attributes: ATTRIBUTE,
  metrics: METRIC,
  achievements: ACHIEVEMENT,
  pointsSystems: POINTS_SYSTEM,
  pointsLevels: POINTS_LEVEL,
  pointsTriggers: POINTS_TRIGGER,
  pointsBoosts: POINTS_BOOST,
  leaderboards: LEADERBOARD,
  challenges: CHALLENGE,
  webhooks: WEBHOOK,
  notificationTemplates: NOTIFICATION_TEMPLATE,
} satisfies Record<string, Kind>;
export type Kinds = typeof KINDS;
export type DeclaredKind = keyof Kinds;
/** The kinds of what belongs to a points system. */
export type PartKind = { [K in DeclaredKind]: Kinds[K] extends { isPart: true } ? K : never }[DeclaredKind];

export const DECLARED_KINDS = Object.keys(KINDS) as DeclaredKind[];
const isPart = (kind: DeclaredKind): kind is PartKind => 'isPart' in KINDS[kind];
export const PART_KINDS = DECLARED_KINDS.filter(isPart);

/** One value for each kind. */
export const ofEachKind = <T>(make: (kind: DeclaredKind) => T) =>
  Object.fromEntries(DECLARED_KINDS.map((kind) => [kind, make(kind)])) as Record<DeclaredKind, T>;

/** The name of a kind in messages. */
export const nounOf = (kind: DeclaredKind | 'counters'): string => {
  if (kind === 'counters') return 'counter';
  const { noun, one }: Kind = KINDS[kind];
  return noun ?? one;
};
