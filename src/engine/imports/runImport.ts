import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { cellsOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import { RELAY_WAIT_MS_MAX } from '../../base/limits.ts';
import { readFence } from '../../db/history/relayFence.ts';
import { lockRefusals } from '../../db/imports/forgetUserInImports.ts';
import { finishParts, type PartRange, readNextParts } from '../../db/imports/importParts.ts';
import {
  addRefusals,
  endImport,
  findImport,
  type ImportRecord,
  isRunning,
  setDay,
} from '../../db/imports/importRows.ts';
import { transaction } from '../../db/pool.ts';
import { readRelayLag, waitForRelay } from '../../redis/state/relayProgress.ts';
import { type ImportedRow, readRow, rowOf } from '../../rules/importedRows.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { atPace, type Pace } from '../availability/pace.ts';
import { assertRestored } from '../stores/availability.ts';
import { type Erasures, readErasures } from '../users/erasures.ts';
import { forgetTokens, PastEvents, releaseUsers } from './importEvents.ts';
import { type ImportDependencies, importUsers, type RefusedImportedRow } from './importUsers.ts';
import { playDays } from './playDays.ts';
import { sortSomeUsers } from './sortUsers.ts';

/** Steps that are applied while the relay has not written them yet. */
const IMPORT_STEPS_UNFINISHED_MAX = 8;
/** Calls for events of the past that are under way together while no live event is. */
const IMPORT_CALLS_AT_ONCE = 3;
/** Outbox entries that are not in the history yet, beyond which imports wait. */
const IMPORT_BACKLOG_MAX = 2_000;

/** Pause before the same parts are applied again. */
const REPEAT_MS = 50;

/**
 * Applies the rows of an import, some parts in each step. All rows of a user are in one part. Parts are
 * deleted once the history has what they brought, in the transaction that counts and keeps what was refused.
 * So after a crash or a loss of Redis, another worker begins with the same parts again; applying a row again
 * changes nothing. A step is applied while the relay writes those before.
 * @throws ServiceError `unavailable` when the relay is too far behind, or Redis must be restored
 */
export async function runImport(
  deps: ImportDependencies,
  of: Pick<ImportRecord, 'tenant' | 'id'>,
  pace?: Pace,
): Promise<void> {
  const { pool, scripts, cells, clock } = deps;
  let next = 0;
  const finishing: Promise<boolean>[] = [];
  try {
    while (!pace?.signal.aborted) {
      const record = await findImport(pool, of);
      if (record === null || record.finishedAt !== null) return;
      const isCancelled = record.state === 'cancelled';
      if (!isCancelled && !isRunning(record)) return;
      if (next === 0 && !isCancelled && (await sortSomeUsers(pool, record))) continue;
      const erasures = await readErasures(deps, record.tenant);
      const parts = isCancelled ? null : await readNextParts(pool, record, next);
      const fence = await readFence(pool);
      const step = parts && (await applyParts(deps, record, { ...parts, erasures }, pace));
      if (step !== null) {
        next = step.range.till;
        finishing.push(handled(finishStep(deps, step, fence)));
      } else if (parts !== null) await sleep(REPEAT_MS, undefined, { ref: false });
      const isPart = step === null || step.left.size > 0;
      const areWritten = await finishSome(finishing, isPart ? 0 : IMPORT_STEPS_UNFINISHED_MAX);
      if (!areWritten || isPart) next = 0;
      if (parts !== null || !areWritten) continue;
      if (record.kind === 'events')
        await releaseUsers(deps, await deps.rulesStore.load(record.tenant), record);
      // An import has ended once the history has it: otherwise a restore of Redis would lose users.
      await waitForRelay(scripts, cellsOf(record.tenant, cells), RELAY_WAIT_MS_MAX);
      await endImport(pool, record.id, isCancelled ? 'cancelled' : 'done', clock.now());
      return;
    }
  } finally {
    await finishSome(finishing, 0);
  }
}

/**
 * Waits until at most `left` steps are being finished, the oldest first.
 * @returns false if steps must be applied again
 */
async function finishSome(finishing: Promise<boolean>[], left: number): Promise<boolean> {
  let areWritten = true;
  while (finishing.length > left) areWritten = (await finishing.shift()!) && areWritten;
  return areWritten;
}

/** Parts that are applied, and what was refused of them. */
interface AppliedStep {
  record: ImportRecord;
  range: PartRange;
  /** Users who are done. */
  userIds: ReadonlySet<string>;
  /** Users who are not, because the import was paused or cancelled. */
  left: ReadonlySet<string>;
  refused: readonly RefusedImportedRow[];
  erasures: Erasures;
}

/**
 * @returns null if the pace has ended the work, newer rules are in force, or a user of the parts may have
 * been erased since they were read
 */
async function applyParts(
  deps: ImportDependencies,
  record: ImportRecord,
  { lines, erasures, ...range }: PartRange & { lines: string[]; erasures: Erasures },
  pace: Pace | undefined,
): Promise<AppliedStep | null> {
  const { tenant, kind } = record;
  const rules = await deps.rulesStore.load(tenant);
  const rows = lines.filter((line) => line !== '').map((line) => readRow(kind, rowOf(line)));
  const job: PartJob = { record, rules, rows, refused: [], left: new Set(), erasures };
  const isDone = await (kind === 'users' ? applyUsers(deps, job, pace) : applyEvents(deps, job, pace));
  if (!isDone) return null;
  const { left } = job;
  // Rows are not kept, because several steps are finished together.
  const userIds = new Set(rows.map(({ userId }) => userId).filter((userId) => !left.has(userId)));
  const refused = job.refused.filter(({ row }) => !left.has(row.userId));
  return { record, range, userIds, left, refused, erasures };
}

/**
 * Deletes the parts of a step once the history has what they brought.
 * @param fence from before the step was applied
 * @returns false if they must be applied again: Redis has been restored since, or a user was erased, of whom
 * no refused row may be kept
 */
async function finishStep(
  deps: ImportDependencies,
  { record, range, userIds, left, refused, erasures }: AppliedStep,
  fence: string,
): Promise<boolean> {
  const { pool, scripts, cells } = deps;
  const { tenant, id, kind } = record;
  await waitForRelay(scripts, cellsOf(tenant, cells), RELAY_WAIT_MS_MAX);
  // The outboxes of a Redis that has lost its data are empty, too.
  await assertRestored(deps);
  if ((await readFence(pool)) !== fence) return false;
  const refusals = refused.map(({ row: { line, userId, content }, reason }) => {
    return { line, tenant, userId, reason, row: JSON.stringify(content) };
  });
  const isMine = await transaction(pool, async (client) => {
    await lockRefusals(client, 'shared');
    if (!isDeepStrictEqual(await readErasures(deps, tenant), erasures)) return null;
    if (!(await finishParts(client, record, range, left, refusals.length))) return false;
    await addRefusals(client, id, refusals);
    return true;
  });
  if (isMine === null) return false;
  if (isMine && kind === 'events') await forgetTokens(deps, record, userIds);
  return true;
}

/** The rows of a step, those that are refused so far, and the users who are left. */
interface PartJob {
  record: ImportRecord;
  rules: Rules;
  rows: readonly ImportedRow[];
  refused: RefusedImportedRow[];
  left: Set<string>;
  erasures: Erasures;
}

/** Whether the import has been paused or cancelled since. */
async function isStopped({ pool }: ImportDependencies, record: ImportRecord): Promise<boolean> {
  const now = await findImport(pool, record);
  return now === null || !isRunning(now);
}

/** @returns false if the pace has ended the work, or a user may have been erased */
async function applyUsers(
  deps: ImportDependencies,
  { record, rules, rows, refused, left, erasures }: PartJob,
  pace: Pace | undefined,
): Promise<boolean> {
  const users = latestOfUsers(rows, refused);
  let done = 0;
  await atPace(pace, async () => {
    if (done === users.length) return false;
    if (await isStopped(deps, record)) {
      for (const { userId } of users.splice(done)) left.add(userId);
      return false;
    }
    await whenRelayed(deps, record.tenant);
    const batch = users.slice(done, done + (pace?.usersPerCall ?? users.length));
    const refusedOfBatch = await importUsers(deps, rules, record, batch, deps.clock.now(), erasures);
    if (refusedOfBatch === null) return false;
    refused.push(...refusedOfBatch);
    done += batch.length;
    return true;
  });
  return done === users.length;
}

/** @returns false if the pace has ended the work, newer rules are in force, or a user may have been erased */
async function applyEvents(
  deps: ImportDependencies,
  { record, rules, rows, refused, left, erasures }: PartJob,
  pace: Pace | undefined,
): Promise<boolean> {
  const histories = new PastEvents(deps, rules, record, rows, refused, erasures);
  await whenRelayed(deps, record.tenant);
  const leaveIfStopped = async (): Promise<void> => {
    if (await isStopped(deps, record)) for (const userId of histories.dropSome()) left.add(userId);
  };
  const apply = (): Promise<boolean> => applyWaiting(histories, pace, leaveIfStopped);
  if (record.secondsPerDay === null) return apply();
  const say = (day: string): Promise<void> => setDay(deps.pool, record.id, day);
  return playDays(histories, { secondsPerDay: record.secondsPerDay, pace, apply, leaveIfStopped, say });
}

/**
 * @returns false if the pace has ended the work, newer rules are in force, or a user may have been erased
 */
async function applyWaiting(
  histories: PastEvents,
  pace: Pace | undefined,
  leaveIfStopped: () => Promise<void>,
): Promise<boolean> {
  let isStale = false;
  const calls = await Promise.allSettled(
    Array.from({ length: IMPORT_CALLS_AT_ONCE }, (_, i) =>
      atPace(pace, async () => {
        const isBeside = pace !== undefined && pace.rest > 0;
        if (isStale || !histories.isWaiting || (i > 0 && isBeside)) return false;
        await leaveIfStopped();
        if (!histories.isWaiting) return false;
        isStale = !(await histories.applySome(pace?.usersPerCall, isBeside));
        return !isStale;
      }),
    ),
  );
  for (const call of calls) if (call.status === 'rejected') throw call.reason;
  return !isStale && !histories.isWaiting;
}

/** The last row of each user. Earlier ones are refused. */
function latestOfUsers(rows: readonly ImportedRow[], refused: RefusedImportedRow[]): ImportedRow[] {
  const latest = new Map<string, ImportedRow>();
  for (const row of rows) {
    const earlier = latest.get(row.userId);
    if (earlier !== undefined)
      refused.push({ row: earlier, reason: `line ${row.line} has the same user, and counts instead` });
    latest.set(row.userId, row);
  }
  return [...latest.values()];
}

/** Waits while the outboxes are long, because they fill the memory of Redis. */
async function whenRelayed({ redis, scripts, cells }: ImportDependencies, tenant: number): Promise<void> {
  const { entries } = await readRelayLag(redis, cells);
  if (entries <= IMPORT_BACKLOG_MAX) return;
  await waitForRelay(scripts, cellsOf(tenant, cells), RELAY_WAIT_MS_MAX).catch((error) => {
    if (!(error instanceof ServiceError)) throw error;
  });
}
