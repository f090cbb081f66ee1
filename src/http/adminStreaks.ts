import { ServiceError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { AdminIssue } from '../contract/admin.ts';
import type {
  AdminStreakPause,
  CreateFreezes,
  CreatePauses,
  DeletePauses,
  RestoreStreaks,
} from '../contract/adminStreaks.ts';
import { deletePause, findPauses, insertPause } from '../db/streakPauses.ts';
import { dayOfDate } from '../rules/calendar.ts';
import { type Answer, type Call, ok } from './endpoint.ts';

/** Does one item after the other; what one of them must not is an issue of it, and stops no other. */
async function attemptEach<T>(
  items: readonly T[],
  nameItem: (item: T, index: number) => Partial<AdminIssue>,
  attempt: (item: T) => Promise<void>,
): Promise<AdminIssue[]> {
  const issues: AdminIssue[] = [];
  for (const [index, item] of items.entries()) {
    try {
      await attempt(item);
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.code !== 'invalid' && error.code !== 'notFound')) throw error;
      issues.push({ ...nameItem(item, index), severity: 'error', message: error.message });
    }
  }
  return issues;
}

/** POST /admin/v1/streaks/freezes */
export async function createFreezes(call: Call<typeof CreateFreezes>): Promise<Answer<typeof CreateFreezes>> {
  const { service, rules, body } = call;
  const issues = await attemptEach(
    body.freezes,
    ({ userId }, index) => ({ userId, index }),
    async ({ userId }) => {
      await service.users.amendStreak(rules, userId, { op: 'freeze' });
    },
  );
  return { status: issues.length < body.freezes.length ? 201 : 200, body: { issues } };
}

/** POST /admin/v1/streaks/pauses. The table finds the user of a pause again; what counts is in the user's state. */
export async function createPauses(call: Call<typeof CreatePauses>): Promise<Answer<typeof CreatePauses>> {
  const { service, rules, body } = call;
  const created: AdminStreakPause[] = [];
  const issues = await attemptEach(
    body.pauses,
    ({ userId }, index) => ({ userId, index }),
    async ({ userId, start, end }) => {
      if (end < start) throw new ServiceError('invalid', 'end must not be before start');
      const id = newId();
      // First where it is found again: a pause that nobody can delete would be worse than a row without a pause.
      await insertPause(service.pool, { id, tenant: rules.tenant, userId });
      const days = { start: dayOfDate(start), end: dayOfDate(end) };
      await service.users.amendStreak(rules, userId, { op: 'pause', id, ...days });
      created.push({ id, userId, start, end, status: 'active' });
    },
  );
  return { status: created.length > 0 ? 201 : 200, body: { created, issues } };
}

/** DELETE /admin/v1/streaks/pauses?ids= */
export async function deletePauses(call: Call<typeof DeletePauses>): Promise<Answer<typeof DeletePauses>> {
  const { service, rules, query } = call;
  const users = await findPauses(service.pool, rules.tenant, query.ids);
  const deleted: { id: string }[] = [];
  const issues = await attemptEach(
    query.ids,
    (id, index) => ({ id, index }),
    async (id) => {
      const userId = users.get(id);
      if (userId === undefined) throw new ServiceError('notFound', `Pause ${id} does not exist`);
      await service.users.amendStreak(rules, userId, { op: 'resume', id });
      await deletePause(service.pool, rules.tenant, id);
      deleted.push({ id });
    },
  );
  return ok({ deleted, issues });
}

/** POST /admin/v1/streaks/restore */
export async function restoreStreaks(call: Call<typeof RestoreStreaks>): Promise<Answer<typeof RestoreStreaks>> {
  const { service, rules, body } = call;
  const restoredUsers: string[] = [];
  const issues = await attemptEach(
    body.users,
    ({ id }, index) => ({ userId: id, index }),
    async ({ id }) => {
      await service.users.amendStreak(rules, id, { op: 'restore' });
      restoredUsers.push(id);
    },
  );
  return { status: restoredUsers.length > 0 ? 201 : 200, body: { restoredUsers, issues } };
}
