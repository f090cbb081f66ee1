import { HISTORY_WAIT_MS_MAX } from '../../base/limits.ts';
import type { EraseUser, ExportUser, RenameUser, UserExport } from '../../contract/adminUsers.ts';
import { readUserRows } from '../../db/users/userRows.ts';
import { carryOutErasure, requestErasure } from '../../engine/users/eraseUser.ts';
import { giveNewId, idTaken } from '../../engine/users/renameUser.ts';
import { unknownUser } from '../../engine/users/userRefusals.ts';
import type { UserState } from '../../redis/state/userState.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import { DEFAULT_ORDER, shownValue } from '../../rules/rankingOrder.ts';
import type { Rules } from '../../rules/rules.ts';
import { userView } from '../../views/userView.ts';
import { keyOf, recordView } from '../history/userRecords.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findPathUser } from '../users/userHandlers.ts';
import { contextOf } from './resources.ts';

/** DELETE /admin/v1/users/{id}. If the erasure takes too long or fails, a worker completes it. */
export async function eraseUser(
  call: OperationRequest<typeof EraseUser>,
): Promise<OperationResponse<typeof EraseUser>> {
  const { service, rules, path } = call;
  const { id } = path;
  const user = { tenant: rules.tenant, userId: id };
  if (!(await requestErasure(service, user, contextOf(call)))) {
    throw unknownUser(id);
  }
  const isErased = await carryOutErasure(service, user, HISTORY_WAIT_MS_MAX).catch((error) => {
    service.log.warn({ error: error.message }, 'an erasure is left to the workers');
    return false;
  });
  return isErased ? ok({ id, status: 'erased' }) : { status: 202, body: { id, status: 'accepted' } };
}

/** POST /admin/v1/users/{id}/rename. If it takes too long or fails, a worker completes it. */
export async function renameUser(
  call: OperationRequest<typeof RenameUser>,
): Promise<OperationResponse<typeof RenameUser>> {
  const { service, rules, path, body } = call;
  const { id: newId, reason = null } = body;
  const order = { tenant: rules.tenant, userId: path.id, newId };
  const author = contextOf(call);
  const names = { id: newId, formerId: path.id };
  const how = { reason, author, waitMsMax: HISTORY_WAIT_MS_MAX };
  const done = await giveNewId(service, order, how, (error) =>
    service.log.warn({ error: error.message }, 'a new id of a user is left to the workers'),
  );
  if (done === 'impossible') throw idTaken(newId);
  if (done === 'later') return { status: 202, body: { ...names, status: 'accepted' } };
  return ok({ ...names, status: 'renamed' });
}

/** GET /admin/v1/users/{id}/export */
export async function exportUser(
  call: OperationRequest<typeof ExportUser>,
): Promise<OperationResponse<typeof ExportUser>> {
  const { service, path } = call;
  const { user, rules } = await findPathUser(call);
  const key = { tenant: rules.tenant, userId: path.id };
  const found = await service.history.read(rules.tenant, (rows) => readUserRows(rows, key));
  if (user === null && Object.values(found).every((rows) => rows.length === 0)) {
    throw unknownUser(path.id);
  }
  const records = Object.fromEntries(
    Object.entries(found).map(([table, rows]) => [table, rows.map((row) => recordView(rules, row))]),
  );
  return ok({
    user: user && userView(rules, path.id, user),
    state: user && stateView(rules, user),
    records,
  });
}

/** Names configured entities by their keys. Deleted entities have only their number. */
function stateView(rules: Rules, user: UserState): NonNullable<UserExport['state']> {
  return {
    counters: Array.from(user.counters, ([no, total]) => {
      const counter = rules.findByNo('counters', no);
      return {
        metric: counter === null ? `#${no}` : rules.byId('metrics', counter.metricId).key,
        eventAttributes: (counter?.eventAttributes ?? []).map(({ attributeId, attributeValue }) => ({
          key: rules.byId('attributes', attributeId).key,
          value: attributeValue,
        })),
        total,
      };
    }),
    points: Object.fromEntries(
      Array.from(user.points, ([no, total]) => [keyOf(rules, 'pointsSystems', no), total]),
    ),
    achievements: Object.fromEntries(
      Array.from(user.achievements, ([no, at]) => [
        keyOf(rules, 'achievements', no),
        new Date(at).toISOString(),
      ]),
    ),
    leaderboards: Array.from(user.boards, ([no, { run, score, ticket, isHidden }]) => ({
      leaderboard: keyOf(rules, 'leaderboards', no),
      run: dateOfDay(run),
      score: shownValue(rules.findByNo('leaderboards', no) ?? DEFAULT_ORDER, score),
      isRanked: ticket !== null,
      isHidden,
    })),
    streaks: user.streaks,
    streakFreezes: user.freezes,
    streakPauses: user.pauses,
  };
}
