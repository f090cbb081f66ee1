import { ServiceError } from '../base/errors.ts';
import { parseInstant } from '../base/instant.ts';
import { TEST_CLOCK_WAIT_MS_MAX } from '../base/limits.ts';
import type { MoveTestClock, TestClock } from '../contract/testClock.ts';
import { writeAudit } from '../db/audit.ts';
import { DEFAULT_TENANT } from '../db/configuration.ts';
import { isRelayed, waitForRelay } from '../redis/relayProgress.ts';
import { contextOf } from './adminResources.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import type { Service } from './service.ts';

function testClockOf({ service }: Pick<Call, 'service'>) {
  if (service.testClock === null) throw new ServiceError('notFound', 'The test clock is off; set LAUREL_TEST_CLOCK=1');
  return service.testClock;
}

/** GET /admin/v1/test-clock */
export function getTestClock(call: Pick<Call, 'service'>): { status: 200; body: TestClock } {
  const { isStopped } = testClockOf(call);
  return ok(clockView(call.service.clock.now(), isStopped));
}

const clockView = (now: number, stopped: boolean): TestClock => ({ now: new Date(now).toISOString(), stopped });

/** Everything that is due until then, in the order in which it is due. */
async function settleEverybody({ sweep, shards }: Service, until: number): Promise<void> {
  await sweep.run(
    Array.from({ length: shards }, (_, shard) => shard),
    until,
  );
}

/**
 * POST /admin/v1/test-clock `{"now": ISO}`: moves the service's time forward; answers when all that fell due has happened, and, where
 * there is a relay, is in the history, unless the caller does not care.
 */
export async function moveTestClock(call: Call<typeof MoveTestClock>): Promise<Answer<typeof MoveTestClock>> {
  const clock = testClockOf(call);
  const { now: text, stopped = false, awaitHistory = true } = call.body;
  const instant = parseInstant(text);
  if (instant === null) {
    throw new ServiceError('invalid', 'now must be an ISO 8601 instant such as 2026-12-24T18:00:00Z');
  }
  const { service } = call;
  clock.assertMayMoveTo(instant);
  // Before the clock moves, so that nobody else does it at the same time in another order.
  await settleEverybody(service, instant);
  const author = contextOf(call);
  const before = clockView(author.now, clock.isStopped);
  await clock.moveTo(instant, stopped);
  // Who holds it moves it often.
  if (!(before.stopped && stopped)) {
    await writeAudit(service.pool, DEFAULT_TENANT, author, [
      { action: 'update', kind: 'testClock', id: null, before, after: clockView(instant, stopped) },
    ]);
  }
  // What events have brought meanwhile.
  await settleEverybody(service, instant);
  if (awaitHistory && (await isRelayed(service.redis, service.shards))) {
    await waitForRelay(service.scripts, service.shards, TEST_CLOCK_WAIT_MS_MAX);
  }
  return getTestClock(call);
}
