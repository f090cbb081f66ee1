import { setTimeout as sleep } from 'node:timers/promises';
import { IMPORT_PLAY_SECONDS_MAX } from '../../base/importLimits.ts';
import { DAY_MS, dateOfDay } from '../../rules/calendar.ts';
import type { Pace } from '../availability/pace.ts';
import type { PastEvents } from './importEvents.ts';

interface Playing {
  /** Pause after each day. */
  secondsPerDay: number;
  pace: Pace | undefined;
  /** @returns false if the events must be applied again */
  apply(): Promise<boolean>;
  /** Gives up the users who wait if the import has been paused or cancelled. */
  leaveIfStopped(): Promise<void>;
  /** Records that the events of this day are applied. */
  say(day: string): Promise<void>;
}

/**
 * Applies events day by day for all users, with a pause after each day that has some. Days that were applied
 * before, because another worker began, have no pause.
 * @returns false if the events must be applied again
 */
export async function playDays(
  events: PastEvents,
  { secondsPerDay, pace, apply, leaveIfStopped, say }: Playing,
): Promise<boolean> {
  const days = [...new Set(events.instants.map((at) => Math.floor(at / DAY_MS)))].sort((a, b) => a - b);
  const pauseMs = Math.min(secondsPerDay, IMPORT_PLAY_SECONDS_MAX / days.length) * 1000;
  for (const day of days) {
    await leaveIfStopped();
    events.applyUntil((day + 1) * DAY_MS);
    if (!events.isWaiting) continue;
    if (!(await apply())) return false;
    await say(dateOfDay(day));
    if (day !== days.at(-1)) await sleep(pauseMs, undefined, { signal: pace?.signal }).catch(() => {});
  }
  return !events.isWaiting;
}
