import type { GuardName } from '../../contract/guards.ts';
import { FREQUENCIES, frequencyNo, PERIODS_AROUND } from '../../rules/calendar.ts';
import { KEY_FILTER } from '../usedKeys/keyFilter.ts';
import { ENTRY, ENTRY_FORMAT } from './entryFormat.ts';
import { IMPORT_HOLD, IMPORT_SILENCE, IMPORT_STATUS } from './importLayout.ts';
import { CHOICES } from './scriptChoices.ts';

/** Constants that TypeScript and the Lua scripts share, as scriptLayout.ts describes. */

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
} as const;

/** Numbers of the frequencies: daily 1, weekly 2, monthly 3. */
export const FREQUENCY = Object.fromEntries(FREQUENCIES.map((name) => [name, frequencyNo(name)])) as Record<
  (typeof FREQUENCIES)[number],
  number
>;

/** How a missed period was made good. */
export const COVERED_BY = { freeze: 1, pause: 2, dayOff: 3 } as const;

/** Guards of a metric. */
export const GUARD = { minValue: 1, maxValue: 2, cooldownSeconds: 3, limits: 4 } as const satisfies Record<
  GuardName,
  number
>;

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
export const PUBLISHED = {
  version: 'version',
  config: 'config',
  time: 'time',
  timeVersion: 'timeVersion',
  timeSince: 'timeSince',
} as const;

/**
 * Ends of periods in a calendar: of each frequency, those of the current period and of some before and after
 * it.
 */
export const CALENDAR = { periodsAround: PERIODS_AROUND, periodsKnown: 2 * PERIODS_AROUND + 1 } as const;

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
export const KEY_BUCKET = { max: 400, sampleDigit: 55 } as const;

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
  ...CHOICES,
} as const;
