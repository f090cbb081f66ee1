import type { ReplacedHistory } from '../../rules/followStreak.ts';
import { LOSS_ROW } from '../layouts/historyRowLayout.ts';
import {
  IMPORT_DETAIL,
  IMPORTED_CHANGE,
  IMPORTED_COMPLETION,
  IMPORTED_STREAK,
  IMPORTED_USER,
  REPLACED_STREAK,
} from '../layouts/importLayout.ts';
import { type Flat, type RecordOf, readRecord, readRecords } from '../layouts/recordLayout.ts';
import { COVERED } from '../layouts/reportLayout.ts';
import { toCoveredPeriod } from './decodeOutcomes.ts';
import type { CoveredPeriod } from './outcome.ts';
import { readPeriods } from './streakRepair.ts';

/** A user whom lua/importUsers.lua has imported, with what changed. */
export interface ImportedUser {
  userId: string;
  /** For a new user: whether the user is in the control group. */
  control: boolean;
  profile: string | null;
  /** When the user was created elsewhere, ms; null if the file does not say so. */
  created: number | null;
  metrics: RecordOf<typeof IMPORTED_CHANGE>[];
  points: RecordOf<typeof IMPORTED_CHANGE>[];
  achievements: RecordOf<typeof IMPORTED_COMPLETION>[];
  /** The imported streak; null if the user has another one. */
  streak: RecordOf<typeof IMPORTED_STREAK> | null;
  /** What the history loses of the streak that this one replaces; null if it replaces none. */
  replaced: ReplacedHistory | null;
  /** Length of the longest streak of the user; 0 if the file does not say so. */
  longest: number;
  /** The periods that the streak has missed, and that were made good. */
  covered: CoveredPeriod[];
}

/** @throws Error if the lists are not those of the same users */
export function readImportedUsers(asked: unknown, details: unknown): ImportedUser[] {
  if (!Array.isArray(asked) || !Array.isArray(details)) throw new Error('the users are not a list of users');
  const users = readRecords(IMPORTED_USER, asked);
  const found = readRecords(IMPORT_DETAIL, details);
  if (users.length !== found.length) throw new Error(`the details are not those of ${users.length} users`);
  return users.map((user, i) => readImportedUser(user, found[i]!));
}

function readImportedUser(
  { userId, control, profile, created, streak, replaced }: RecordOf<typeof IMPORTED_USER>,
  { metrics, points, achievements, hasStreak, covered }: RecordOf<typeof IMPORT_DETAIL>,
): ImportedUser {
  if (typeof userId !== 'string') throw new Error(`the user id is ${JSON.stringify(userId)}`);
  const given = streak ? readRecord(IMPORTED_STREAK, streak) : null;
  return {
    userId,
    control: control === true,
    profile: profile || null,
    created: created || null,
    metrics: readRecords(IMPORTED_CHANGE, metrics || []),
    points: readRecords(IMPORTED_CHANGE, points || []),
    achievements: readRecords(IMPORTED_COMPLETION, achievements || []),
    streak: hasStreak ? given : null,
    replaced: hasStreak && replaced ? readReplaced(replaced) : null,
    longest: given === null ? 0 : given.longest,
    covered: readRecords(COVERED, covered || []).map(toCoveredPeriod),
  };
}

function readReplaced(flat: Flat<RecordOf<typeof REPLACED_STREAK>>): ReplacedHistory {
  const { periods, losses, longest } = readRecord(REPLACED_STREAK, flat);
  return { periods: readPeriods(periods), losses: readRecords(LOSS_ROW, losses), longest };
}
