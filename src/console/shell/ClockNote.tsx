import type { TestClock } from '../../contract/testClock.ts';
import { LIVE_MS, useApi } from '../api/useApi.ts';
import { formatInstant } from '../format.ts';

/** The time of the service, where a test clock moves it. */
export function ClockNote() {
  const first = useApi<TestClock>('/test-clock');
  const clock = useApi<TestClock>(first.data === null ? null : '/test-clock', {}, { everyMs: LIVE_MS });
  const { now, stopped } = clock.data ?? {};
  if (now === undefined) return null;
  return (
    <span class="soft">
      Test clock{stopped ? ' (stopped)' : ''}
      <br />
      <time dateTime={now}>{formatInstant(now, 'UTC')} UTC</time>
    </span>
  );
}
