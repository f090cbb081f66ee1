import { expect } from 'vitest';

/** The methods of an official client by their dotted names, such as `admin.streaks.freezes.create`. */
export function methodsOf(
  client: object,
  prefix = '',
): Map<string, (...args: unknown[]) => Promise<unknown>> {
  const members = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(client));
  return new Map(
    Object.entries(members).flatMap(([name, { get, value }]) => {
      if (get) return [...methodsOf(get.call(client), `${prefix}${name}.`)];
      return name === 'constructor' ? [] : [[`${prefix}${name}`, value.bind(client)] as const];
    }),
  );
}

interface ClientCall {
  method: string;
  args: (id: string) => unknown[];
  /** What the answer contains. */
  answer: (id: string) => object;
}

/** Lists with such an item. */
const some = (item: object) => expect.arrayContaining([expect.objectContaining(item)]);
const recap = { notifications: { recap: [] } };
const of = (id: string) => ({ id });

/** A call of every method for a user of the demo on the day `today`. Each finds what those before it made. */
export const clientCalls = (today: string): ClientCall[] => {
  const range = { aggregation: 'daily', startDate: today, endDate: today };
  const sums = (total: number) => () => [{ date: today, total, change: total }];
  return [
    { method: 'users.create', args: (id) => [{ id, name: 'Ada', tz: 'UTC' }], answer: of },
    {
      method: 'users.identify',
      args: (id) => [id, { name: 'Bob', attributes: { city: id } }],
      answer: (id) => ({ id, name: 'Bob', attributes: { city: id } }),
    },
    {
      method: 'users.update',
      args: (id) => [id, { tz: 'UTC' }],
      answer: (id) => ({ id, name: 'Bob', tz: 'UTC' }),
    },
    { method: 'users.get', args: (id) => [id], answer: of },
    { method: 'users.updatePreferences', args: (id) => [id, recap], answer: () => recap },
    { method: 'users.getPreferences', args: (id) => [id], answer: () => recap },
    {
      method: 'metrics.event',
      args: (id) => ['lessons', { user: { id }, value: 3 }],
      answer: () => ({
        total: 3,
        currentStreak: { length: 1, extended: true },
        points: { xp: { added: 30 } },
      }),
    },
    { method: 'users.allMetrics', args: (id) => [id], answer: () => some({ key: 'lessons', current: 3 }) },
    {
      method: 'users.singleMetric',
      args: (id) => [id, 'lessons'],
      answer: () => ({ key: 'lessons', current: 3 }),
    },
    { method: 'users.metricEventSummary', args: (id) => [id, 'lessons', range], answer: sums(3) },
    {
      method: 'achievements.complete',
      args: (id) => ['profile', { user: { id } }],
      answer: () => ({
        achievement: { key: 'profile', achievedAt: expect.any(Date) },
        points: { xp: { added: 25 } },
      }),
    },
    { method: 'achievements.all', args: () => [], answer: () => some({ key: 'profile', trigger: 'api' }) },
    {
      method: 'users.achievements',
      args: (id) => [id],
      answer: () => some({ key: 'profile', trigger: 'api' }),
    },
    { method: 'users.streak', args: (id) => [id], answer: () => ({ length: 1, frequency: 'daily' }) },
    {
      method: 'users.points',
      args: (id) => [id, 'xp'],
      answer: () => ({ total: 60, awards: some({ awarded: 25, total: 60 }) }),
    },
    { method: 'users.pointsEventSummary', args: (id) => [id, 'xp', range], answer: sums(60) },
    { method: 'users.leaderboard', args: (id) => [id, 'city'], answer: () => ({ rank: 1, value: 3 }) },
    {
      method: 'users.wrapped',
      args: (id) => [id],
      answer: (id) => ({ user: { id }, activity: { daysActive: 1 } }),
    },
    {
      method: 'streaks.list',
      args: (id) => [{ userIds: [id, 'nobody'] }],
      answer: (id) => [{ userId: id, streakLength: 1, extended: expect.stringMatching(/Z$/) }],
    },
    { method: 'streaks.rankings', args: () => [], answer: (id) => some({ userId: id, streakLength: 1 }) },
    {
      method: 'points.system',
      args: () => ['xp'],
      answer: () => ({ name: 'XP', triggers: some({ type: 'streak' }) }),
    },
    { method: 'points.summary', args: () => ['xp'], answer: () => some({ from: 0, to: 0 }) },
    { method: 'leaderboards.all', args: () => [], answer: () => some({ key: 'weekly', runUnit: 'day' }) },
    {
      method: 'leaderboards.get',
      args: (id) => ['city', { userAttributes: `city:${id}` }],
      answer: (id) => ({ key: 'city', rankings: [{ userId: id, rank: 1, value: 3 }] }),
    },
    {
      method: 'admin.streaks.freezes.create',
      args: (id) => [{ freezes: [{ userId: id }] }],
      answer: () => ({ issues: [] }),
    },
    {
      method: 'admin.streaks.restore',
      args: (id) => [{ users: [{ id }] }],
      answer: (id) => ({ restoredUsers: [], issues: [{ userId: id, level: 'error' }] }),
    },
  ];
};
