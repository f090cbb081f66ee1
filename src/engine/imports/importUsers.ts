import { type Cells, cellOf } from '../../base/cells.ts';
import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { ImportRecord } from '../../db/imports/importRows.ts';
import { readImportedStreak } from '../../db/users/readImportedStreak.ts';
import { decodeOutcomes } from '../../redis/decoding/decodeOutcomes.ts';
import type { ImportedPeriod, Outcome } from '../../redis/decoding/outcome.ts';
import { periodRows } from '../../redis/decoding/streakRepair.ts';
import { LOSS_ROW } from '../../redis/layouts/historyRowLayout.ts';
import {
  IMPORTED_CHALLENGE,
  IMPORTED_COMPLETION,
  IMPORTED_STREAK,
  IMPORTED_TOTAL,
  IMPORTED_USER,
  REPLACED_STREAK,
} from '../../redis/layouts/importLayout.ts';
import { type Flat, type RecordOf, toRecord, toRecords } from '../../redis/layouts/recordLayout.ts';
import { periodDays, periodOfDay, startOfLocalDay } from '../../rules/calendar.ts';
import type { ReplacedHistory } from '../../rules/followStreak.ts';
import type { ImportedRow } from '../../rules/importedRows.ts';
import { isInControlGroup } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { History } from '../availability/historyReads.ts';
import type { ScriptAttempt } from '../calls/retries.ts';
import type { RulesStore } from '../calls/rulesStore.ts';
import { buildCall, packProfile } from '../calls/scriptCall.ts';
import type { ScriptCallDependencies } from '../calls/settler.ts';
import type { Stores } from '../stores/stores.ts';
import type { Erasures } from '../users/erasures.ts';
import type { UserChanges } from '../users/userChanges.ts';
import { reasonOfRefusal } from './importRefusals.ts';
import { readUserValues, type StreakOfRow, type UserValues } from './userValues.ts';

/** What imports work with. */
export interface ImportDependencies extends Stores, ScriptCallDependencies {
  rulesStore: RulesStore;
  scripts: ScriptCallDependencies['scripts'];
  clock: Clock;
  users: Pick<UserChanges, 'prefer'>;
  history: Pick<History, 'readUser'>;
}

/** A row that is not applied, and why. */
export interface RefusedImportedRow {
  row: ImportedRow;
  reason: string;
}

interface Attempt extends ScriptAttempt {
  row: ImportedRow;
  values: UserValues;
  /** That the row names; null if the last one that the script has asked for counts. */
  zone: string | null;
  /** What the history has of the streak that the row replaces, once the script has asked for it. */
  replaced: ReplacedStreak | null;
}

/** As of a sequence number of the user. */
type ReplacedStreak = ReplacedHistory & { sequence: number };

/**
 * Imports users as they were elsewhere (lua/importUsers.lua), some of one cell in each call.
 * @param rows each user at most once
 * @returns the rows that are refused; null if one may be of a user who has been erased since they were read
 */
export async function importUsers(
  deps: ImportDependencies,
  rulesAtFirst: Rules,
  record: Pick<ImportRecord, 'merge' | 'no'>,
  rows: readonly ImportedRow[],
  now: number,
  erasures: Erasures,
): Promise<RefusedImportedRow[] | null> {
  for (let rules = rulesAtFirst; ; ) {
    try {
      return await importBy(deps, rules, record, rows, now, erasures);
    } catch (error) {
      if (!(error instanceof NewerRules)) throw error;
      rules = error.rules;
    }
  }
}

/** What a row means depends on the rules: a day of a streak is in another period if its frequency changes. */
class NewerRules extends Error {
  readonly rules: Rules;

  constructor(rules: Rules) {
    super('the configuration has changed');
    this.rules = rules;
  }
}

/** @throws NewerRules; rows that are imported already change nothing when they are imported again */
async function importBy(
  deps: ImportDependencies,
  rules: Rules,
  { merge, no }: Pick<ImportRecord, 'merge' | 'no'>,
  rows: readonly ImportedRow[],
  now: number,
  erasures: Erasures,
): Promise<RefusedImportedRow[] | null> {
  const refused: RefusedImportedRow[] = [];
  const addingImport = merge === 'add' ? no : 0;
  for (const attempts of byCell(deps.cells, rules, prepare(deps, rules, rows, now, refused))) {
    const done = await deps.retries.untilDone(rules, attempts, (latest, left, instant) => {
      if (latest.config.version !== rules.config.version) throw new NewerRules(latest);
      return call(deps, rules, left, instant, { addingImport, erasures });
    });
    if (done.some(({ answer }) => answer.status === 'erasing')) return null;
    for (const { attempt, answer } of done) {
      const reason = reasonOfRefusal(rules, answer);
      if (reason !== null) refused.push({ row: attempt.row, reason });
      const visible = attempt.values.preferences?.isOnLeaderboards;
      const isNew = answer.status === 'recorded' && answer.isNew;
      // The script has hidden new users, before their first rank.
      if (reason === null && visible !== undefined && !isNew)
        await deps.users.prefer(rules, attempt.userId, { leaderboards: { visible } });
    }
  }
  return refused;
}

