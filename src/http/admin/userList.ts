import { ServiceError } from '../../base/errors.ts';
import type { AdminUser, GetAdminUser, ListUsers } from '../../contract/adminUsers.ts';
import {
  type ListedUserRow,
  listUsers as readUserPage,
  type UserFilter,
  type UserOrder,
} from '../../db/users/listUsers.ts';
import { readLastActive } from '../../db/users/readActivity.ts';
import { readUserStates } from '../../redis/state/currentStates.ts';
import { dateOfDay, dayOfDate, startOfLocalDay } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import { userView } from '../../views/userView.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { readUserAttributes } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';
import { readBlocks } from './blockedUserHandlers.ts';

/** Order, key and id of the last user of a page. */
type Position = [order: UserOrder, key: string | number, userId: string];
const ORDERS: unknown[] = ['created', 'active', 'id', 'name', 'email'] satisfies UserOrder[];
const NUMBERED: unknown[] = ['created', 'active'] satisfies UserOrder[];

function isPosition(value: unknown): value is Position {
  if (!Array.isArray(value) || value.length !== 3 || !ORDERS.includes(value[0])) return false;
  const isKey = NUMBERED.includes(value[0]) ? Number.isSafeInteger(value[1]) : typeof value[1] === 'string';
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
  const order = query.sort ?? 'created';
  const last = readCursor(query.cursor, isPosition);
  if (
    last !== null &&
    (search === null ? last[0] !== order : last[0] === 'created' || last[0] === 'active')
  ) {
    throw new ServiceError('invalid', 'cursor must be of a page with the same query and sort');
  }
  const position = last && { order: last[0], key: last[1], userId: last[2] };
  const filter = filterOf(rules, query);
  const page = await service.history.read(rules.tenant, (rows) =>
    readUserPage(rows, rules.tenant, filter, { query: search, order, position, limit: query.limit }),
  );
  const { next } = page;
  return ok({
    users: await viewsOf(call, page.users),
    cursor: writeCursor(next && [next.order, next.key, next.userId]),
  });
}

function filterOf(rules: Rules, query: OperationRequest<typeof ListUsers>['query']): UserFilter {
  const { defaultTimeZone } = rules.config.settings;
  const dayOf = (date: string | undefined): number | null => (date === undefined ? null : dayOfDate(date));
  const [createdFrom, createdUntil] = [dayOf(query.createdAfter), dayOf(query.createdBefore)];
  return {
    control: query.control ?? null,
    createdFrom: createdFrom === null ? null : startOfLocalDay(defaultTimeZone, createdFrom),
    createdUntil: createdUntil === null ? null : startOfLocalDay(defaultTimeZone, createdUntil + 1) - 1,
    activeFrom: dayOf(query.activeAfter),
    activeUntil: dayOf(query.activeBefore),
    attributes: readUserAttributes(rules, query.userAttributes) ?? new Map(),
  };
}

/** Users as Redis holds them, without users erased in the meantime. */
async function viewsOf(
  { service, rules }: Pick<OperationRequest, 'service' | 'rules'>,
  found: ListedUserRow[],
): Promise<AdminUser[]> {
  const userIds = found.map(({ userId }) => userId);
  const states = await readUserStates(service.redis, rules.tenant, service.cells, userIds);
  const users = found.flatMap((row, i) => (states[i] ? [{ ...row, state: states[i] }] : []));
  const blocks = await readBlocks({ service, rules }, users);
  return users.map(({ userId, lastActive, state }) => ({
    ...userView(rules, userId, state),
    lastActive: dateOrNull(lastActive),
    block: blocks.get(userId) ?? null,
  }));
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
