import Type from 'typebox';
import {
  date,
  flag,
  id,
  instant,
  list,
  map,
  maybe,
  number,
  object,
  oneOf,
  orNull,
  type Promised,
  text,
  time,
  whole,
} from './shapes.ts';

const pair = object({ key: text, value: text });
const frequency = oneOf('daily', 'weekly', 'monthly');

const user = object({
  id,
  email: orNull(text),
  name: orNull(text),
  tz: orNull(text),
  deviceTokens: maybe(list(text)),
  subscribeToEmails: flag,
  attributes: map(text),
  control: flag,
  created: instant,
  updated: instant,
});

const achievementFields = {
  id,
  name: text,
  trigger: oneOf('metric', 'streak', 'api', 'achievement'),
  description: orNull(text),
  badgeUrl: orNull(text),
  key: maybe(text),
  streakLength: maybe(whole),
  achievementIds: maybe(list(id)),
  metricId: maybe(id),
  metricValue: maybe(number),
  metricName: maybe(text),
  userAttributes: list(pair),
  eventAttribute: maybe(pair),
  eventAttributes: maybe(list(pair)),
};
const statistics = { completions: whole, rarity: number };
const userAchievement = object({ ...achievementFields, achievedAt: orNull(instant) });

const streakFields = {
  length: whole,
  frequency,
  started: orNull(date),
  periodStart: orNull(date),
  periodEnd: orNull(date),
  expires: orNull(date),
  freezes: maybe(whole),
  maxFreezes: maybe(whole),
  freezeAutoEarnInterval: maybe(whole),
  freezeAutoEarnAmount: maybe(whole),
};
const period = {
  periodStart: date,
  periodEnd: date,
  length: whole,
  usedFreeze: maybe(flag),
  usedPause: flag,
};

const level = object({ id, key: text, name: text, description: text, badgeUrl: orNull(text), points: whole });
const trigger = object({
  id,
  type: oneOf('metric', 'achievement', 'streak', 'time', 'user_creation'),
  points: whole,
  status: oneOf('active', 'inactive', 'archived'),
  achievementId: maybe(id),
  achievementName: maybe(text),
  metricId: maybe(id),
  metricName: maybe(text),
  metricThreshold: maybe(whole),
  streakLengthThreshold: maybe(whole),
  timeUnit: maybe(oneOf('hour', 'day')),
  timeInterval: maybe(whole),
  userAttributes: list(pair),
  eventAttribute: maybe(pair),
  eventAttributes: maybe(list(pair)),
  created: instant,
  updated: instant,
});
const boost = object({
  id,
  name: text,
  status: oneOf('active', 'scheduled', 'finished'),
  start: date,
  end: orNull(date),
  multiplier: number,
  rounding: oneOf('down', 'up', 'nearest'),
});
const award = object({
  id,
  awarded: whole,
  date: instant,
  total: whole,
  trigger,
  boosts: maybe(list(boost)),
});
const systemFields = {
  id,
  name: text,
  description: orNull(text),
  badgeUrl: orNull(text),
  maxPoints: orNull(number),
};
const pointsFields = { ...systemFields, key: text, total: whole, level: orNull(level), awards: list(award) };
const changedPoints = map(object({ ...pointsFields, level: maybe(orNull(level)), added: whole }));

const boardFields = {
  id,
  name: text,
  key: text,
  rankBy: oneOf('points', 'streak', 'metric'),
  breakdownAttribute: orNull(text),
  breakdownAttributes: list(text),
  metricKey: maybe(text),
  metricName: maybe(text),
  pointsSystemKey: maybe(text),
  pointsSystemName: maybe(text),
  description: orNull(text),
  start: date,
  end: orNull(date),
  startTime: orNull(time),
  endTime: orNull(time),
  maxParticipants: orNull(whole),
  runUnit: orNull(oneOf('day', 'month', 'year')),
  runInterval: orNull(whole),
};
const boardStatus = { status: oneOf('active', 'scheduled', 'finished') };
const changedBoard = object({
  ...boardFields,
  rank: orNull(whole),
  previousRank: orNull(whole),
  threshold: whole,
  breakdownAttributeValue: maybe(text),
  breakdownAttributeValues: maybe(list(pair)),
});
const placeFields = { ...boardFields, rank: orNull(whole), value: orNull(whole) };
const move = object({
  date,
  timestamp: instant,
  previousRank: orNull(whole),
  rank: orNull(whole),
  previousValue: orNull(whole),
  value: orNull(whole),
});

