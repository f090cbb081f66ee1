import type { Config, Leaderboard } from '../../../src/rules/config.ts';
import { Rules } from '../../../src/rules/inForce/rules.ts';
import { isPaused } from '../../../src/rules/pauses.ts';
import { dateOf, type LocalDate, localDate, runEnd, runStart } from '../../support/modelCalendar.ts';
import { Excused, type Expected } from '../difference.ts';
import { type Both, type Performers, REFUSED } from './both.ts';

const ANSWER = new Excused('object', 'answers of the configuration have tests of their own');

export const CONFIGURATION: Performers<
  | 'setWindow'
  | 'setStreak'
  | 'setTimers'
  | 'setAnniversaries'
  | 'setPause'
  | 'setMaximum'
  | 'setMaxima'
  | 'endRun'
> = {
  async setWindow(both, { seconds }) {
    await change(both, 'PATCH', '/admin/v1/settings', { idempotencyWindowSeconds: seconds });
  },

  async setStreak(both, { streak }) {
    if (streak.frequency !== both.model.config.streak.frequency)
      both.books.frequencySince = localDate('Pacific/Kiritimati', both.now);
    await change(both, 'PATCH', '/admin/v1/streaks/settings', streak);
  },

  async setTimers(both, { timer }) {
    const { pointsSystems, pointsTriggers } = both.model.config;
    for (const system of pointsSystems) {
      const timers = pointsTriggers.filter(({ type, systemId }) => type === 'time' && systemId === system.id);
      if (timers.length === 0) continue;
      const { timeUnit, ...rest } = timer;
      const changed = timers.map(({ id }) => ({ id, timeUnit, ...rest }));
      await change(both, 'PATCH', `/admin/v1/points/${system.id}/triggers`, changed);
    }
  },

  async setAnniversaries(both, { years }) {
    const changed = both.model.config.achievements
      .filter(({ trigger }) => trigger === 'anniversary')
      .map(({ id, anniversaryYears }) => ({
        id,
        status: years.includes(anniversaryYears!) ? 'active' : 'locked',
      }));
    await change(both, 'PATCH', '/admin/v1/achievements', changed);
  },

  async setPause(both, { board: index }) {
    const { leaderboards } = both.model.config;
    const board = leaderboards[index % leaderboards.length]!;
    if (board.status !== 'active' && board.status !== 'scheduled') return;
    const action = isPaused(board) ? 'resume' : 'pause';
    await change(both, 'POST', `/admin/v1/leaderboards/${board.id}/${action}`, { reason: 'A test' });
  },

  async endRun(both, { board: index, days }) {
    const { leaderboards } = both.model.config;
    const board = leaderboards[index % leaderboards.length]!;
    const today = firstDateOfRuns(both, board);
    const lastDay = today.plus({ days }) as LocalDate;
    const path = `/admin/v1/leaderboards/${board.id}/end-run`;
    // Without a day, the run ends as early as possible.
    const body = { ...(days > 0 && { lastDay: lastDay.toISODate() }), reason: 'A test' };
    const start = runStart(board, today);
    if (isLastDay(board, start, lastDay))
      await change(both, 'POST', path, body, { start: start!.toISODate(), end: lastDay.toISODate() });
    else both.compare(`POST ${path}`, await both.service.call('POST', path, body), REFUSED);
  },

  async setMaximum(both, { board: index, max }) {
    const board = both.model.config.leaderboards[index];
    if (board === undefined || board.league !== null) return;
    await change(both, 'PATCH', '/admin/v1/leaderboards', [{ id: board.id, maxParticipants: max }]);
  },

  async setMaxima(both, { system: index, points, freezes: maxCount }) {
    const { pointsSystems, streak } = both.model.config;
    const system = pointsSystems[index]!;
    await change(both, 'PATCH', '/admin/v1/points', [{ id: system.id, maxPoints: points }]);
    if (streak.freezes === null) return;
    const startCount = Math.min(streak.freezes.startCount, maxCount);
    const freezes = { ...streak.freezes, startCount, maxCount };
    await change(both, 'PATCH', '/admin/v1/streaks/settings', { freezes });
  },
};

/** The date by which the first users have runs. */
function firstDateOfRuns({ model, now }: Both, { timeZone, league }: Leaderboard): LocalDate {
  const home = model.config.settings.defaultTimeZone;
  return localDate(timeZone ?? (league === null ? 'Pacific/Kiritimati' : home), now);
}

/** Whether a run may end with a date: before the next one would end, and not after the leaderboard. */
function isLastDay(board: Leaderboard, start: LocalDate | null, date: LocalDate): boolean {
  const isLive = board.status === 'active' || board.status === 'scheduled';
  if (board.runUnit === null || !isLive || start === null) return false;
  if (board.end !== null && date > dateOf(board.end)) return false;
  const endless = { ...board, end: null };
  const next = runEnd(endless, start)!.plus({ days: 1 }) as LocalDate;
  return date < runEnd(endless, next)!;
}

/** Changes the configuration. Newer rules of time look at each user before anything else happens. */
async function change(
  both: Both,
  method: 'PATCH' | 'POST',
  path: string,
  body: unknown,
  expected: Expected = ANSWER,
): Promise<void> {
  const { service, model, now } = both;
  const answer = await service.call(method, path, body);
  both.compare(`${method} ${path} ${JSON.stringify(body)}`, answer, {
    status: 200,
    body: expected,
  });
  const before = model.config;
  model.config = await service.readConfig();
  both.dueWork.configure(before, model.config, now);
  if (hashOf(model.config) !== hashOf(before)) model.bringTimeRules(now);
}

const hashOf = (config: Config): string => new Rules(config).settlingRulesHash;
