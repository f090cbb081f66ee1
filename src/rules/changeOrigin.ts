import type { Achievement, Leaderboard, Metric, PointsSystem } from './config.ts';

/** What a change of a user starts from. At most one field is set; none when a user is only identified. */
export interface ChangeOrigin {
  /** An event of this metric. */
  metric?: Metric;
  /** This achievement, completed through the API. */
  achievement?: Achievement;
  /** An administrator adjusts the points of this system. */
  adjusted?: PointsSystem;
  /** An administrator hides the user from this leaderboard, or shows the user again. */
  board?: Leaderboard;
  /** Time that has passed. */
  time?: true;
  /** Achievements or leaderboards that were activated after the user had qualified for them. */
  activation?: true;
}
