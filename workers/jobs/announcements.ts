import type { Clock } from '../../src/base/clock.ts';
import type { Pool } from '../../src/db/pool.ts';
import { announceDue } from '../../src/engine/webhooks/announce.ts';
import type { Schedule } from './schedules.ts';

/** Reports to webhooks when boosts and runs begin or end. */
export function announcementSchedule(pool: Pool, clock: Clock): Schedule {
  return { name: 'announcements', pattern: '*/2 * * * * *', run: (signal) => announceDue(pool, clock.now(), signal) };
}
