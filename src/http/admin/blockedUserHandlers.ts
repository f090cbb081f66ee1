import { type Block, BlockUser, UnblockUser } from '../../contract/blockedUsers.ts';
import { deleteBlockedUser, readBlockedUsers, upsertBlockedUser } from '../../db/users/blockedUserRows.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { contextOf } from '../request/adminContext.ts';
import { type Caller, endpoint, ok, type Unwritten } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import { correctUser } from './corrections.ts';

export const blockUser = endpoint(BlockUser, async (call) => {
  const { rules, path, body } = call;
  const { now } = contextOf(call);
  const user = { tenant: rules.tenant, userId: path.id };
  const until = body.until === undefined ? null : Math.ceil(Date.parse(body.until) / 1000);
  if (until !== null && until * 1000 <= now) throw invalid('until must be in the future');
  const end = until === null ? null : new Date(until * 1000);
  const after = { reason: body.reason, until: end };
  const change = { action: 'create', kind: 'blockedUsers', after } as const;
  await correctUser(call, { op: 'block', until }, change, (client) =>
    upsertBlockedUser(client, user, after, now),
  );
  return ok({ id: path.id, blocked: true, until: end });
});

export const unblockUser = endpoint(UnblockUser, async (call) => {
  const { rules, path, query } = call;
  const after = query.reason === undefined ? null : { reason: query.reason };
  const change = { action: 'delete', kind: 'blockedUsers', before: {}, after } as const;
  await correctUser(call, { op: 'unblock' }, change, (client) =>
    deleteBlockedUser(client, { tenant: rules.tenant, userId: path.id }),
  );
  return ok({ id: path.id, blocked: false });
});

/** The blocks of users, by their ids; users without one are absent. */
export async function readBlocks(
  { service, rules }: Pick<Caller, 'service' | 'rules'>,
  users: readonly { userId: string; state: UserState }[],
): Promise<Map<string, Unwritten<Block>>> {
  const now = service.clock.now();
  const blocked = users.filter(({ state: { block } }) => block !== null && (block.until ?? now + 1) > now);
  if (blocked.length === 0) return new Map();
  const userIds = blocked.map(({ userId }) => userId);
  const rows = await service.history.read(rules.tenant, (read) =>
    readBlockedUsers(read, rules.tenant, userIds),
  );
  const rowOf = new Map(rows.map((row) => [row.userId, row]));
  return new Map(
    blocked.map(({ userId, state: { block } }) => {
      const { reason = null, blockedAt = null } = rowOf.get(userId) ?? {};
      return [userId, { until: block!.until === null ? null : new Date(block!.until), reason, blockedAt }];
    }),
  );
}
