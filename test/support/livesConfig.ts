import { items, perLesson, WEEKLY, xp, xpBoard } from './items.ts';

interface Lives {
  freezes: object;
  daysOff?: number[];
  /** Dates between which points count twice. */
  boost: { start: string; end: string };
  achievements?: object[];
  /** Beside those of a week's points and of streaks. */
  leaderboards: object[];
}

/**
 * Configuration of tests that live through days or weeks: everything in it changes by time as well as by
 * events.
 */
export function livesConfig({ freezes, daysOff = [], boost, achievements = [], leaderboards }: Lives) {
  return {
    attributes: { user: items('team') },
    metrics: items('lessons'),
    streak: { metrics: [{ key: 'lessons', threshold: 1 }], daysOff, freezes },
    achievements,
    points: [
      xp(
        [
          perLesson(10),
          { type: 'streak', streakLength: 7, points: 50 },
          { type: 'time', timeUnit: 'days', timeInterval: 2, points: 3 },
        ],
        { boosts: [{ name: 'Double', ...boost, multiplier: 2 }] },
      ),
      {
        key: 'energy',
        name: 'Energy',
        maxPoints: 12,
        triggers: [
          { type: 'user_creation', points: 12 },
          { type: 'time', timeUnit: 'hours', timeInterval: 5, points: 1 },
          perLesson(-4),
        ],
      },
    ],
    leaderboards: [
      xpBoard('week', { start: '2026-10-05', ...WEEKLY }),
      { key: 'streaks', name: 'Streaks', rankBy: 'streak', start: '2026-01-01' },
      ...leaderboards,
    ],
  };
}
