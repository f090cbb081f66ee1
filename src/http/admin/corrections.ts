import { adjustmentId, derivedId, newId } from '../../base/ids.ts';
import {
  AdjustPoints,
  CompleteChallenge,
  GrantAchievement,
  type PointsAdjustment,
  RevokeAchievement,
} from '../../contract/adminUsers.ts';
import { findAuditedCreation } from '../../db/access/audit.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import { readAdjustment } from '../../db/users/readUserHistory.ts';
import { readFormerIds } from '../../db/users/renameRows.ts';
import type { Correction } from '../../engine/users/userChangeRecords.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import type { PointsSystem } from '../../rules/config.ts';
import { audit, contextOf } from '../request/adminContext.ts';
import {
  type CallById,
  type EndpointCall,
  endpoint,
  type OperationRequest,
  ok,
} from '../request/endpoint.ts';
import { findAchievement, findActiveChallenge, findSystem } from '../request/find.ts';
import { invalid } from '../request/refuse.ts';

/**
 * Calls with the same idempotency key wait for each other; the audit log and the history tell whether an
 * earlier one has been carried out, even if its server died before it answered. A key is used under the
 * user's former ids, too.
 */
export const adjustPoints = endpoint(AdjustPoints, async (call) => {
  const { service, rules, path, body } = call;
  const { amount, reason, idempotencyKey } = body;
  if (amount === 0) throw invalid('amount must not be 0');
  const system = findSystem(rules, path.key);
  const { tenant } = rules;
  const seedOf = (userId: string): string =>
    idempotencyKey === undefined ? newId() : adjustmentId(tenant, userId, system.no, idempotencyKey);
  const base = seedOf(path.id);
  const id = derivedId(base, 1);
  return transaction(service.pool, async (client) => {
    if (idempotencyKey !== undefined) {
      const formerIds = (await readFormerIds(client, tenant, [path.id])).get(path.id) ?? [];
      // In one order, because each is locked.
      for (const userId of [path.id, ...formerIds].sort()) {
        const known = await findAdjustment(call, client, system, derivedId(seedOf(userId), 1));
        if (known !== null) return { status: 202, body: known };
      }
    }
    const { outcome, user } = await service.users.correct(rules, path.id, {
      op: 'adjust',
      system,
      amount,
      id: base,
    });
    const changes = outcome.status === 'recorded' ? outcome.points : [];
    const awarded = changes.find((change) => change.system === system.no)?.added ?? 0;
    const total = user.points.get(system.no) ?? 0;
    const after = { pointsSystem: system.key, amount, awarded, total, reason };
    const change = { action: 'create', kind: 'pointsAdjustments', id, userId: path.id, after } as const;
    await audit(client, contextOf(call), change);
    return { status: 201, body: { id, ...after } };
  });
});

async function findAdjustment(
  { service, rules, path, body }: OperationRequest<typeof AdjustPoints>,
  client: PoolClient,
  { no, key }: PointsSystem,
  id: string,
): Promise<PointsAdjustment | null> {
  const audited = await findAuditedCreation(client, rules.tenant, id);
  if (audited !== null) return { id, ...(audited as Omit<PointsAdjustment, 'id'>) };
  const user = { tenant: rules.tenant, userId: path.id };
  const found = await service.history.readUser(user, (rows) => readAdjustment(rows, user, no, id));
  return found && { id, pointsSystem: key, amount: body.amount, reason: body.reason, ...found };
}

/**
 * Corrects a user, then the rows about it and the audit log. The user comes first: if this process dies
 * before the commit, the repeated call completes the others, because both follow from the rows.
 * @param write answers whether something was changed, which is then audited
 * @returns whether something was changed
 */
export async function correctUser(
  call: EndpointCall & CallById,
  correction: Correction,
  change: Omit<Parameters<typeof audit>[2], 'userId'>,
  write: (client: PoolClient, outcome: Outcome) => Promise<boolean>,
): Promise<boolean> {
  const { service, rules, path } = call;
  return transaction(service.pool, async (client) => {
    const { outcome } = await service.users.correct(rules, path.id, correction);
    const isChanged = await write(client, outcome);
    if (isChanged) await audit(client, contextOf(call), { ...change, userId: path.id });
    return isChanged;
  });
}

export const grantAchievement = endpoint(GrantAchievement, async (call) => {
  const { service, rules, path, body } = call;
  const achievement = findAchievement(rules, path.key);
  if (achievement.status !== 'active') throw invalid(`Achievement ${path.key} is not active`);
  return transaction(service.pool, async (client) => {
    const { outcome } = await service.users.grant(rules, path.id, achievement);
    const granted = outcome.status === 'recorded' && outcome.completed.includes(achievement.no);
    const after = { achievement: path.key, reason: body.reason };
    const change = { action: 'create', kind: 'completions', userId: path.id, after } as const;
    if (granted) await audit(client, contextOf(call), change);
    return ok({ achievement: path.key, granted });
  });
});

export const revokeAchievement = endpoint(RevokeAchievement, async (call) => {
  const { service, rules, path, body } = call;
  const achievement = findAchievement(rules, path.key);
  const { user } = await service.users.read(rules, path.id);
  const revoked = user.achievements.has(achievement.no);
  const [before, after] = [{ achievement: path.key }, { reason: body.reason }];
  const change = { action: 'delete', kind: 'completions', before, after } as const;
  await correctUser(call, { op: 'revoke', achievement }, change, async () => revoked);
  return ok({ achievement: path.key, revoked });
});

export const completeChallenge = endpoint(CompleteChallenge, async (call) => {
  const { rules, path, body } = call;
  const challenge = findActiveChallenge(rules, path.key);
  const after = { challenge: path.key, reason: body.reason };
  const change = { action: 'create', kind: 'challengeCompletions', after } as const;
  const completed = await correctUser(
    call,
    { op: 'completeChallenge', challenge },
    change,
    async (_client, outcome) => outcome.status === 'recorded' && outcome.challenges !== undefined,
  );
  return ok({ challenge: path.key, completed });
});
