import { beforeAll, describe, expect, test } from 'vitest';
import {
  countedGoal,
  DAILY,
  item,
  items,
  lessonStreak,
  metricBoard,
  perLesson,
  xp,
  xpBoard,
} from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** The first screen in one read: its parts are those of the single reads. */

const server = useServer({
  config: {
    metrics: items('lessons', 'minutes'),
    attributes: { user: items('city') },
    streak: lessonStreak(),
    achievements: [
      { ...item('first'), trigger: 'metric', metric: 'lessons', metricValue: 1 },
      { ...item('many'), trigger: 'metric', metric: 'lessons', metricValue: 100 },
    ],
    points: [xp([perLesson(10)]), { key: 'energy', name: 'Energy', triggers: [perLesson(1)] }],
    challenges: [
      item('quest', { goals: [countedGoal('three', 3)] }),
      item('off', { status: 'inactive', goals: [countedGoal('one', 1)] }),
    ],
    leaderboards: [
      metricBoard('daily', DAILY),
      xpBoard('city', { breakdownAttributes: ['city'] }),
      metricBoard('over', { end: '2020-12-31' }),
      metricBoard('next', { start: '2099-01-01' }),
      metricBoard('off', { status: 'inactive' }),
    ],
  },
  relay: true,
});
beforeAll(async () => {
  await server.record({ id: 'ann', attributes: { city: 'rome' } }, 3);
  await server.record('ann', 2);
});

const read = (path: string): Promise<Json> => server.get(`/v1/users/ann/${path}`);

async function singleReads(query: {
  awards: number;
  numEvents: number;
  historyPeriods: number;
}): Promise<Json> {
  const places = ['daily', 'city', 'next'].map(
    async (key) => [key, await read(`leaderboards/${key}?numEvents=${query.numEvents}`)] as const,
  );
  const points = ['xp', 'energy'].map(
    async (key) => [key, await read(`points/${key}?awards=${query.awards}`)] as const,
  );
  return {
    streak: await read(`streak?historyPeriods=${query.historyPeriods}`),
    points: Object.fromEntries(await Promise.all(points)),
    achievements: await read('achievements'),
    leaderboards: Object.fromEntries(await Promise.all(places)),
    metrics: await read('metrics'),
    challenges: await read('challenges'),
  };
}

describe('the summary of a user', () => {
  test('has all parts as the single reads answer them, before and after they are kept in Redis', async () => {
    for (let time = 0; time < 2; time++) {
      const summary = await read('summary');
      expect(summary).toEqual(await singleReads({ awards: 10, numEvents: 10, historyPeriods: 7 }));
      expect(summary.points.xp.awards).toHaveLength(2);
      expect(summary.leaderboards.daily.history).toHaveLength(1);
      expect(summary.challenges).toMatchObject([{ key: 'quest', goals: [{ progress: 2 }] }]);
    }
  });

  test('has the parts that are asked for, with the parameters of the single reads', async () => {
    const query = 'awards=1&numEvents=0&historyPeriods=2&includeIncomplete=true';
    const { streak, points, leaderboards } = await singleReads({
      awards: 1,
      numEvents: 0,
      historyPeriods: 2,
    });
    const achievements = await read('achievements?includeIncomplete=true');
    expect(achievements).toHaveLength(2);
    expect(await read(`summary?include=streak,points,achievements&${query}`)).toEqual({
      streak,
      points,
      achievements,
    });
    expect(await read(`summary?include=leaderboards&${query}`)).toEqual({ leaderboards });
    expect(await read('summary?include=metrics')).toEqual({ metrics: await read('metrics') });
    expect(await read('summary?include=challenges')).toEqual({ challenges: await read('challenges') });
  });

  test('is refused for unknown parts, parameters and users', async () => {
    const statusOf = async (path: string): Promise<number> =>
      (await server.call('GET', `/v1/users/${path}`)).status;
    expect(await statusOf('ann/summary?include=badges')).toBe(422);
    expect(await statusOf('ann/summary?includes=streak')).toBe(422);
    expect(await statusOf('ann/summary?awards=11')).toBe(422);
    expect(await statusOf('nobody/summary')).toBe(404);
  });
});
