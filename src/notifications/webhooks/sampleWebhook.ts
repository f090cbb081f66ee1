import type { WebhookBody, WebhookEvent } from '../../contract/webhooks.ts';
import { DAY_MS, dateOfDay } from '../../rules/calendar.ts';

const ID = '0199d2a5-7c1e-7000-8000-00000000000';
const SAMPLE_SCORE = 120;

/** A sample body of a type, about a fictitious user. @param now ms */
export function sampleWebhook(type: WebhookEvent, now: number): object {
  return { type, ...SAMPLES[type](now) };
}

const instant = (now: number): string => new Date(now).toISOString();
const date = (now: number, days = 0): string => dateOfDay(Math.floor(now / DAY_MS) + days);

const user = (now: number) => ({
  id: 'sample-user',
  email: 'sample@example.com',
  name: 'Sample User',
  tz: 'Europe/London',
  deviceTokens: [],
  subscribeToEmails: true,
  signUpDate: date(now, -365),
  attributes: {},
  control: false,
  created: instant(now),
  updated: instant(now),
});

const achievement = (now: number) => ({
  id: `${ID}1`,
  key: 'sample',
  name: 'Sample achievement',
  trigger: 'api' as const,
  description: null,
  badgeUrl: null,
  userAttributes: [],
  achievedAt: instant(now),
});

const streak = (now: number) => ({
  length: 7,
  frequency: 'daily' as const,
  started: date(now, -6),
  periodStart: date(now),
  periodEnd: date(now),
  expires: date(now, 1),
});

const system = {
  id: `${ID}2`,
  key: 'sample',
  name: 'Sample points',
  description: null,
  badgeUrl: null,
  maxPoints: null,
};
const level = {
  id: `${ID}3`,
  key: 'sample',
  name: 'Sample level',
  description: '',
  badgeUrl: null,
  points: 100,
};

const boost = (now: number) => ({
  id: `${ID}4`,
  name: 'Sample boost',
  userId: null,
  multiplier: 2,
  rounding: 'down' as const,
  pointsSystemId: system.id,
  pointsSystemKey: system.key,
  pointsSystemName: system.name,
  start: date(now),
  end: date(now, 1),
});

const board = (now: number) => ({
  id: `${ID}5`,
  name: 'Sample leaderboard',
  key: 'sample',
  rankBy: 'metric' as const,
  description: null,
  metricKey: 'sample',
  metricName: 'Sample metric',
  breakdownAttribute: null,
  breakdownAttributes: [],
  start: date(now),
  end: date(now, 6),
  startTime: null,
  endTime: null,
  maxParticipants: 100,
  runUnit: 'day' as const,
  runInterval: 7,
});

const ranked = (now: number, status: 'active' | 'finished') => ({
  leaderboard: {
    ...board(now),
    status,
    rankings: [{ userId: 'sample-user', userName: 'Sample User', rank: 1, value: SAMPLE_SCORE }],
  },
});

const heldEvent = (now: number, status: 'held' | 'approved' | 'rejected') => ({
  timestamp: instant(now),
  heldEvent: {
    id: `${ID}5`,
    userId: 'sample-user',
    metric: 'sample',
    value: SAMPLE_SCORE,
    attributes: {},
    timestamp: instant(now),
    guard: 'maxValue' as const,
    heldAt: instant(now),
    status,
    decidedAt: status === 'held' ? null : instant(now),
    reason: status === 'held' ? null : 'Sample reason',
  },
});

const SAMPLES: { [T in WebhookEvent]: (now: number) => WebhookBody<T> } = {
  'achievement.completed': (now) => ({ user: user(now), achievement: achievement(now) }),
  'streak.started': (now) => ({ user: user(now), streak: streak(now) }),
  'streak.extended': (now) => ({ user: user(now), streak: streak(now) }),
  'streak.lost': (now) => ({ user: user(now), length: 7 }),
  'streak.freeze_consumed': (now) => ({ user: user(now), consumed: 1, freezes: 1 }),
  'streak.freeze_earned': (now) => ({ user: user(now), earned: 1, freezes: 2 }),
  'points.changed': (now) => ({
    user: user(now),
    points: { ...system, total: SAMPLE_SCORE, added: 10, awards: [] },
  }),
  'points.level_changed': (now) => ({
    user: user(now),
    points: { ...system, total: SAMPLE_SCORE },
    previousLevel: null,
    newLevel: level,
  }),
  'points.boost_started': (now) => ({ timestamp: instant(now), boost: { ...boost(now), status: 'active' } }),
  'points.boost_finished': (now) => ({
    timestamp: instant(now),
    boost: { ...boost(now), status: 'finished' },
  }),
  'leaderboard.started': (now) => ranked(now, 'active'),
  'leaderboard.changed': (now) => ranked(now, 'active'),
  'leaderboard.league_changed': (now) => ({
    user: user(now),
    leaderboard: { ...board(now), status: 'active' },
    from: { key: 'bronze', name: 'Bronze' },
    to: { key: 'silver', name: 'Silver' },
    run: date(now),
    rank: 1,
  }),
  'leaderboard.rank_changed': (now) => ({
    user: user(now),
    leaderboard: {
      ...board(now),
      status: 'active',
      rank: 1,
      value: SAMPLE_SCORE,
      previousRank: 2,
      previousValue: 100,
    },
  }),
  'leaderboard.finished': (now) => ranked(now, 'finished'),
  'event.held': (now) => heldEvent(now, 'held'),
  'event.approved': (now) => heldEvent(now, 'approved'),
  'event.rejected': (now) => heldEvent(now, 'rejected'),
  'emails.achievement_due': (now) => ({
    timestamp: instant(now),
    user: user(now),
    achievement: achievement(now),
  }),
  'emails.recap_due': (now) => ({
    timestamp: instant(now),
    user: user(now),
    recap: { periodStart: date(now, -7), periodEnd: date(now, -1) },
  }),
  'emails.reactivation_due': (now) => ({
    timestamp: instant(now),
    user: user(now),
    reactivation: { messageNumber: 1, daysSinceLastActive: 3 },
  }),
  'emails.streak_reminder_due': (now) => ({
    timestamp: instant(now),
    user: user(now),
    streak: { ...streak(now), extended: instant(now), streakHistory: [], pauses: [] },
  }),
};
