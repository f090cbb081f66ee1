import { ServiceError } from '../base/errors.ts';
import type { MoveTestClock, TestClock } from '../contract/testClock.ts';
import { type Answer, type Call, ok } from './endpoint.ts';

function testClockOf({ service }: Pick<Call, 'service'>) {
  if (service.testClock === null) throw new ServiceError('notFound', 'The test clock is off; set LAUREL_TEST_CLOCK=1');
  return service.testClock;
}

/** GET /admin/v1/test-clock */
export function getTestClock(call: Pick<Call, 'service'>): { status: 200; body: TestClock } {
  testClockOf(call);
  return ok({ now: new Date(call.service.clock.now()).toISOString() });
}

/** POST /admin/v1/test-clock `{"now": ISO}`: moves the service's time forward. */
export async function moveTestClock(call: Call<typeof MoveTestClock>): Promise<Answer<typeof MoveTestClock>> {
  const clock = testClockOf(call);
  const text = call.body.now;
  const instant = /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant)) {
    throw new ServiceError('invalid', 'now must be an ISO 8601 instant such as 2026-12-24T18:00:00Z');
  }
  await clock.moveTo(instant);
  return getTestClock(call);
}
