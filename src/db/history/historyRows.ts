import type { ChallengeStep } from '../../contract/challenge.ts';
import type { AwardReward } from '../../rules/award.ts';
import { DAY_MS } from '../../rules/calendar.ts';
import type { Frequency } from '../../rules/config.ts';
import type { EarnedFreezes, RecordedLoss, RecordedPeriod } from '../../rules/followStreak.ts';
import type { MadeGoodBy } from '../../rules/streakHistory.ts';
import type { DailyCounts, DayOf } from '../analytics/dailyCounts.ts';
import type { UserKey } from '../users/userMap.ts';
import type { ReceiptRow } from './receiptRows.ts';

/**
 * Rows of the history. Instants are milliseconds since 1970, days are ordinals since 1970, entities are given
 * by their numbers.
 */
export interface HistoryRows {
  /** Day ordinal of an instant, in the tenant's time zone. */
  dayOf: DayOf;
  /** The outbox entries that the rows come from. */
  entries: EntryRow[];
  /** Entries of earlier batches that have left the outboxes. */
  acknowledged: EntryId[];
  /** Of the transaction that writes the rows; null if no entries leave an outbox because of it. */
  receipt: ReceiptRow | null;
  /** The first day of a run of a challenge, an ordinal; null if the challenge is not known. */
  firstDayOfRun: FirstDayOfRun;
  /** Each (tenant, userId, metric, day) once. */
  activity: ActivityRow[];
  users: UserRow[];
  events: EventRow[];
  /** Awards that no event caused. */
  awards: AwardRow[];
  completions: CompletionRow[];
  repeatedCompletions: RepeatedCompletionRow[];
  revocations: RevocationRow[];
  challengeSteps: ChallengeStepRow[];
  reachedGoals: ReachedGoalRow[];
  extensions: ExtensionRow[];
  losses: LossRow[];
  resets: ResetRow[];
  earnedFreezes: EarnedFreezesRow[];
  /** At most one for each (tenant, userId, leaderboard, run, day, group). */
  leaderboardChanges: LeaderboardChangeRow[];
  /** At most one for each (tenant, userId, system): the latest. */
  pointsTotals: PointsTotalRow[];
  /** At most one for each (tenant, userId): the latest. */
  profiles: ProfileRow[];
  /** At most one for each (tenant, userId, attribute): the latest. */
  userAttributes: UserAttributeRow[];
  /** At most one for each (tenant, userId, frequency): the latest; `longest` is the maximum of the batch. */
  streakStandings: StreakStandingRow[];
  /** Read after the entries, so they contain the effects of the other rows. */
  states: StatesRow[];
}

export type FirstDayOfRun = (row: { tenant: number; challenge: number; run: number }) => number | null;

const dayInUtc: DayOf = (_tenant, instant) => Math.floor(instant / DAY_MS);

/** Empty rows, for the caller to fill. */
export const noHistoryRows = (dayOf = dayInUtc): HistoryRows => ({
  dayOf,
  entries: [],
  acknowledged: [],
  receipt: null,
  firstDayOfRun: () => null,
  activity: [],
  users: [],
  events: [],
  awards: [],
  completions: [],
  repeatedCompletions: [],
  revocations: [],
  challengeSteps: [],
  reachedGoals: [],
  extensions: [],
  losses: [],
  resets: [],
  earnedFreezes: [],
  leaderboardChanges: [],
  pointsTotals: [],
  profiles: [],
  userAttributes: [],
  streakStandings: [],
  states: [],
});

/** Position of an outbox entry. */
export interface EntryId {
  cell: number;
  entryId: string;
}

/** An outbox entry with its dailyCounts of events, points and ranks, and the positions of its rows. */
export interface EntryRow extends EntryId {
  dailyCounts: DailyCounts;
  repaired: readonly RepairedRows[];
  events: DayRange;
  awards: DayRange;
}

