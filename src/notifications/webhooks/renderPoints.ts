import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { UnshownAwardsReader } from '../../db/deliveries/unshownAwards.ts';
import type { PendingWebhookDelivery, Rendered } from '../../db/deliveries/webhookAttempts.ts';
import type { Pool } from '../../db/pool.ts';
import { rowsOf } from '../../db/rows.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { readUserState } from '../../redis/state/currentStates.ts';
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
  cells: Cells;
  unshownAwards: UnshownAwardsReader;
}

/**
 * Renders the body of `points.changed`: all awards that no delivery of the webhook has shown, together. null
 * if there are none, or if the user or the points system is gone.
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
  const user = await readUserState(redis, cells, { tenant, userId: userId! });
  if (system === null || user === null) return null;
  const { subject, since, sequence } = facts;
  const wanted = { tenant, userId: userId!, webhook: webhookId, subject, system: system.no, since, sequence };
  const { awards, added } = await unshownAwards.read(wanted);
  const latest = awards.at(-1);
  if (latest === undefined) return null;
  const causes = await findCauses(rowsOf(pool), rules, awards);
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
