import { ServiceError } from '../../base/errors.ts';
import type { Block, BlockUser, UnblockUser } from '../../contract/blockedUsers.ts';
import { type AuditEntry, writeAudit } from '../../db/access/audit.ts';
import { listOpenRankings } from '../../db/leaderboards/hiddenUserRows.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import {
  type BlockedUserRow,
  deleteBlockedUser,
  readBlockedUsers,
  upsertBlockedUser,
} from '../../db/users/blockedUserRows.ts';
import type { Correction } from '../../engine/users/userChangeRecords.ts';
import type { UserState } from '../../redis/state/userState.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

const KIND = 'blockedUsers';

/** POST /admin/v1/users/{id}/block */
export async function blockUser(
  call: OperationRequest<typeof BlockUser>,
): Promise<OperationResponse<typeof BlockUser>> {
  const { service, rules, path, body } = call;
  const { now } = contextOf(call);
  const user = { tenant: rules.tenant, userId: path.id };
  const until = body.until === undefined ? null : Math.ceil(Date.parse(body.until) / 1000);
  if (until !== null && until * 1000 <= now) throw new ServiceError('invalid', 'until must be in the future');
  const end = until === null ? null : new Date(until * 1000);
  const earlier = await service.history.read(rules.tenant, (rows) => listOpenRankings(rows, user, null));
  const after = { reason: body.reason, until: end?.toISOString() ?? null };
  await correct(call, { op: 'block', until, earlier }, { action: 'create', before: null, after }, (client) =>
    upsertBlockedUser(client, user, { reason: body.reason, until: end }, now),
  );
  return ok({ id: path.id, blocked: true, until: after.until });
}

/** DELETE /admin/v1/users/{id}/block */
export async function unblockUser(
  call: OperationRequest<typeof UnblockUser>,
): Promise<OperationResponse<typeof UnblockUser>> {
  const { rules, path, query } = call;
  const user = { tenant: rules.tenant, userId: path.id };
  const after = query.reason === undefined ? null : { reason: query.reason };
  await correct(call, { op: 'unblock' }, { action: 'delete', before: {}, after }, (client) =>
    deleteBlockedUser(client, user),
  );
  return ok({ id: path.id, blocked: false });
}

/**
 * Changes the user first: if this process dies before the commit, the repeated call completes the row and the
 * audit log, because both follow from the row.
 */
async function correct(
  call: OperationRequest<typeof BlockUser> | OperationRequest<typeof UnblockUser>,
  correction: Correction,
  change: Pick<AuditEntry, 'action' | 'before' | 'after'>,
  write: (client: PoolClient) => Promise<boolean>,
): Promise<void> {
  const { service, rules, path } = call;
  await transaction(service.pool, async (client) => {
    await service.users.correct(rules, path.id, correction);
    if (!(await write(client))) return;
    await writeAudit(client, rules.tenant, contextOf(call), [
      { kind: KIND, id: null, userId: path.id, ...change },
    ]);
  });
}

type Caller = Pick<OperationRequest, 'service' | 'rules'>;

/** The blocks of users, by their ids; users without one are absent. */
export async function readBlocks(
  { service, rules }: Caller,
  users: readonly { userId: string; state: UserState }[],
): Promise<Map<string, Block>> {
  const now = service.clock.now();
  const blocked = users.filter(({ state: { block } }) => block !== null && (block.until ?? now + 1) > now);
  if (blocked.length === 0) return new Map();
  const userIds = blocked.map(({ userId }) => userId);
  const rows = await service.history.read(rules.tenant, (read) =>
    readBlockedUsers(read, rules.tenant, userIds),
  );
  const rowOf = new Map(rows.map((row) => [row.userId, row]));
  return new Map(blocked.map(({ userId, state }) => [userId, blockView(state.block!, rowOf.get(userId))]));
}

function blockView({ until }: NonNullable<UserState['block']>, row: BlockedUserRow | undefined): Block {
  return {
    until: until === null ? null : new Date(until).toISOString(),
    reason: row?.reason ?? null,
    blockedAt: row?.blockedAt.toISOString() ?? null,
  };
}