function prepare(
  { retries }: ScriptCallDependencies,
  rules: Rules,
  rows: readonly ImportedRow[],
  now: number,
  refused: RefusedImportedRow[],
): Attempt[] {
  return rows.flatMap((row) => {
    try {
      const values = readUserValues(rules, row.content, now);
      const zone = values.profile ? values.profile.tz || null : null;
      const { userId, zones } = retries.begin(rules, row.userId, zone);
      return [{ userId, zones, tries: 0, row, values, zone, replaced: null }];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ row, reason: error.message });
      return [];
    }
  });
}

function byCell(cells: Cells, { tenant }: Rules, attempts: readonly Attempt[]): Attempt[][] {
  const found = new Map<number, Attempt[]>();
  for (const attempt of attempts) {
    const cell = cellOf(tenant, attempt.userId, cells);
    const ofCell = found.get(cell);
    if (ofCell === undefined) found.set(cell, [attempt]);
    else ofCell.push(attempt);
  }
  return [...found.values()];
}

/** Calls the script, and again for those of whose earlier streak the history has to say more. */
async function call(
  deps: ImportDependencies,
  rules: Rules,
  attempts: readonly Attempt[],
  now: number,
  options: CallOptions,
): Promise<Outcome[] | null> {
  const outcomes = await callScript(deps, rules, attempts, now, options);
  if (outcomes === null) return null;
  const again: number[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status !== 'streakKnown') continue;
    const attempt = attempts[i]!;
    attempt.replaced = await findReplaced(deps, rules, attempt.userId, outcome);
    deps.retries.countTry(attempt);
    again.push(i);
  }
  if (again.length === 0) return outcomes;
  const left = again.map((i) => attempts[i]!);
  const answers = await call(deps, rules, left, now, options);
  if (answers === null) return null;
  for (const [n, i] of again.entries()) outcomes[i] = answers[n]!;
  return outcomes;
}

async function findReplaced(
  { history }: ImportDependencies,
  { tenant, config }: Rules,
  userId: string,
  { sequence, ...period }: ImportedPeriod & { sequence: number },
): Promise<ReplacedStreak> {
  const user = { tenant, userId };
  const { frequency } = config.streak;
  return history.readUser(user, async (rows) => ({
    ...(await readImportedStreak(rows, user, frequency, period)),
    sequence,
  }));
}

interface CallOptions {
  addingImport: number;
  erasures: Erasures;
}

async function callScript(
  { scripts, cells }: ScriptCallDependencies,
  rules: Rules,
  attempts: readonly Attempt[],
  now: number,
  { addingImport, erasures }: CallOptions,
): Promise<Outcome[] | null> {
  rules.assertServing();
  const { tenant, config } = rules;
  const { controlRatio } = config.settings.experimentation;
  const users = attempts.flatMap((attempt) =>
    userRecord(rules, attempt, isInControlGroup(tenant, attempt.userId, controlRatio)),
  );
  const zones = new Set(attempts.flatMap((attempt) => attempt.zones));
  const cell = cellOf(tenant, attempts[0]!.userId, cells);
  const scriptRules = [rules.scriptRules({ kind: 'activation', achievements: null })];
  const scriptCall = buildCall(rules, cell, now, users, zones, scriptRules);
  const reply = await scripts.importUsers(scriptCall, addingImport, erasures.get(cell)!);
  return reply && decodeOutcomes(reply);
}

function userRecord(rules: Rules, { values, zone, zones, replaced }: Attempt, control: boolean): unknown[] {
  const { userId, created, messagesFrom, streak, freezes, preferences } = values;
  const { json, hash } = packProfile(values.profile);
  return toRecord(IMPORTED_USER, {
    userId,
    control,
    profile: json,
    profileHash: hash,
    created: created ?? false,
    messagesFrom: messagesFrom ?? false,
    metrics: toRecords(IMPORTED_TOTAL, values.metrics),
    points: toRecords(IMPORTED_TOTAL, values.points),
    achievements: toRecords(IMPORTED_COMPLETION, values.achievements),
    challenges: toRecords(IMPORTED_CHALLENGE, values.challenges),
    streak: streak !== null && streakRecord(rules, streak, zone ?? zones.at(-1)!),
    freezes: freezes ?? false,
    preferences: preferences !== null && JSON.stringify(preferences),
    replaced:
      replaced !== null &&
      toRecord(REPLACED_STREAK, {
        ...replaced,
        periods: periodRows(replaced.periods),
        losses: toRecords(LOSS_ROW, replaced.losses),
        freezesMax: rules.config.streak.freezes?.maxCount ?? 0,
      }),
  });
}

/** @param zone of the user, in which the last day of the row is */
function streakRecord(
  { config }: Rules,
  { length, lastDay, longest }: StreakOfRow,
  zone: string,
): Flat<RecordOf<typeof IMPORTED_STREAK>> {
  const { frequency } = config.streak;
  const lastPeriod = periodOfDay(frequency, lastDay);
  const firstDay = periodDays(frequency, lastPeriod - Math.max(length, 1) + 1).start;
  const extendedAt = startOfLocalDay(zone, lastDay);
  return toRecord(IMPORTED_STREAK, { length, firstDay, lastPeriod, extendedAt, longest, lastDay, zone });
}
