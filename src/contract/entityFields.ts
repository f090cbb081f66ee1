import type { AchievementTrigger } from './achievement.ts';
import type { TriggerType } from './points.ts';

/**
 * Fields that identify an entity for clients and files, or that the state of users depends on. They cannot be
 * changed.
 */
export const FIXED_FIELDS = {
  attributes: ['key', 'type'],
  metrics: ['key'],
  pointsSystems: ['key'],
  pointsLevels: ['key'],
  pointsBoosts: ['userId'],
} as const;
/** Fields that rankings depend on. They cannot be changed once there may be rankings. */
export const FIXED_OF_LEADERBOARD = [
  'rankBy',
  'metricId',
  'pointsSystemId',
  'sortOrder',
  'aggregation',
  'ties',
  'eventAttributes',
  // The start decides when runs begin, and the first day identifies a run.
  'start',
  'runUnit',
  'runInterval',
  // With a daily window a leaderboard ranks gains, without one it may rank totals.
  'startTime',
  'endTime',
  'timeZone',
  'breakdownAttributes',
] as const;

/**
 * For each value of a field: the fields that it needs and allows. Any other field of the table must be empty.
 */
export type FieldTable = Record<string, { needs: string[]; allows?: string[] }>;

const TRIGGER_FIELDS: Record<TriggerType, FieldTable[string]> = {
  metric: { needs: ['metricId', 'metricThreshold'], allows: ['eventAttributes', 'blockIfOutOfPoints'] },
  streak: { needs: ['streakLength'] },
  achievement: { needs: ['achievementId'] },
  time: { needs: ['timeUnit', 'timeInterval'] },
  user_creation: { needs: [] },
};

/** Fields that exist for some values of another field, `choice`. */
export interface ChosenFields {
  choice: string;
  table: FieldTable;
}

export const CHOSEN_FIELDS = {
  achievements: {
    choice: 'trigger',
    table: {
      metric: { needs: ['metricId', 'metricValue'], allows: ['eventAttributes'] },
      streak: { needs: ['streakLength'] },
      api: { needs: [] },
      achievement: { needs: ['achievementIds'] },
      anniversary: { needs: ['anniversaryYears'] },
    } satisfies Record<AchievementTrigger, FieldTable[string]>,
  },
  pointsTriggers: { choice: 'type', table: TRIGGER_FIELDS },
  leaderboards: {
    choice: 'rankBy',
    table: {
      metric: { needs: ['metricId'], allows: ['eventAttributes', 'runUnit', 'runInterval'] },
      points: { needs: ['pointsSystemId'], allows: ['runUnit', 'runInterval'] },
      // A streak cannot be gained within a run, so such a leaderboard is perpetual.
      streak: { needs: [] },
    },
  },
} satisfies Record<string, ChosenFields>;
