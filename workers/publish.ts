import type { Clock } from '../src/base/clock.ts';
import { publishPending, type Stores } from '../src/engine/publishing.ts';
import type { Schedule } from './schedules.ts';

/**
 * Whoever changes a configuration publishes it; this puts in force what was stored by a process that died in between, or
 * that found Redis away.
 */
export function publishSchedule(stores: Stores, clock: Clock): Schedule {
  return { name: 'publish', pattern: '*/5 * * * * *', run: (signal) => publishPending(stores, clock.now(), signal) };
}
