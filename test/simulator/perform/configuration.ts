import type { Config } from '../../../src/rules/config.ts';
import { Rules } from '../../../src/rules/inForce/rules.ts';
import { isPaused } from '../../../src/rules/pauses.ts';
import { localDate } from '../../support/modelCalendar.ts';
import { Excused } from '../difference.ts';
import type { Both, Performers } from './both.ts';

export const CONFIGURATION: Performers<
  'setWindow' | 'setStreak' | 'setTimers' | 'setAnniversaries' | 'setPause' | 'setMaximum' | 'setMaxima'
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

  async setMaximum(both, { board: index, max }) {
    const board = both.model.config.leaderboards[index];
    if (board === undefined || board.league !== null) return;
    await change(both, 'PATCH', '/admin/v1/leaderboards', [{ id: board.id, maxParticipants: max }]);
  },

  async setMaxima(both, { system: index, points }) {
    const system = both.model.config.pointsSystems[index]!;
    await change(both, 'PATCH', '/admin/v1/points', [{ id: system.id, maxPoints: points }]);
  },
};

/** Changes the configuration. Newer rules of time look at each user before anything else happens. */
async function change(both: Both, method: 'PATCH' | 'POST', path: string, body: unknown): Promise<void> {
  const { service, model, now } = both;
  const answer = await service.call(method, path, body);
  both.compare(`${method} ${path} ${JSON.stringify(body)}`, answer, {
    status: 200,
    body: new Excused('object', 'answers of the configuration have tests of their own'),
  });
  const before = model.config;
  model.config = await service.readConfig();
  both.dueWork.configure(before, model.config, now);
  if (hashOf(model.config) !== hashOf(before)) model.bringTimeRules(now);
}

const hashOf = (config: Config): string => new Rules(config).settlingRulesHash;
