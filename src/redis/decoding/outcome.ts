import type { GuardName } from '../../contract/guards.ts';
import type { ReportedFacts } from '../../rules/conditions/facts.ts';
import type { Frequency, RecapFrequency } from '../../rules/config.ts';
import type { MadeGoodBy } from '../../rules/streakHistory.ts';
import type { Refused } from '../lua/scriptConstants.ts';
import type { ChallengeChange } from './challengeStates.ts';

/**
 * A script's report of one change. The headers of lua/recordEvents.lua, changeUser.lua and settleUsers.lua
 * list the outcomes.
 */
export type Outcome =
  | ({ status: 'recorded' } & Changes)
  | ({ status: 'settled' } & Settled)
  | { status: 'replayed'; day: number; total: number; streak: StreakNow; usedAt: number | null }
  | { status: 'unchanged' }
  | { status: 'zoneNeeded'; zone: string }
  | { status: 'noEmail' }
  | { status: 'futureSignUp' }
  /** The last day of an imported streak has not begun where the user is. */
  | { status: 'futureStreak' }
  /** The history must say what it has of the streak that an earlier import has set. `extendedAt`: ms. */
  | ({ status: 'streakKnown'; sequence: number } & ImportedPeriod)
  | { status: 'outOfPoints'; system: number }
  /** An administrator has blocked the user. `until`: ms; null without an end. */
  | { status: 'blocked'; until: number | null }
  | { status: 'unknownUser' }
  | { status: 'erasing' }
  /** A guard of the metric refuses the event. `allowedAt`: ms; null if waiting does not help. */
  | { status: 'guarded'; guard: GuardName; allowedAt: number | null }
  /**
   * A guard of the metric holds the event for a review; null if the event was held before. `usedAt`: then the
   * instant in its id (ms), if it has one.
   */
  | { status: 'held'; guard: GuardName | null; usedAt: number | null }
  /** What an administrator or an import asks for cannot be done. `limit`: the one that the reason names. */
  | { status: 'refused'; reason: Refused; limit: number | false }
  /**
   * The user must first be settled as of this instant (seconds since 1970); then the change can be tried
   * again.
   */
  | { status: 'due'; at: number }
  /** The key of a metrics event was used by another event of this metric. */
  | { status: 'keyTaken' }
  /** A late event is too old, and its key was not used. */
  | { status: 'tooOld' }
  /** The history must say what a late event changes. */
  | { status: 'historyNeeded'; zone: string }
  /** PostgreSQL must be asked about the idempotency key, or about that of an earlier event of the user. */
  | { status: 'keyUnknown' };

/** The last period of an imported streak. */
export interface ImportedPeriod {
  lastPeriod: number;
  /** Milliseconds since 1970. */
  extendedAt: number;
}

/** The outcome of an event that counts, now or before. */
export type RecordedEvent = Extract<Outcome, { status: 'recorded' | 'replayed' }>;

export interface Changes {
  /** The user's sequence number after the change. */
  sequence: number;
  isNew: boolean;
  /** The user's local day. */
  day: number;
  /** Total of the event's metric. */
  total: number;
  /** Frequency of the streak. */
  frequency: Frequency;
  streak: StreakNow;
  extended: boolean;
  /** Numbers of the achievements completed. */
  completed: number[];
  /** Numbers of achievements that were earned earlier: they cause no notification and no webhook. */
  completedSilently: number[];
  /** Achievements that were completed in one more period. */
  repeated: RepeatedCompletion[];
  points: PointsChange[];
  boards: BoardChange[];
  /** The value that counts instead of the one that was sent, and the guard of the metric that reduced it. */
  clamped?: { to: number; by: GuardName };
  /** What conditions have asked of the user at the event, for the history. */
  facts?: ReportedFacts;
  /** Challenges that the event has changed; absent if there are none. */
  challenges?: ChallengeChange[];
}

export interface RepeatedCompletion {
  /** Number of the achievement. */
  achievement: number;
  /** Whether it causes no notification, webhook or points. */
  isSilent: boolean;
  /** How often the user has completed it by now. */
  times: number;
  /** When the user completed it for the first time, ms. */
  firstAt: number;
}

/** A missed period of a streak that was made good. */
export interface CoveredPeriod {
  period: number;
  by: MadeGoodBy;
  /** Of the streak that was kept. */
  length: number;
}

/** Results of settling a user: changes of the streak, and points of time triggers. */
export interface Settled extends Changes {
  /** Length of the lost streak; 0 if no streak was lost. */
  lost: number;
  /** Number of freezes earned. */
  earned: number;
  /** Number of freezes left. */
  freezes: number;
  /** Missed periods that were made good. */
  covered: CoveredPeriod[];
  /** Notices that are due for the user now. */
  notices: Notice[];
}

/** Periods and days are ordinals since 1970. */
export type Notice =
  /** Numbers of achievements. */
  | { type: 'achievement_completed'; achievements: number[] }
  /** `period`: the streak is lost at the end of this period. */
  | { type: 'streak_reminder'; frequency: Frequency; period: number }
  /** `firstDay`: first day of the period of the recap. */
  | { type: 'recap'; frequency: RecapFrequency; firstDay: number }
  | { type: 'reactivation'; messageNumber: number; days: number };

/** The streak of the frequency in force. */
export interface StreakNow {
  length: number;
  firstDay: number;
  lastPeriod: number;
  /** A mask (src/rules/daysOff.ts). */
  daysOff: number;
}

export interface PointsChange {
  system: number;
  total: number;
  added: number;
  awards: Award[];
}

export interface Award {
  trigger: number;
  awarded: number;
  /** Total after the award. */
  total: number;
  boosts: number[];
}

export interface BoardChange {
  board: number;
  /** First day of the run. */
  run: number;
  rank: number | null;
  previousRank: number | null;
  /** The value of the last rank if all ranks are taken, else 0. */
  threshold: number;
  value: number;
  /** null if the user had none. */
  previousValue: number | null;
  /** As in the key of the ranking (parseGroup). */
  group: string;
  /** The group whose ranking the user has left for this one; null if there is none. */
  leftGroup: string | null;
}

/**
 * The values of the breakdown attributes, in their order, from a group's name "<length>:<value>,…" (length in
 * bytes).
 */
export function parseGroup(group: string): string[] {
  const bytes = Buffer.from(group);
  const values: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const colon = bytes.indexOf(':', at);
    const end = colon + 1 + Number(bytes.toString('utf8', at, colon));
    values.push(bytes.toString('utf8', colon + 1, end));
    at = end + 1;
  }
  return values;
}

export function groupName(values: string[]): string {
  return values.map((value) => `${Buffer.byteLength(value)}:${value}`).join(',');
}
