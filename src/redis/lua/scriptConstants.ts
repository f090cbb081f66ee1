import { GOAL_DAYS } from '../../base/challengeLimits.ts';
import { KEPT_PERIODS_MAX } from '../../base/limits.ts';
import { CHALLENGE_STEPS, type ChallengeStep } from '../../contract/challenge.ts';
import type { GuardName } from '../../contract/guards.ts';
import { VALUE_TYPES } from '../../contract/kinds/attributeKind.ts';
import { FREQUENCIES, frequencyNo, PERIODS_AROUND } from '../../rules/calendar.ts';
import { CLOCK } from '../../rules/conditions/facts.ts';
import { ATTRIBUTE_NUMBER_MAX } from '../../rules/conditions/typedValues.ts';
import { KEPT_MARKS } from '../../rules/counterMarks.ts';
import { COUNTER_KEEPS, RANK_BY, ROUNDING, STREAK_MODE, TRIGGER } from '../../rules/scriptRules.ts';
import { KEY_FILTER } from '../keys/keyFilter.ts';
import { ENTRY, ENTRY_FORMAT } from './entryFormat.ts';

/** Constants that TypeScript and the Lua scripts share, as luaNames.ts describes. */

/** Texts of which one is chosen, in arguments and replies of the scripts. Each is its own name. */
const choices = <T extends string>(...names: T[]) =>
  Object.fromEntries(names.map((name) => [name, name])) as { readonly [Name in T]: Name };

/**
 * Why a user is settled: something is due, newer time rules only need to look at the user, or the user's
 * block ends.
 */
const SETTLING = choices('due', 'review', 'unblock');

/** What a change did to a challenge of a user, beyond progress. */
export const CHALLENGE_STEP = Object.fromEntries(CHALLENGE_STEPS.map((step, i) => [step, i + 1])) as Record<
  ChallengeStep,
  number
>;

/** Operations of an administrator on a streak (AMENDMENT). */
export const AMEND = choices('freeze', 'pause', 'resume', 'restore', 'reset');
export type Amendment = keyof typeof AMEND;

/**
 * Operations of an administrator on a user, of the user on leaderboards and challenges, or of a leaderboard
 * that rewards the user (CORRECTION).
 */
export const CORRECT = choices(
  ...(['adjust', 'revoke', 'hide', 'show', 'optOut', 'optIn', 'block', 'unblock', 'reward'] as const),
  ...(['joinChallenge', 'leaveChallenge', 'claimChallenge', 'completeChallenge'] as const),
);

/** Why a script refuses what an administrator or an import asks for (src/engine/calls/userRefusals.ts). */
const REFUSED = choices(
  ...(['allFreezes', 'pauseInPast', 'pausesOverlap', 'allPauses'] as const),
  ...(['streakOff', 'noLostStreak', 'noStreak', 'hasEvents'] as const),
  ...(['challengeClosed', 'challengeCompleted', 'challengeNotCompleted', 'rewardsLapsed'] as const),
);
export type Refused = keyof typeof REFUSED;

/** How far a user of lua/importEvents.lua is, or why the user is not imported. */
export const IMPORT_STATUS = {
  done: 1,
  more: 2,
  calendar: 3,
  live: 4,
  changed: 5,
  erasing: 6,
  blocked: 7,
  held: 8,
} as const;

/** How long an imported user gets no messages, unless the file says otherwise. */
const IMPORT_SILENCE = { ms: 24 * 3_600_000 } as const;

/** How long a user whose past is being imported waits for the next call (lua/includes/importHold.lua). */
const IMPORT_HOLD = { seconds: 600 } as const;

/** Outcome of a change; the first value of each report. */
export const OUTCOME = {
  unchanged: 0,
  recorded: 1,
  replayed: 2,
  zoneNeeded: 3,
  noEmail: 4,
  outOfPoints: 5,
  unknownUser: 6,
  due: 7,
  settled: 8,
  erasing: 9,
  refused: 10,
  futureSignUp: 11,
  guarded: 12,
  clamped: 13,
  keyUnknown: 14,
  blocked: 15,
  historyNeeded: 16,
  held: 17,
  tooOld: 18,
  keyTaken: 19,
  facts: 20,
  challenges: 21,
  futureStreak: 22,
  streakKnown: 23,
} as const;

/** Numbers of the frequencies: daily 1, weekly 2, monthly 3. */
const FREQUENCY = Object.fromEntries(FREQUENCIES.map((name) => [name, frequencyNo(name)])) as Record<
  (typeof FREQUENCIES)[number],
  number
>;

