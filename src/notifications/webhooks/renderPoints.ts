import type { Redis } from 'ioredis';
import { cellOf } from '../../base/cells.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { UnshownAwardsReader } from '../../db/deliveries/unshownAwards.ts';
import type { PendingWebhookDelivery, Rendered } from '../../db/deliveries/webhookAttempts.ts';
import type { Pool } from '../../db/pool.ts';
import type { Rows } from '../../db/rows.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import { decodeUserState } from '../../redis/state/userState.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import { awardView } from '../../views/awardView.ts';
import { levelView, pointsSystemView } from '../../views/entityViews.ts';
import { userView } from '../../views/userView.ts';
import { zoneOf } from '../userVariables.ts';
import type { PointsFacts } from './planWebhooks.ts';

export interface PointsDependencies {
  pool: Pool;
  redis: Redis;
  cells: number;
  unshownAwards: UnshownAwardsReader;
}

/**
 * Renders the body of `points.changed`: all awards that no delivery of the webhook has shown, together. null if there are none, or if
 * the user or the points system is gone.
 */
export async function renderPoints(
  { pool, redis, cells, unshownAwards }: PointsDependencies,
  rules: Rules,
  { userId, webhookId }: PendingWebhookDelivery,
  facts: PointsFacts,
  now: number,
): Promise<Rendered | null> {
  const { tenant } = rules;
  const system = rules.findByNo('pointsSystems', facts.system);
  const [hot, cold] = await redis.hmgetBuffer(keys.user(tenant, cellOf(tenant, cells), userId!), 'h', 'c');
  if (system === null || !hot || !cold) return null;
  const user = decodeUserState(hot, cold);
  const { subject, since, sequence } = facts;
  const wanted = { tenant, userId: userId!, webhook: webhookId, subject, system: system.no, since, sequence };
  const { awards, added } = await unshownAwards.read(wanted);
  const latest = awards.at(-1);
  if (latest === undefined) return null;
  const rows: Rows = async (statement, values) => (await pool.query({ ...statement, values })).rows;
  const causes = await findCauses(rows, rules, awards);
  const { total } = latest;
  const { day } = localTime(zoneOf(rules, user), now);
  const [before, after] = [rules.levelAt(system, total - added), rules.levelAt(system, total)];
  const body: WebhookBody<'points.changed'> = {
    user: userView(rules, userId!, user),
    points: {
      ...pointsSystemView(system),
      total,
      ...(before !== after && { level: after && levelView(after) }),
      added,
      awards: awards.map((award) => awardView(causes, award, day)),
    },
  };
  return {
    body: JSON.stringify({ type: 'points.changed', ...body }),
    shown: { subject, sequence: latest.sequence },
  };
}
