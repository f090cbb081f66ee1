import { readRecord, readRecords } from '../state/recordLayout.ts';
import {
  IMPORT_DETAIL,
  IMPORTED_CHANGE,
  IMPORTED_COMPLETION,
  IMPORTED_STREAK,
  IMPORTED_USER,
} from './importLayout.ts';

/** A total that an import has changed: of a metric or a points system, by number. */
export interface ImportedTotal {
  entity: number;
  change: number;
  total: number;
}

/** A user whom lua/importUsers.lua has imported, with what changed. */
export interface ImportedUser {
  userId: string;
  /** For a new user: whether the user is in the control group. */
  control: boolean;
  profile: string | null;
  /** When the user was created elsewhere, ms; null if the file does not say so. */
  created: number | null;
  metrics: ImportedTotal[];
  points: ImportedTotal[];
  achievements: { achievement: number; completedAt: number }[];
  /** The imported streak; null if the user has another one. */
  streak: { length: number; lastPeriod: number; extendedAt: number } | null;
  /** Length of the longest streak of the user; 0 if the file does not say so. */
  longest: number;
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
  { userId, control, profile, created, streak }: Record<(typeof IMPORTED_USER.names)[number], unknown>,
  { metrics, points, achievements, hasStreak }: Record<(typeof IMPORT_DETAIL.names)[number], unknown>,
): ImportedUser {
  if (typeof userId !== 'string') throw new Error(`the user id is ${JSON.stringify(userId)}`);
  const given = streak ? readRecord(IMPORTED_STREAK, streak as number[]) : null;
  return {
    userId,
    control: control === true,
    profile: (profile as string | false) || null,
    created: (created as number | false) || null,
    metrics: totalsOf(metrics),
    points: totalsOf(points),
    achievements: readRecords(IMPORTED_COMPLETION, (achievements || []) as number[]) as {
      achievement: number;
      completedAt: number;
    }[],
    streak: hasStreak ? (given as unknown as ImportedUser['streak']) : null,
    longest: given === null ? 0 : (given.longest as number),
  };
}

const totalsOf = (flat: unknown): ImportedTotal[] =>
  readRecords(IMPORTED_CHANGE, (flat || []) as number[]) as unknown as ImportedTotal[];