const event = object({
  eventId: id,
  metricId: id,
  total: number,
  achievements: list(userAchievement),
  currentStreak: object({ ...streakFields, extended: flag }),
  points: changedPoints,
  leaderboards: map(changedBoard),
  idempotencyKey: maybe(text),
  idempotentReplayed: maybe(flag),
});
const metric = object({ id, key: text, name: text, current: number, achievements: list(userAchievement) });
const sums = list(object({ date, total: number, change: number }));
const channels = maybe(list(oneOf('email', 'push')));
const preferences = object({
  notifications: object({
    achievement_completed: channels,
    recap: channels,
    reactivation: channels,
    streak_reminder: channels,
  }),
  streak: maybe(
    object({
      enabled: maybe(flag),
      evaluationMode: maybe(oneOf('OR', 'AND')),
      metrics: maybe(list(object({ key: text, threshold: number }))),
    }),
  ),
});

const growth = {
  currentTotal: number,
  changeThisPeriod: number,
  percentChange: number,
  percentileThisPeriod: maybe(number),
};
const activity = {
  metrics: map(
    object({
      name: text,
      units: maybe(orNull(text)),
      ...growth,
      byAttribute: map(map(object({ name: maybe(text), units: maybe(orNull(text)), ...growth }))),
    }),
  ),
  points: map(object({ name: text, description: maybe(orNull(text)), ...growth })),
  achievements: list(userAchievement),
  leaderboards: map(object(placeFields)),
};
const wrapped = object({
  user,
  activity: object({
    daysActive: whole,
    weeksActive: whole,
    monthsActive: whole,
    mostActiveDay: object({ ...activity, date }),
    mostActiveWeek: object({ ...activity, start: date, end: date }),
    mostActiveMonth: object({ ...activity, month: Type.Integer({ minimum: 0, maximum: 11 }) }),
    entireYear: object({
      ...activity,
      longestStreak: object({
        length: whole,
        frequency,
        periodStart: orNull(date),
        periodEnd: orNull(date),
        started: orNull(date),
      }),
    }),
  }),
});

/** Answers of the Application API by the method that asks. */
export const APPLICATION_PROMISES: Record<string, Promised> = {
  'users.create': { status: 201, body: user },
  'users.identify': { status: 200, body: user },
  'users.update': { status: 200, body: user },
  'users.get': { status: 200, body: user },
  'users.updatePreferences': { status: 200, body: preferences },
  'users.getPreferences': { status: 200, body: preferences },
  'metrics.event': { status: 201, body: event },
  'metrics.event again': { status: 202, body: event },
  'users.allMetrics': { status: 200, body: list(metric) },
  'users.singleMetric': { status: 200, body: metric },
  'users.metricEventSummary': { status: 200, body: sums },
  'achievements.all': { status: 200, body: list(object({ ...achievementFields, ...statistics })) },
  'achievements.complete': {
    status: 201,
    body: object({ completionId: id, achievement: userAchievement, points: changedPoints }),
  },
  'users.achievements': {
    status: 200,
    body: list(object({ ...achievementFields, ...statistics, achievedAt: orNull(instant) })),
  },
  'users.streak': {
    status: 200,
    body: object({
      ...streakFields,
      extended: orNull(instant),
      streakHistory: list(object(period)),
      pauses: list(object({ id, start: date, end: date })),
    }),
  },
  'streaks.list': {
    status: 200,
    body: list(object({ userId: id, streakLength: whole, extended: orNull(text) })),
  },
  'streaks.rankings': {
    status: 200,
    body: list(object({ userId: id, name: orNull(text), streakLength: whole })),
  },
  'users.points': { status: 200, body: object(pointsFields) },
  'users.pointsBoosts': { status: 200, body: list(boost) },
  'users.pointsEventSummary': { status: 200, body: sums },
  'users.leaderboard': { status: 200, body: object({ ...placeFields, history: list(move) }) },
  'users.wrapped': { status: 200, body: wrapped },
  'points.summary': { status: 200, body: list(object({ from: whole, to: whole, users: whole })) },
  'points.system': { status: 200, body: object({ ...systemFields, triggers: list(trigger) }) },
  'points.boosts': { status: 200, body: list(boost) },
  'points.levels': { status: 200, body: list(level) },
  'points.levelSummary': { status: 200, body: list(object({ level, users: whole })) },
  'leaderboards.all': { status: 200, body: list(object({ ...boardFields, ...boardStatus })) },
  'leaderboards.get': {
    status: 200,
    body: object({
      ...boardFields,
      ...boardStatus,
      rankings: list(object({ userId: id, userName: orNull(text), rank: whole, value: whole })),
    }),
  },
};
