import { type DeliveryRows, noDeliveryRows } from './writeDeliveries.ts';

/** Instants are milliseconds since 1970, days are ordinals since 1970, whatever is configured is named by its number. */
export interface HistoryRows extends DeliveryRows {
  users: UserRow[];
  events: EventRow[];
  awards: AwardRow[];
  completions: CompletionRow[];
  extensions: ExtensionRow[];
  /** At most one for each (tenant, userId, leaderboard, run, day, group). */
  leaderboardChanges: LeaderboardChangeRow[];
  /** At most one for each (tenant, userId, system): the latest. */
  pointsTotals: PointsTotalRow[];
  /** At most one for each (tenant, userId, attribute): the latest. */
  userAttributes: UserAttributeRow[];
  /** At most one for each (tenant, userId, frequency): the latest, but for `longest`. */
  streakStandings: StreakStandingRow[];
  /** At least as new as the other rows. */
  states: StatesRow[];
}

/** To be filled. */
export const noHistoryRows = (): HistoryRows => ({
  users: [],
  events: [],
  awards: [],
  completions: [],
  extensions: [],
  leaderboardChanges: [],
  pointsTotals: [],
  userAttributes: [],
  streakStandings: [],
  states: [],
  ...noDeliveryRows(),
});

export interface UserRow {
  tenant: number;
  userId: string;
  createdAt: number;
}

export interface EventRow {
  tenant: number;
  userId: string;
  metric: number;
  recordedAt: number;
  sequence: number;
  day: number;
  value: number;
  total: number;
  eventId: string;
  fingerprint: string | null;
  /** JSON. */
  attributes: string | null;
}

export interface AwardRow {
  tenant: number;
  userId: string;
  system: number;
  recordedAt: number;
  sequence: number;
  n: number;
  id: string;
  trigger: number;
  day: number;
  awarded: number;
  total: number;
  boosts: number[];
}

export interface CompletionRow {
  tenant: number;
  userId: string;
  achievement: number;
  completedAt: number;
  day: number;
}

export interface ExtensionRow {
  tenant: number;
  userId: string;
  frequency: 'daily' | 'weekly' | 'monthly';
  period: number;
  length: number;
  day: number;
  extendedAt: number;
  /** What kept the streak in a period that was missed; null for one that was extended. */
  madeGoodBy: 'freeze' | 'pause' | null;
}

export interface LeaderboardChangeRow {
  tenant: number;
  userId: string;
  leaderboard: number;
  /** First day of the run. */
  run: number;
  day: number;
  group: string;
  rank: number | null;
  value: number;
  previousRank: number | null;
  previousValue: number;
  changedAt: number;
  firstSequence: number;
  lastSequence: number;
}

/** The states of users whom a batch changed, packed (src/redis/storedStates.ts). */
export interface StatesRow {
  readAt: number;
  users: Buffer;
  states: Buffer;
}

export interface PointsTotalRow {
  tenant: number;
  userId: string;
  system: number;
  total: number;
  sequence: number;
}

export interface UserAttributeRow {
  tenant: number;
  userId: string;
  attribute: number;
  /** null clears. */
  value: string | null;
  sequence: number;
}

export interface StreakStandingRow {
  tenant: number;
  userId: string;
  frequency: 'daily' | 'weekly' | 'monthly';
  length: number;
  lastPeriod: number;
  /** Of the lengths that the batch knows of. */
  longest: number;
  sequence: number;
}

/** An outbox entry that cannot become rows. */
export interface DeadEntryRow {
  /** null when the entry does not tell. */
  tenant: number | null;
  shard: number;
  entryId: string;
  reason: string;
  fields: Buffer[];
}