/** Rows of a user's streak that a late event or an import replaces or removes. */
export interface RepairedRows extends UserKey {
  frequency: Frequency;
  periods: readonly RecordedPeriod[];
  losses: readonly RecordedLoss[];
  earned: readonly EarnedFreezes[];
  /** The longest streak without these rows, as of a change of the user; null if that stays as it is. */
  longest: { length: number; sequence: number } | null;
}

/** Positions in a list of rows, without `end`. */
export interface DayRange {
  start: number;
  end: number;
}

/** A day, an ordinal in the tenant's time zone, on which a user had an event of a metric. */
export interface ActivityRow extends UserKey {
  metric: number;
  day: number;
}

export interface UserRow extends UserKey {
  createdAt: number;
  /** Whether the user is in the control group. */
  control: boolean;
}

export interface ProfileRow extends UserKey {
  /** undefined if no change of the batch set it; null clears it. */
  name: string | null | undefined;
  email: string | null | undefined;
  sequence: number;
}

/** A streak that was lost. */
export interface LossRow extends UserKey {
  frequency: Frequency;
  /** The last period that was extended or made good. */
  period: number;
  length: number;
  lostAt: number;
}

/** A streak that an administrator ended, in the period of that instant. */
export interface ResetRow extends UserKey {
  frequency: Frequency;
  period: number;
  resetAt: number;
}

/** Freezes that a user earned by the passing of time. */
export interface EarnedFreezesRow extends UserKey {
  earnedAt: number;
  freezes: number;
}

export interface EventRow extends UserKey {
  metric: number;
  recordedAt: number;
  sequence: number;
  day: number;
  value: number;
  total: number;
  eventId: string;
  fingerprint: string | null;
  /** When the event was recorded, if not at `recordedAt`. */
  arrivedAt: number | null;
  /** JSON. */
  attributes: string | null;
  /** JSON of the awards that the event caused (`awards` in src/db/migrations/001_schema.sql). */
  awards: string | null;
}

export interface AwardRow extends UserKey {
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
  reward: AwardReward | null;
}

export interface CompletionRow extends UserKey {
  achievement: number;
  completedAt: number;
  day: number;
}

/** A completion in one more period. */
export interface RepeatedCompletionRow extends CompletionRow {
  sequence: number;
  /** How often the achievement was completed by then. */
  times: number;
  /** When it was completed for the first time. */
  firstAt: number;
}

/** A completion that was revoked. */
export interface RevocationRow extends UserKey {
  achievement: number;
  revokedAt: number;
}

/** What a user has reached in a run of a challenge, by its number. */
export interface ReachedGoalRow extends UserKey {
  challenge: number;
  run: number;
  /** Key of the goal; '' for the first event that counted. */
  goal: string;
  reachedAt: number;
}

/** A step of a user in a run of a challenge, by its number. */
export interface ChallengeStepRow extends UserKey {
  challenge: number;
  run: number;
  step: ChallengeStep;
  happenedAt: number;
}

export interface ExtensionRow extends UserKey {
  frequency: Frequency;
  period: number;
  length: number;
  day: number;
  extendedAt: number;
  /** What kept the streak in a missed period; null for an extended period. */
  madeGoodBy: MadeGoodBy | null;
}

export interface LeaderboardChangeRow extends UserKey {
  leaderboard: number;
  /** First day of the run. */
  run: number;
  day: number;
  group: string;
  rank: number | null;
  value: number;
  previousRank: number | null;
  previousValue: number | null;
  changedAt: number;
  firstSequence: number;
  lastSequence: number;
}

/** States of the users that a batch changed, packed (src/redis/state/storedStates.ts). */
export interface StatesRow {
  readAt: number;
  users: Buffer;
  states: Buffer;
}

export interface PointsTotalRow extends UserKey {
  system: number;
  total: number;
  sequence: number;
}

export interface UserAttributeRow extends UserKey {
  attribute: number;
  /** null clears. */
  value: string | null;
  sequence: number;
}

export interface StreakStandingRow extends UserKey {
  frequency: Frequency;
  length: number;
  lastPeriod: number;
  /** Maximum of the lengths in the batch. */
  longest: number;
  sequence: number;
}
