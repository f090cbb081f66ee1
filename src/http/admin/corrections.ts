import { ServiceError } from '../../base/errors.ts';
import { adjustmentId, derivedId, newId } from '../../base/ids.ts';
import type {
  AdjustPoints,
  GrantAchievement,
  PointsAdjustment,
  RevokeAchievement,
} from '../../contract/adminUsers.ts';
import { findAuditedCreation, writeAudit } from '../../db/access/audit.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import { readAdjustment } from '../../db/users/readUserHistory.ts';
import type { Achievement, PointsSystem } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { contextOf } from './resources.ts';

/**
 * POST /admin/v1/users/{id}/points/{key}/adjustments. Calls with the same idempotency key wait for each
 * other; the audit log and the history tell whether an earlier one has been carried out, even if its server
 * died before it answered.
 */
export async function adjustPoints(
  call: OperationRequest<typeof AdjustPoints>,
): Promise<OperationResponse<typeof AdjustPoints>> {
  const { service, rules, path, body } = call;
  const { amount, reason, idempotencyKey } = body;
  if (amount === 0) throw new ServiceError('invalid', 'amount must not be 0');
  const system = findSystem(rules, path.key);
  const { tenant } = rules;
  const base =
    idempotencyKey === undefined ? newId() : adjustmentId(tenant, path.id, system.no, idempotencyKey);
  const id = derivedId(base, 1);
  return transaction(service.pool, async (client) => {
    if (idempotencyKey !== undefined) {
      const known = await findAdjustment(call, client, system, id);
      if (known !== null) return { status: 202, body: known };
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
    await writeAudit(client, tenant, contextOf(call), [
      { action: 'create', kind: 'pointsAdjustments', id, userId: path.id, before: null, after },
    ]);
    return { status: 201, body: { id, ...after } };
  });
}

async function findAdjustment(
  { service, rules, path, body }: OperationRequest<typeof AdjustPoints>,
  client: PoolClient,
  { no, key }: PointsSystem,
  id: string,
): Promise<PointsAdjustment | null> {
  const audited = await findAuditedCreation(client, rules.tenant, id);
  if (audited !== null) return { id, ...(audited as Omit<PointsAdjustment, 'id'>) };
  const user = { tenant: rules.tenant, userId: path.id };
  const found = await service.history.read(rules.tenant, (rows) => readAdjustment(rows, user, no, id));
  return found && { id, pointsSystem: key, amount: body.amount, reason: body.reason, ...found };
}

function findAchievement(rules: Rules, key: string): Achievement {
  const achievement = rules.achievementByKey.get(key);
  if (achievement === undefined) throw new ServiceError('notFound', `Achievement ${key} does not exist`);
  return achievement;
}

/** POST /admin/v1/users/{id}/achievements/{key}/grant */
export async function grantAchievement(
  call: OperationRequest<typeof GrantAchievement>,
): Promise<OperationResponse<typeof GrantAchievement>> {
  const { service, rules, path, body } = call;
  const achievement = findAchievement(rules, path.key);
  if (achievement.status !== 'active')
    throw new ServiceError('invalid', `Achievement ${path.key} is not active`);
  return transaction(service.pool, async (client) => {
    const { outcome } = await service.users.grant(rules, path.id, achievement);
    const granted = outcome.status === 'recorded' && outcome.completed.includes(achievement.no);
    if (granted) {
      await writeAudit(client, rules.tenant, contextOf(call), [
        {
          action: 'create',
          kind: 'completions',
          id: null,
          userId: path.id,
          before: null,
          after: { achievement: path.key, reason: body.reason },
        },
      ]);
    }
    return ok({ achievement: path.key, granted });
  });
}

/** POST /admin/v1/users/{id}/achievements/{key}/revoke */
export async function revokeAchievement(
  call: OperationRequest<typeof RevokeAchievement>,
): Promise<OperationResponse<typeof RevokeAchievement>> {
  const { service, rules, path, body } = call;
  const achievement = findAchievement(rules, path.key);
  return transaction(service.pool, async (client) => {
    const { user } = await service.users.read(rules, path.id);
    const revoked = user.achievements.has(achievement.no);
    await service.users.correct(rules, path.id, { op: 'revoke', achievement });
    if (revoked) {
      await writeAudit(client, rules.tenant, contextOf(call), [
        {
          action: 'delete',
          kind: 'completions',
          id: null,
          userId: path.id,
          before: { achievement: path.key },
          after: { reason: body.reason },
        },
      ]);
    }
    return ok({ achievement: path.key, revoked });
  });
}