/** How a missed period was made good. */
export const COVERED_BY = { freeze: 1, pause: 2, dayOff: 3 } as const;
export const MADE_GOOD_BY = new Map(
  Object.entries(COVERED_BY).map(([by, no]) => [no as number, by as keyof typeof COVERED_BY]),
);

/** The periods in `recentPeriods` of a user (lua/includes/recentPeriods.lua). */
export const RECENT_PERIODS = { count: KEPT_PERIODS_MAX, kinds: 4 } as const;

/**
 * Elements of the history that Redis keeps of a user (lua/includes/keptHistory.lua). It is forgotten when so
 * many changes have followed without a read.
 */
const KEPT_HISTORY = { lengthMax: 100 } as const;
/** Replies of lua/keepHistory.lua. */
export const KEEPING = { kept: 1, changed: 2, replaced: 3 } as const;

/** Guards of a metric. */
export const GUARD = { minValue: 1, maxValue: 2, cooldownSeconds: 3, limits: 4 } as const satisfies Record<
  GuardName,
  number
>;

/** What the value of an attribute is compared as, and the greatest absolute value of a number. */
const VALUE_TYPE = { ...choices(...VALUE_TYPES), numberMax: ATTRIBUTE_NUMBER_MAX } as const;
const FACT_KEY = { clock: CLOCK } as const;

/** Notices that are due at a local hour. */
export const NOTICE_KIND = { achievements: 1, reminder: 2, recap: 3, reactivation: 4 } as const;

/**
 * `due` of a user whom no settling will change, and, negative, of one who is getting another id
 * (lua/holdUser.lua).
 */
export const DUE = { never: 4_294_967_295, renamed: 4_294_967_296 } as const;

/** Fields of the hash that holds a user. */
export const USER_PART = { hot: 'h', cold: 'c' } as const;

/** Fields of the hash that holds the published rules. */
export const PUBLISHED = choices('version', 'config', 'time', 'timeVersion', 'timeSince');

/**
 * Ends of periods in a calendar: of each frequency, those of the current period and of some before and after
 * it.
 */
const CALENDAR = { periodsAround: PERIODS_AROUND, periodsKnown: 2 * PERIODS_AROUND + 1 } as const;

/**
 * A member of a ranking is a ticket and the user's id. Rankings order equal scores by member, so a ticket
 * falls with every arrival: hexadecimal digits of `max` minus the arrival.
 */
const TICKET_DIGITS = 12;
export const TICKET = {
  max: 16 ** TICKET_DIGITS - 1,
  size: TICKET_DIGITS,
  /** Stands instead of a ticket while an administrator hides the user from the leaderboard. */
  hidden: '-',
  /** The same while the user is hidden from all leaderboards. */
  away: '=',
  /** If a tenant is spread over cells, arrivals are numbered from this many times the instant (ms). */
  arrivalsPerMs: 64,
  /** For Lua's string.format. */
  format: `%0${TICKET_DIGITS}x`,
} as const;

/**
 * Buckets of a slice of idempotency keys (lua/includes/keyBuckets.lua). Redis keeps a set of at most 512
 * integers in 8 bytes each, by default. `sampleDigit` is the last character of one key in ten.
 */
const KEY_BUCKET = { max: 400, sampleDigit: 55 } as const;

/**
 * Numbers of no leaderboard: such an entry in the state of a user hides the user from all of them and says
 * why. Its run is the end of the block (lua/includes/blockUser.lua).
 */
export const BOARD = { optedOut: 0, blocked: -1 } as const;

/**
 * A seat in a run of a league is its number among those of a tier, times `cells`, plus the number of the cell
 * from 1 if tenants are spread over cells, else 0.
 */
export const SEAT = { cells: 2_048 } as const;

export const CONSTANTS = {
  BOARD,
  OUTCOME,
  FREQUENCY,
  COVERED_BY,
  RECENT_PERIODS,
  KEPT_HISTORY,
  KEEPING,
  VALUE_TYPE,
  FACT_KEY,
  GUARD,
  NOTICE_KIND,
  DUE,
  USER_PART,
  ENTRY,
  ENTRY_FORMAT,
  PUBLISHED,
  CALENDAR,
  TICKET,
  SEAT,
  KEY_BUCKET,
  KEY_FILTER,
  IMPORT_HOLD,
  IMPORT_SILENCE,
  IMPORT_STATUS,
  SETTLING,
  REFUSED,
  AMEND,
  CORRECT,
  CHALLENGE_STEP,
  TRIGGER,
  ROUNDING,
  RANK_BY,
  COUNTER_KEEPS,
  KEPT_MARKS,
  GOAL_DAYS,
  STREAK_MODE,
} as const;
