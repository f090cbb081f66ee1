import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { AdminIssue } from '../../contract/admin.ts';
import {
  type AdminStreakPause,
  CreateFreezes,
  CreatePauses,
  DeletePauses,
  ResetStreaks,
  RestoreStreaks,
  type UserIssue,
} from '../../contract/adminStreaks.ts';
import { type AuditChange, writeAudit } from '../../db/access/audit.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import { deletePause, findPauses, insertPauses } from '../../db/users/streakPauses.ts';
import { dayOfDate, isDate } from '../../rules/calendar.ts';
import { streakInForce } from '../../views/streakView.ts';
import { contextOf } from '../request/adminContext.ts';
import { type EndpointCall, endpoint, ok } from '../request/endpoint.ts';
import { invalid, notFound } from '../request/refuse.ts';

/**
 * Processes the items in order. An item that is refused becomes an issue and does not stop the others. Each
 * item returns what it changed, for the audit log, or why there was nothing to change. While the audit log
 * cannot be written, nothing is done.
 */
async function attemptEach<T>(
  caller: EndpointCall,
  items: readonly T[],
  nameItem: (item: T, index: number) => Partial<AdminIssue>,
  attempt: (item: T, client: PoolClient) => Promise<AuditChange | { warning: string }>,
): Promise<AdminIssue[]> {
  const { pool, tenant, ...author } = contextOf(caller);
  const issues: AdminIssue[] = [];
  let failure: unknown = null;
  await transaction(pool, async (client) => {
    const changes: AuditChange[] = [];
    for (const [index, item] of items.entries()) {
      try {
        const done = await attempt(item, client);
        if ('warning' in done)
          issues.push({ ...nameItem(item, index), severity: 'warning', message: done.warning });
        else changes.push(done);
      } catch (error) {
        if (error instanceof ServiceError && (error.code === 'invalid' || error.code === 'notFound')) {
          issues.push({ ...nameItem(item, index), severity: 'error', message: error.message });
          continue;
        }
        failure = error;
        break;
      }
    }
    // Also the items that succeeded before one failed.
    await writeAudit(client, tenant, author, changes);
  });
  if (failure !== null) throw failure;
  return issues;
}

/** What the audit log says of a change, with its reason if one was given. */
const withReason = <T extends object>(after: T, { reason }: { reason?: string }) => ({
  ...after,
  ...(reason !== undefined && { reason }),
});

const nameUser = ({ userId }: { userId: string }, index: number): Partial<AdminIssue> => ({ userId, index });

const asUserIssue = (issue: AdminIssue): UserIssue => ({
  ...issue,
  userId: issue.userId!,
  level: issue.severity,
  reason: issue.message,
});

export const createFreezes = endpoint(CreateFreezes, async (call) => {
  const { service, rules, body } = call;
  const issues = await attemptEach(call, body.freezes, nameUser, async ({ userId }) => {
    const { freezes } = (await service.users.amendStreak(rules, userId, { op: 'freeze' })).user;
    const after = withReason({ freezes }, body);
    return { action: 'create', kind: 'streakFreezes', id: null, userId, before: null, after };
  });
  return {
    status: issues.length < body.freezes.length ? 201 : 200,
    body: { issues: issues.map(asUserIssue) },
  };
});

/** @throws ServiceError `invalid` */
function assertPause({ start, end }: { start: string; end: string }): void {
  for (const [field, date] of Object.entries({ start, end })) {
    if (!isDate(date)) throw invalid(`${field} must be an existing date, YYYY-MM-DD`);
  }
  if (end < start) throw invalid('end must not be before start');
}

/** The pauses are in the users' states; the table finds the user of a pause. */
export const createPauses = endpoint(CreatePauses, async (call) => {
  const { service, rules, body } = call;
  const pauses = body.pauses.map(({ userId, start, end }) => ({ id: newId(), userId, start, end }));
  // First the table: a pause that cannot be found could not be deleted, whereas a row without a pause does no
  // harm.
  await insertPauses(service.pool, rules.tenant, pauses);
  const created: AdminStreakPause[] = [];
  const issues = await attemptEach(call, pauses, nameUser, async (pause) => {
    assertPause(pause);
    const { id, userId, start, end } = pause;
    const days = { start: dayOfDate(start), end: dayOfDate(end) };
    await service.users.amendStreak(rules, userId, { op: 'pause', id, ...days });
    created.push({ ...pause, status: 'active' });
    const after = withReason({ start, end }, body);
    return { action: 'create', kind: 'streakPauses', id, userId, before: null, after };
  });
  return { status: created.length > 0 ? 201 : 200, body: { created, issues } };
});

export const deletePauses = endpoint(DeletePauses, async (call) => {
  const { service, rules, query } = call;
  const users = await findPauses(service.pool, rules.tenant, query.ids);
  const deleted: { id: string }[] = [];
  const issues = await attemptEach(
    call,
    query.ids,
    (id, index) => ({ id, index }),
    async (id, client) => {
      const userId = users.get(id);
      if (userId === undefined) throw notFound(`There is no pause ${id}`);
      await service.users.amendStreak(rules, userId, { op: 'resume', id });
      await deletePause(client, rules.tenant, id);
      deleted.push({ id });
      return { action: 'delete', kind: 'streakPauses', id, userId, before: null, after: null };
    },
  );
  return ok({ deleted, issues });
});

export const resetStreaks = endpoint(ResetStreaks, async (call) => {
  const { service, rules, body } = call;
  const resetUsers: string[] = [];
  const users = body.users.map(({ id: userId }) => ({ userId }));
  const issues = await attemptEach(call, users, nameUser, async ({ userId }) => {
    const known = await service.users.read(rules, userId);
    if (streakInForce(known.rules, known.user).length === 0)
      return { warning: `User ${userId} has no streak to reset` };
    const { user, rules: applied } = await service.users.amendStreak(rules, userId, { op: 'reset' });
    resetUsers.push(userId);
    const before = { length: user.streaks[applied.config.streak.frequency].lostLength };
    const after = withReason({ length: 0 }, body);
    return { action: 'update', kind: 'streaks', id: null, userId, before, after };
  });
  return ok({ resetUsers, issues: issues.map(asUserIssue) });
});

export const restoreStreaks = endpoint(RestoreStreaks, async (call) => {
  const { service, rules, body } = call;
  const restoredUsers: string[] = [];
  const users = body.users.map(({ id: userId }) => ({ userId }));
  const issues = await attemptEach(call, users, nameUser, async ({ userId }) => {
    const { user, rules: applied } = await service.users.amendStreak(rules, userId, { op: 'restore' });
    restoredUsers.push(userId);
    const { length } = user.streaks[applied.config.streak.frequency];
    const after = withReason({ length }, body);
    return { action: 'update', kind: 'streaks', id: null, userId, before: null, after };
  });
  return {
    status: restoredUsers.length > 0 ? 201 : 200,
    body: { restoredUsers, issues: issues.map(asUserIssue) },
  };
});
