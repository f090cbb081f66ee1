/* What administrators change of leaderboards by hand (docs/leaderboards.md). */

export interface LeaderboardChanges {
  /** Runs whose last day was changed, in order. */
  runEnds: MovedRunEnd[];
  /** In order. */
  pauses: LeaderboardPause[];
}

export interface MovedRunEnd {
  /** Number of the run, from 0. */
  run: number;
  /** Its last day, YYYY-MM-DD. */
  end: string;
  reason: string;
}

/** What is recorded in a pause, or happened in it, does not count. */
export interface LeaderboardPause {
  /** ISO 8601, from inclusive, to exclusive; null until the leaderboard is resumed. */
  from: string;
  to: string | null;
  reason: string;
  resumeReason: string | null;
}
