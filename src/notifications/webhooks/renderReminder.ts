import type { Redis } from 'ioredis';
import { cellOf } from '../../base/cells.ts';
import { instantOfDelivery } from '../../base/ids.ts';
import type { WebhookBody } from '../../contract/webhooks.ts';
import type { PendingWebhookDelivery } from '../../db/deliveries/webhookAttempts.ts';
import type { Pool } from '../../db/pool.ts';
import { readExtensions } from '../../db/users/readUserHistory.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import { decodeUserState } from '../../redis/state/userState.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import { shownPeriods, userStreakView } from '../../views/userStreakView.ts';
import { userView } from '../../views/userView.ts';
import { zoneOf } from '../userVariables.ts';

/** Number of periods in the history, as GET /users/{id}/streak shows by default. */
const HISTORY_PERIODS = 7;

/** Renders the body of `emails.streak_reminder_due`, with the streak at the time when the reminder became due; null if the user was erased. */
export async function renderReminder(
  { pool, redis, cells }: { pool: Pool; redis: Redis; cells: number },
  rules: Rules,
  { id, userId, type }: PendingWebhookDelivery,
): Promise<string | null> {
  const [hot, cold] = await redis.hmgetBuffer(keys.user(rules.tenant, cellOf(rules.tenant, cells), userId!), 'h', 'c');
  if (!hot || !cold) return null;
  const user = decodeUserState(hot, cold);
  const at = instantOfDelivery(id);
  const time = localTime(zoneOf(rules, user), at);
  const { first, last } = shownPeriods(rules, time, HISTORY_PERIODS);
  const extensions = await readExtensions(
    async (statement, values) => (await pool.query({ ...statement, values })).rows,
    { tenant: rules.tenant, userId: userId! },
    rules.config.streak.frequency,
    first,
    last,
  );
  const body: WebhookBody<'emails.streak_reminder_due'> = {
    timestamp: new Date(at).toISOString(),
    user: userView(rules, userId!, user),
    streak: userStreakView(rules, user, time, HISTORY_PERIODS, extensions),
  };
  return JSON.stringify({ type, ...body });
}
