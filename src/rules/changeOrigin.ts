import type { Achievement, Challenge, Leaderboard, Metric, PointsSystem } from './config.ts';

/** What a change of a user starts from. */
export type ChangeOrigin =
  | { kind: 'event'; metric: Metric }
  /** The event undoes another one, of a local day (ordinal), which was recorded at an instant (ms). */
  | { kind: 'undo'; metric: Metric; systems: readonly PointsSystem[]; day: number; arrivedAt: number }
  /** The achievement is completed through the API. */
  | { kind: 'completion'; achievement: Achievement }
  /** An administrator adjusts the points of a system. */
  | { kind: 'adjustment'; system: PointsSystem }
  /** A leaderboard gives rewards for a final run. */
  | { kind: 'reward' }
  /** A user or an administrator takes a step in a challenge. */
  | { kind: 'challenge'; challenge: Challenge }
  /** The user is hidden from a leaderboard (null: from all), or shown again. */
  | { kind: 'visibility'; board: Leaderboard | null }
  /** A lost streak is restored, which can make a longer one of it and the present one. */
  | { kind: 'restoredStreak' }
  /** Time that has passed. */
  | { kind: 'time' }
  /**
   * Achievements or leaderboards that were activated after the user had qualified for them. `achievements`:
   * ids; null for all that there are.
   */
  | { kind: 'activation'; achievements: readonly string[] | null }
  /** Any other change: of the profile, the preferences or the streak, or a revocation. */
  | { kind: 'other' };
