import { achievement, items, lessonStreak, perLesson, xp } from './items.ts';
import { dayFromStart } from './testTime.ts';

/** Leaderboards of one metric, with a run each day, and by city. */
export const BOARDS = [
  { key: 'daily', name: 'Daily', rankBy: 'metric', metric: 'lessons', runUnit: 'day', runInterval: 1 },
  { key: 'cities', name: 'Cities', rankBy: 'metric', metric: 'lessons', breakdownAttributes: ['city'] },
];

/** Makes users have something of everything that is held of a user. */
export const wholeUserConfig = (boards: object[] = BOARDS): object => ({
  attributes: { user: items('city'), event: items('device') },
  metrics: items('lessons', 'minutes'),
  streak: lessonStreak({ freezes: { startCount: 0, maxCount: 2 } }),
  achievements: [achievement('two', 2)],
  points: [xp([perLesson(10)])],
  leaderboards: boards.map((board) => ({ ...board, start: dayFromStart(-5) })),
});
