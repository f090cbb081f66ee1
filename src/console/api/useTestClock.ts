import type { TestClock } from '../../contract/testClock.ts';
import { ofAccount } from './session.ts';
import { LIVE_MS, type Loaded, useApi } from './useApi.ts';

/** The test clock. It is read only if the service has one, because the call for it is refused otherwise. */
export function useTestClock(): Loaded<TestClock> & { isOff: boolean } {
  const status = useApi(ofAccount('/status'));
  const isOff = status.data !== null && status.data.testClock === null;
  const isOn = status.data !== null && !isOff;
  const clock = useApi(isOn ? '/test-clock' : null, {}, { everyMs: LIVE_MS });
  return { ...(isOn ? clock : { ...status, data: null }), isOff };
}
