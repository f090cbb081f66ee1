import { ServiceError } from '../../base/errors.ts';
import type { GetAdminUser } from '../../contract/adminUsers.ts';
import type { ListedUser, ListUsers } from '../../contract/listedUsers.ts';
import { type ListedUserRow, listUsers as readUserPage } from '../../db/users/listUsers.ts';
import { readLastActive } from '../../db/users/readActivity.ts';
import { ORDERS, SEARCH_ORDERS, type UserOrder } from '../../db/users/userOrders.ts';
import { readUserStates } from '../../redis/state/currentStates.ts';
import { countUsers } from '../../redis/state/statistics.ts';
import type { UserState } from '../../redis/state/userState.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import { streakInForce } from '../../views/streakView.ts';
import { userView } from '../../views/userView.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { readPathUser } from '../users/userHandlers.ts';
import { readBlocks } from './blockedUserHandlers.ts';
import { readFilter, readOrder } from './userListFilter.ts';

/** Order, key and id of the last user of a page. */
type Position = [order: UserOrder, key: string | number, userId: string];

function isPosition(value: unknown): value is Position {
  if (!Array.isArray(value) || value.length !== 3 || !Object.hasOwn(ORDERS, value[0])) return false;
  const isText = SEARCH_ORDERS.includes(value[0]);
  const isKey = isText ? typeof value[1] === 'string' : Number.isSafeInteger(value[1]);
  return isKey && typeof value[2] === 'string';
}

/** GET /admin/v1/users */
export async function listUsers(
  call: OperationRequest<typeof ListUsers>,
): Promise<OperationResponse<typeof ListUsers>> {
  const { service, rules, query } = call;
  const search = query.query ?? null;
  if (search !== null && query.sort !== undefined) {
    throw new ServiceError(
      'invalid',
      'sort must not be given together with query: users found come in the order of the match',
    );
  }
  const order = readOrder(query);
  const last = readCursor(query.cursor, isPosition);
  if (last !== null && (search === null ? last[0] !== order : !SEARCH_ORDERS.includes(last[0]))) {
    throw new ServiceError('invalid', 'cursor must be of a page with the same query and sort');
  }
  const position = last && { order: last[0], key: last[1], userId: last[2] };
  const filter = readFilter(rules, query, service.clock.now());
  const [page, total] = await Promise.all([
    service.history.read(rules.tenant, (rows) =>
      readUserPage(rows, rules.tenant, filter, { query: search, order, position, limit: query.limit }),
    ),
    countUsers(service.redis, rules.tenant, service.cells),
  ]);
  const { next } = page;
  return ok({
    total,
    users: await viewsOf(call, page.users),
    cursor: writeCursor(next && [next.order, next.key, next.userId]),
  });
}

/** Users as Redis holds them, without users erased in the meantime. */
async function viewsOf(
  { service, rules }: Pick<OperationRequest, 'service' | 'rules'>,
  found: ListedUserRow[],
): Promise<ListedUser[]> {
  const userIds = found.map(({ userId }) => userId);
  const states = await readUserStates(service.redis, rules.tenant, service.cells, userIds);
  const users = found.flatMap((row, i) => (states[i] ? [{ ...row, state: states[i] }] : []));
  const blocks = await readBlocks({ service, rules }, users);
  return users.map(({ userId, lastActive, state }) => ({
    ...userView(rules, userId, state),
    lastActive: dateOrNull(lastActive),
    block: blocks.get(userId) ?? null,
    ...progressView(rules, state),
  }));
}

function progressView(
  rules: Rules,
  state: UserState,
): Pick<ListedUser, 'points' | 'streak' | 'achievements'> {
  const systems = rules.config.pointsSystems.map((system) => {
    const total = state.points.get(system.no) ?? 0;
    return [system.key, { total, level: rules.levelAt(system, total)?.key ?? null }] as const;
  });
  const completed = [...state.achievements.keys()].filter(
    (no) => rules.findByNo('achievements', no) !== null,
  );
  return {
    points: Object.fromEntries(systems),
    streak: streakInForce(rules, state).length,
    achievements: completed.length,
  };
}

const dateOrNull = (day: number | null): string | null => (day === null ? null : dateOfDay(day));

/** GET /admin/v1/users/{id} */
export async function getAdminUser(
  call: OperationRequest<typeof GetAdminUser>,
): Promise<OperationResponse<typeof GetAdminUser>> {
  const { service, path } = call;
  const { rules, user } = await readPathUser(call);
  const key = { tenant: rules.tenant, userId: path.id };
  const lastActive = await service.history.read(rules.tenant, (rows) => readLastActive(rows, key));
  const blocks = await readBlocks({ service: call.service, rules }, [{ userId: path.id, state: user }]);
  return ok({
    ...userView(rules, path.id, user),
    lastActive: dateOrNull(lastActive),
    block: blocks.get(path.id) ?? null,
  });
}
