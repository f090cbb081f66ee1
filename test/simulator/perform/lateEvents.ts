import type { Config, Leaderboard } from '../../../src/rules/config.ts';
import { dateOfRuns, type LocalDate, localDate, runStart } from '../../support/modelCalendar.ts';
import type { EventOperation } from '../../support/randomOperations.ts';
import { type Both, type Performers, REFUSED } from './both.ts';
import { bodyOf, pathOf, record } from './events.ts';

const AHEAD_MS_MAX = 300_000;

export const LATE_EVENTS: Performers<'late'> = {
  async late(both, { event, ms }) {
    const { service, model, now } = both;
    const at = now - ms;
    const isTooOld = ms > model.config.settings.lateEvents.maxAgeSeconds * 1_000;
    if (-ms > AHEAD_MS_MAX || (isTooOld && event.key === null)) {
      const path = pathOf(event);
      const body = bodyOf({ ...event, key: null }, at);
      both.compare(`POST ${path}`, await service.call('POST', path, body), REFUSED);
    } else if (ms <= 0 || isTooOld || isOfPresent(both, event, at)) {
      await record(both, event, at);
    } else return;
    await both.readUser(event.request.user.id);
  },
};

/**
 * Whether an event falls on the present date of its user, and into the present run of each leaderboard. What it
 * changes in periods and runs that are over is compared by lateEvents.random.
 */
function isOfPresent(both: Both, { metric, request }: EventOperation, at: number): boolean {
  const { model, now } = both;
  const { config, users } = model;
  const { id, tz } = request.user;
  const zone = (tz === undefined ? users.get(id)?.tz : tz) ?? config.settings.defaultTimeZone;
  const isHeld = config.metrics.find(({ key }) => key === metric)!.guards?.action === 'hold';
  if (isHeld || +localDate(zone, at) !== +localDate(zone, now)) return false;
  const isOfPresentRun = (board: Leaderboard): boolean =>
    +(runAt(config, board, zone, now) ?? 0) === +(runAt(config, board, zone, at) ?? 0);
  return config.leaderboards.every(isOfPresentRun) && !isInLaterRun(both, id, zone);
}

/**
 * Whether the user is in a later run of a leaderboard than that of the present date in a zone, as after a
 * journey west across midnight. An event in time counts in the later run then, a late one in that of its
 * date.
 */
export function isInLaterRun({ model, now }: Both, userId: string, zone: string): boolean {
  const boards = model.users.get(userId)?.boards;
  return model.config.leaderboards.some((board) => {
    const run = runAt(model.config, board, zone, now);
    const known = boards?.get(board.id)?.run;
    return run !== null && known !== undefined && known > run;
  });
}

/** The run of a user at an instant, unless the leaderboard was paused then. */
function runAt(config: Config, board: Leaderboard, zone: string, at: number): LocalDate | null {
  const isPaused = board.pauses.some(
    ({ from, to }) => Date.parse(from) <= at && (to === null || at < Date.parse(to)),
  );
  if (isPaused) return null;
  const home = config.settings.defaultTimeZone;
  return runStart(
    board,
    board.league === null ? dateOfRuns(board, localDate(zone, at), at) : localDate(home, at),
  );
}
