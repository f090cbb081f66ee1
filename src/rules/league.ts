export interface LeagueTier {
  /** Names the tier in the states of users and in the names of groups. Never given to another key. */
  no: number;
  key: string;
  name: string;
  /** How many of the first members of a group go up a tier, and how many of the last ones go down. */
  promote: number;
  demote: number;
}

/** A deleted tier, and the tier to which its users went. */
export interface FormerTier {
  no: number;
  key: string;
  becomes: number;
}

/** What a league is from a run on, until the run with which other settings begin. */
export interface LeagueSettings {
  /** Number of the first run with these settings. The first run of the leaderboard is 0. */
  fromRun: number;
  groupSize: number;
  /** Users without a rank in a run keep their tier, or lose one. */
  idle: 'stay' | 'demote';
  /** The lowest first. */
  tiers: LeagueTier[];
  former: FormerTier[];
}

/** Settings in the order of their runs. The last ones are those of the configuration. */
export type League = LeagueSettings[];

export type LeagueOutcome = 'promoted' | 'stayed' | 'demoted';
