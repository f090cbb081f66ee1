import { setTimeout as sleep } from 'node:timers/promises';
import { allCells } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseInstant } from '../../base/instant.ts';
import { DELIVERIES_WAIT_MS_MAX, TEST_CLOCK_WAIT_MS_MAX } from '../../base/limits.ts';
import type { MoveTestClock, TestClock } from '../../contract/testClock.ts';
import { writeAudit } from '../../db/access/audit.ts';
import { findNextDueActivation, listDueActivations } from '../../db/configuration/activations.ts';
import { listDueLeaderboards } from '../../db/configuration/dueLeaderboards.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { listDueShards, listDueWebhooks } from '../../db/deliveries/dueDeliveries.ts';
import { countNotifications } from '../../db/deliveries/notificationDeliveries.ts';
import type { Pool } from '../../db/pool.ts';
import { runActivation } from '../../engine/configuration/runActivation.ts';
import { advanceLeaderboard } from '../../engine/leaderboards/leaderboardLife.ts';
import { requestRefills } from '../../engine/leaderboards/refills.ts';
import { planScheduledWebhooks } from '../../engine/webhooks/planScheduledWebhooks.ts';
import { isRelayed, waitForRelay } from '../../redis/state/relayProgress.ts';
import type { SharedClock } from '../../redis/state/sharedClock.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import type { Service } from '../request/service.ts';
import { contextOf } from './resources.ts';

const DELIVERIES_POLL_MS = 25;

function testClockOf({ service }: Pick<OperationRequest, 'service'>) {
  if (service.testClock === null)
    throw new ServiceError('notFound', 'The test clock is off; set LAUREL_TEST_CLOCK=1');
  return service.testClock;
}

/** GET /admin/v1/test-clock */
export function getTestClock(call: Pick<OperationRequest, 'service'>): { status: 200; body: TestClock } {
  const { isStopped } = testClockOf(call);
  return ok(clockView(call.service.clock.now(), isStopped));
}

const clockView = (now: number, stopped: boolean): TestClock => ({
  now: new Date(now).toISOString(),
  stopped,
});

/** Moves the clock to an instant, unless that is past, and does everything that falls due until then. */
async function passTo(
  service: Service,
  clock: SharedClock,
  instant: number,
  stopped: boolean,
): Promise<void> {
  const { pool, redis, cells, sweep } = service;
  // Before the clock moves, so that no worker does it at the same time in another order.
  await sweep.run(instant);
  await clock.moveTo(instant, stopped);
  // Users who became due through events in the meantime.
  await sweep.run(instant);
  await planScheduledWebhooks(service, instant);
  await requestRefills(service, instant);
  const [activations, leaderboards] = await Promise.all([
    listDueActivations(pool, instant),
    listDueLeaderboards(pool, instant),
  ]);
  // Both read the history.
  if (activations.length + leaderboards.length === 0 || !(await isRelayed(redis, cells))) return;
  for (const id of activations) await runActivation(service, id);
  for (let due = leaderboards; due.length > 0; due = await listDueLeaderboards(pool, instant)) {
    for (const leaderboard of due) await advanceLeaderboard(service, leaderboard, instant);
  }
}

/**
 * POST /admin/v1/test-clock `{"now": ISO}`: moves the service's time forward. Answers when everything that
 * fell due has happened and, unless the caller sets `awaitHistory` to false, is in the history.
 */
export async function moveTestClock(
  call: OperationRequest<typeof MoveTestClock>,
): Promise<OperationResponse<typeof MoveTestClock>> {
  const clock = testClockOf(call);
  const { now: text, stopped = false, awaitHistory = true } = call.body;
  const instant = parseInstant(text);
  if (instant === null) {
    throw new ServiceError('invalid', 'now must be an ISO 8601 instant such as 2026-12-24T18:00:00Z');
  }
  const { service } = call;
  clock.assertMayMoveTo(instant);
  const author = contextOf(call);
  const before = clockView(author.now, clock.isStopped);
  // Activations see users as of this instant. Runs of leaderboards become final as of their end, however late
  // that happens.
  for (let done = 0; ; ) {
    const next = await findNextDueActivation(service.pool, done, instant);
    await passTo(service, clock, next ?? instant, stopped);
    if (next === null) break;
    done = next;
  }
  // A clock that stands still is moved often.
  if (!(before.stopped && stopped)) {
    await writeAudit(service.pool, DEFAULT_TENANT, author, [
      { action: 'update', kind: 'testClock', id: null, before, after: clockView(instant, stopped) },
    ]);
  }
  if (awaitHistory && (await isRelayed(service.redis, service.cells))) {
    await waitForRelay(service.scripts, allCells(service.cells), TEST_CLOCK_WAIT_MS_MAX);
    await awaitDeliveries(service.pool, instant, DELIVERIES_WAIT_MS_MAX);
  }
  const { body } = getTestClock(call);
  const notifications = awaitHistory ? await countNotifications(service.pool, author.now, instant) : [];
  return ok({ ...body, notifications });
}

/**
 * Resolves when all deliveries that are due at `now` (ms) have been attempted, at the latest after
 * `waitMsMax`.
 */
async function awaitDeliveries(pool: Pool, now: number, waitMsMax: number): Promise<void> {
  const giveUpMs = monotonicMs() + waitMsMax;
  for (;;) {
    const due = await Promise.all([
      listDueShards(pool, 'email', now),
      listDueShards(pool, 'push', now),
      listDueWebhooks(pool, now, 1),
    ]);
    if (due.every((list) => list.length === 0) || monotonicMs() >= giveUpMs) return;
    await sleep(DELIVERIES_POLL_MS);
  }
}
