import { ServiceError } from '../../base/errors.ts';
import type { HideUser, ListHiddenUsers, ShowUser } from '../../contract/hiddenUsers.ts';
import { writeAudit } from '../../db/access/audit.ts';
import {
  deleteHiddenUser,
  insertHiddenUser,
  listHiddenUsers,
  listOpenRankings,
} from '../../db/leaderboards/hiddenUserRows.ts';
import { transaction } from '../../db/pool.ts';
import type { Correction } from '../../engine/users/userChangeRecords.ts';
import { isLive } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

const KIND = 'hiddenUsers';

/** POST /admin/v1/users/{id}/leaderboards/{key}/hide */
export async function hideUser(
  call: OperationRequest<typeof HideUser>,
): Promise<OperationResponse<typeof HideUser>> {
  const { service, rules, path } = call;
  const board = liveBoard(rules, path.key);
  const user = { tenant: rules.tenant, userId: path.id };
  const earlier = await service.history.read(rules.tenant, (rows) => listOpenRankings(rows, user, board.no));
  await setHidden(call, board, { op: 'hide', board, earlier });
  return ok({ leaderboard: board.key, hidden: true });
}

/** POST /admin/v1/users/{id}/leaderboards/{key}/show */
export async function showUser(
  call: OperationRequest<typeof ShowUser>,
): Promise<OperationResponse<typeof ShowUser>> {
  const board = liveBoard(call.rules, call.path.key);
  await setHidden(call, board, { op: 'show', board });
  return ok({ leaderboard: board.key, hidden: false });
}

/**
 * Changes the user first: if this process dies before the commit, the repeated call completes the list and
 * the audit log, because both follow from the list.
 */
async function setHidden(
  call: OperationRequest<typeof HideUser>,
  board: Leaderboard,
  correction: Correction,
): Promise<void> {
  const { service, rules, path, body } = call;
  const { tenant } = rules;
  const user = { tenant, userId: path.id };
  const context = contextOf(call);
  await transaction(service.pool, async (client) => {
    await service.users.correct(rules, path.id, correction);
    const hides = correction.op === 'hide';
    const isChanged = hides
      ? await insertHiddenUser(client, user, board.no, body.reason, context.now)
      : await deleteHiddenUser(client, user, board.no);
    if (!isChanged) return;
    const [before, after] = [{ leaderboard: board.key }, { leaderboard: board.key, reason: body.reason }];
    await writeAudit(client, tenant, context, [
      hides
        ? { action: 'create', kind: KIND, id: null, userId: path.id, before: null, after }
        : { action: 'delete', kind: KIND, id: null, userId: path.id, before, after: { reason: body.reason } },
    ]);
  });
}

function liveBoard(rules: Rules, key: string): Leaderboard {
  const board = rules.leaderboardByKey.get(key);
  if (board === undefined) throw new ServiceError('notFound', `Leaderboard ${key} does not exist`);
  if (!isLive(board)) {
    throw new ServiceError(
      'invalid',
      `Leaderboard ${key} is ${board.status}; it must be scheduled or active`,
    );
  }
  return board;
}

/** GET /admin/v1/leaderboards/{id}/hidden-users */
export async function listHidden({
  service,
  rules,
  path,
  query,
}: OperationRequest<typeof ListHiddenUsers>): Promise<OperationResponse<typeof ListHiddenUsers>> {
  const board = rules.config.leaderboards.find(({ id }) => id === path.id);
  if (board === undefined) throw new ServiceError('notFound', `There is no leaderboard ${path.id}`);
  const rows = await listHiddenUsers(service.pool, rules.tenant, board.no, query);
  return ok(rows.map(({ hiddenAt, ...row }) => ({ ...row, hiddenAt: hiddenAt.toISOString() })));
}
