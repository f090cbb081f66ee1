import { ServiceError } from '../../base/errors.ts';
import type { GetLeaderboard, QueryLeaderboard } from '../../contract/leaderboard.ts';
import { isShownOn, rankAmong } from '../../engine/leaderboards/rankAmong.ts';
import { boardView } from '../../views/entityViews.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { readUsers } from '../users/readUsers.ts';
import {
  defaultDay,
  findBoard,
  findRun,
  getRankings,
  isOfOwnGroup,
  isOver,
  type RankingRead,
} from './leaderboardHandlers.ts';

/** GET /leaderboards/{key}, with `userIds`: these users among themselves. */
export function getLeaderboard(
  call: OperationRequest<typeof GetLeaderboard>,
): Promise<OperationResponse<typeof GetLeaderboard>> {
  const { userIds, run, userId, userAttributes, neighbours } = call.query;
  if (userIds === undefined) return getRankings(call);
  for (const [name, value] of Object.entries({ userId, userAttributes, neighbours }))
    if (value !== undefined) throw new ServiceError('invalid', `${name} must be left out with userIds`);
  return rankUsers(call, userIds, run);
}

/** POST /leaderboards/{key}/query */
export function queryLeaderboard(
  call: OperationRequest<typeof QueryLeaderboard>,
): Promise<OperationResponse<typeof QueryLeaderboard>> {
  return rankUsers(call, call.body.userIds, call.body.run);
}

/** Whether the answer to an application key depends on its user, although the call names no user. */
export const dependsOnOwnUser = (read: RankingRead): boolean =>
  read.query.userIds !== undefined || isOfOwnGroup(read);

/** Users who are not shown on the leaderboard are left out, except the user of the key. */
async function rankUsers(
  call: Pick<OperationRequest<typeof QueryLeaderboard>, 'service' | 'rules' | 'path' | 'key'>,
  userIds: readonly string[],
  requestedRun: string | undefined,
): Promise<OperationResponse<typeof QueryLeaderboard>> {
  const { service, rules, path, key } = call;
  const board = findBoard(rules, path.key);
  const ids = [...new Set(userIds)];
  const found = await readUsers(call, ids);
  const shown = found.flatMap((one, i) => {
    if (one === null) return [];
    const isOwn = ids[i] === key.userId;
    return isOwn || isShownOn(board, one.user) ? [{ userId: ids[i]!, user: one.user }] : [];
  });
  const day = defaultDay(rules, service.clock.now());
  const run = findRun(board, requestedRun, day);
  const rankings = await rankAmong(service, rules, { ...run, board, isOver: isOver(run, day) }, shown);
  return ok({ ...boardView(rules, board, run, day), rankings });
}
