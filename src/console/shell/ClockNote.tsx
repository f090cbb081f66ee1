import { useTestClock } from '../api/useTestClock.ts';
import { formatInstant } from '../format.ts';

/** The time of the service, where a test clock moves it. */
export function ClockNote() {
  const { now, stopped } = useTestClock().data ?? {};
  if (now === undefined) return null;
  return (
    <span class="soft">
      Test clock{stopped ? ' (stopped)' : ''}
      <br />
      <time dateTime={now}>{formatInstant(now, 'UTC')} UTC</time>
    </span>
  );
}
