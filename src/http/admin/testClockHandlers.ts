import { setTimeout as sleep } from 'node:timers/promises';
import { allCells } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { DELIVERIES_WAIT_MS_MAX } from '../../base/limits.ts';
import { GetTestClock, MoveTestClock, type TestClock } from '../../contract/testClock.ts';
import { findNextDueActivation, listDueActivations } from '../../db/configuration/activations.ts';
import { listDueLeaderboards } from '../../db/configuration/dueLeaderboards.ts';
import { listDueShards, listDueWebhooks } from '../../db/deliveries/dueDeliveries.ts';
import { countNotifications } from '../../db/deliveries/notificationDeliveries.ts';
import type { Pool } from '../../db/pool.ts';
import { runActivation } from '../../engine/activations/runActivation.ts';
import { advanceLeaderboard } from '../../engine/leaderboards/leaderboardLife.ts';
import { requestRefills } from '../../engine/ranks/refills.ts';
import { planScheduledWebhooks } from '../../engine/webhooks/planScheduledWebhooks.ts';
import { isRelayed, waitForRelay } from '../../redis/state/relayProgress.ts';
import type { SharedClock } from '../../redis/state/sharedClock.ts';
import { audit, contextOf } from '../request/adminContext.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { readInstant } from '../request/parameters.ts';
import { notFound } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';

/** Longest wait for the relay when the test clock is moved. */
const TEST_CLOCK_WAIT_MS_MAX = 30_000;

const DELIVERIES_POLL_MS = 25;

function testClockOf({ testClock }: Service): SharedClock {
  if (testClock === null) throw notFound('The test clock is off; set LAUREL_TEST_CLOCK=1');
  return testClock;
}

export const getTestClock = endpoint(GetTestClock, ({ service }) => ok(present(service)));

const present = (service: Service): TestClock =>
  clockView(service.clock.now(), testClockOf(service).isStopped);

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
 * `{"now": ISO}`: moves the service's time forward. Answers when everything that fell due has happened and,
 * unless the caller sets `awaitHistory` to false, is in the history.
 */
export const moveTestClock = endpoint(MoveTestClock, async (call) => {
  const { service } = call;
  const clock = testClockOf(service);
  const { now: text, stopped = false, awaitHistory = true } = call.body;
  const instant = readInstant('now', text);
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
    const after = clockView(instant, stopped);
    await audit(service.pool, author, { action: 'update', kind: 'testClock', before, after });
  }
  if (awaitHistory && (await isRelayed(service.redis, service.cells))) {
    await waitForRelay(service.scripts, allCells(service.cells), TEST_CLOCK_WAIT_MS_MAX);
    await awaitDeliveries(service.pool, instant, DELIVERIES_WAIT_MS_MAX);
  }
  const notifications = awaitHistory ? await countNotifications(service.pool, author.now, instant) : [];
  return ok({ ...present(service), notifications });
});

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
