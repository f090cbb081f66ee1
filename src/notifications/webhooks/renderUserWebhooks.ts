import { instantOfDelivery } from '../../base/ids.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { UnshownAwardsReader } from '../../db/deliveries/unshownAwards.ts';
import type { PendingWebhookDelivery, Rendered } from '../../db/deliveries/webhookAttempts.ts';
import type { Pool } from '../../db/pool.ts';
import { prepared } from '../../db/rows.ts';
import { readStreakPeriods } from '../../db/users/readUserHistory.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { awardView } from '../../views/causeView.ts';
import { levelView, pointsSystemView } from '../../views/entityViews.ts';
import { shownPeriods, userStreakView } from '../../views/streakView.ts';
import { userView } from '../../views/userView.ts';
import { zoneOf } from '../userVariables.ts';
import type { PointsFacts } from './planWebhooks.ts';

export interface PointsDependencies {
  pool: Pool;
  unshownAwards: UnshownAwardsReader;
}

/** A delivery about one user, and the present state of the user. */
export interface AboutUser {
  rules: Rules;
  delivery: PendingWebhookDelivery;
  userId: string;
  user: UserState;
}

/**
 * Renders the body of `points.changed`: all awards that no delivery of the webhook has shown, together. null
 * if there are none, or if the points system was deleted.
 */
export async function renderPoints(
  { pool, unshownAwards }: PointsDependencies,
  { rules, delivery, userId, user }: AboutUser,
  now: number,
): Promise<Rendered | null> {
  const { tenant } = rules;
  const { system: no, subject, since, sequence } = delivery.facts as PointsFacts;
  const system = rules.findByNo('pointsSystems', no);
  if (system === null) return null;
  const wanted = { tenant, userId, webhook: delivery.webhookId, subject, system: no, since, sequence };
  const { awards, added } = await unshownAwards.call(wanted);
  const latest = awards.at(-1);
  if (latest === undefined) return null;
  const causes = await findCauses(prepared(pool), rules, awards);
  const { total } = latest;
  const { day } = localTime(zoneOf(rules, user), now);
  const [before, after] = [rules.levelAt(system, total - added), rules.levelAt(system, total)];
  const body: WebhookBody<'points.changed'> = {
    user: userView(rules, userId, user),
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

/** Number of periods in the history, as GET /users/{id}/streak shows by default. */
const HISTORY_PERIODS = 7;

/** Renders `emails.streak_reminder_due`, with the streak at the time when the reminder became due. */
export async function renderReminder(
  { pool }: { pool: Pool },
  { rules, delivery, userId, user }: AboutUser,
): Promise<WebhookBody<'emails.streak_reminder_due'>> {
  const at = instantOfDelivery(delivery.id);
  const time = localTime(zoneOf(rules, user), at);
  const { first, last } = shownPeriods(rules, time, HISTORY_PERIODS);
  const key = { tenant: rules.tenant, userId };
  const history = await readStreakPeriods(prepared(pool), key, rules.config.streak.frequency, first, last);
  return {
    timestamp: new Date(at).toISOString(),
    user: userView(rules, userId, user),
    streak: userStreakView(rules, user, time, HISTORY_PERIODS, history),
  };
}
