import {
  achievement,
  countedGoal,
  DAILY,
  item,
  items,
  lessonStreak,
  metricBoard,
  perLesson,
  WEEKLY,
  xp,
  xpBoard,
} from './items.ts';
import { dayFromStart } from './testTime.ts';

/** A configuration file with every kind of entity that events change. */
export const EVERY_KIND = {
  attributes: { user: items('city'), event: items('device') },
  metrics: items('lessons'),
  streak: lessonStreak({ customizationEnabled: true, freezes: { startCount: 1, maxCount: 2 } }),
  achievements: [achievement('two', 2), item('profile', { trigger: 'api' })],
  points: [
    xp([perLesson(10)], {
      levels: [item('bronze', { points: 50 })],
      boosts: [{ name: 'Double', start: dayFromStart(-30), multiplier: 2 }],
    }),
  ],
  leaderboards: [
    metricBoard('weekly', { start: '2026-01-01', ...WEEKLY }),
    xpBoard('ever', { start: '2026-01-01' }),
  ],
  challenges: [item('quest', { ...DAILY, start: '2026-01-01', goals: [countedGoal('one', 1)] })],
};
