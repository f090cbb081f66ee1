import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER, usualEvents } from './requests.ts';

/** A tenth of the requests repeats an event that was sent a moment ago, after its answer or before. */
const DISTANCE = 1_009;

export const replays: Scenario = {
  name: 'replays',
  title: 'full event with a key, 10 % replays',
  measures: 'full events with idempotency keys, of which a tenth is sent twice',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => closedLoop(target, await usualEvents(target), { keys: 'replays', replayDistance: DISTANCE }),
};
