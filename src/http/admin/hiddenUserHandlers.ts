import { findEntity } from '../../admin/kinds/findEntity.ts';
import { unknownKey } from '../../base/closest.ts';
import { HideUser, ListHiddenUsers, ShowUser } from '../../contract/leaderboardAdmin.ts';
import { deleteHiddenUser, insertHiddenUser, listHiddenUsers } from '../../db/leaderboards/hiddenUserRows.ts';
import { isLive } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { contextOf } from '../request/adminContext.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import { correctUser } from './corrections.ts';

export const hideUser = endpoint(HideUser, async (call) => {
  const { rules, path, body } = call;
  const board = liveBoard(rules, path.key);
  const user = { tenant: rules.tenant, userId: path.id };
  const after = { leaderboard: board.key, reason: body.reason };
  const change = { action: 'create', kind: 'hiddenUsers', after } as const;
  await correctUser(call, { op: 'hide', board }, change, (client) =>
    insertHiddenUser(client, user, board.no, body.reason, contextOf(call).now),
  );
  return ok({ leaderboard: board.key, hidden: true });
});

export const showUser = endpoint(ShowUser, async (call) => {
  const { rules, path, body } = call;
  const board = liveBoard(rules, path.key);
  const [before, after] = [{ leaderboard: board.key }, { reason: body.reason }];
  const change = { action: 'delete', kind: 'hiddenUsers', before, after } as const;
  await correctUser(call, { op: 'show', board }, change, (client) =>
    deleteHiddenUser(client, { tenant: rules.tenant, userId: path.id }, board.no),
  );
  return ok({ leaderboard: board.key, hidden: false });
});

function liveBoard(rules: Rules, key: string): Leaderboard {
  const board = rules.leaderboardByKey.get(key);
  if (board === undefined) throw unknownKey('Leaderboard', key, rules.leaderboardByKey.keys());
  if (!isLive(board)) {
    throw invalid(`Leaderboard ${key} is ${board.status}; it must be scheduled or active`);
  }
  return board;
}

export const listHidden = endpoint(ListHiddenUsers, async ({ service, rules, path, query }) => {
  const board = findEntity(rules.config, 'leaderboards', path.id);
  return ok(await listHiddenUsers(service.pool, rules.tenant, board.no, query));
});
