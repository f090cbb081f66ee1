import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import { instantOfDelivery } from '../../base/ids.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { PendingWebhookDelivery } from '../../db/deliveries/webhookAttempts.ts';
import type { Pool } from '../../db/pool.ts';
import { rowsOf } from '../../db/rows.ts';
import { readStreakPeriods } from '../../db/users/readUserHistory.ts';
import { readUserState } from '../../redis/state/currentStates.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import { shownPeriods, userStreakView } from '../../views/userStreakView.ts';
import { userView } from '../../views/userView.ts';
import { zoneOf } from '../userVariables.ts';

/** Number of periods in the history, as GET /users/{id}/streak shows by default. */
const HISTORY_PERIODS = 7;

/**
 * Renders the body of `emails.streak_reminder_due`, with the streak at the time when the reminder became due;
 * null if the user was erased.
 */
export async function renderReminder(
  { pool, redis, cells }: { pool: Pool; redis: Redis; cells: Cells },
  rules: Rules,
  { id, userId, type }: PendingWebhookDelivery,
): Promise<string | null> {
  const key = { tenant: rules.tenant, userId: userId! };
  const user = await readUserState(redis, cells, key);
  if (user === null) return null;
  const at = instantOfDelivery(id);
  const time = localTime(zoneOf(rules, user), at);
  const { first, last } = shownPeriods(rules, time, HISTORY_PERIODS);
  const history = await readStreakPeriods(rowsOf(pool), key, rules.config.streak.frequency, first, last);
  const body: WebhookBody<'emails.streak_reminder_due'> = {
    timestamp: new Date(at).toISOString(),
    user: userView(rules, userId!, user),
    streak: userStreakView(rules, user, time, HISTORY_PERIODS, history),
  };
  return JSON.stringify({ type, ...body });
}
