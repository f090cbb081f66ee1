import type { WebhookBody, WebhookEvent } from '../../contract/webhooks.ts';
import { DAY_MS, dateOfDay } from '../../rules/calendar.ts';

const ID = '0199d2a5-7c1e-7000-8000-00000000000';
const SAMPLE_SCORE = 120;

/** A sample body of a type, about a fictitious user. @param now ms */
export function sampleWebhook(type: WebhookEvent, now: number): object {
  return { type, ...samplesAt(now)[type] };
}

const instant = (now: number): string => new Date(now).toISOString();
const date = (now: number, days = 0): string => dateOfDay(Math.floor(now / DAY_MS) + days);

const userAt = (now: number) => ({
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

const achievementAt = (now: number) => ({
  id: `${ID}1`,
  key: 'sample',
  name: 'Sample achievement',
  trigger: 'api' as const,
  description: null,
  badgeUrl: null,
  userAttributes: [],
  achievedAt: instant(now),
});

const challengeAt = (now: number) => ({
  id: `${ID}6`,
  key: 'sample',
  name: 'Sample challenge',
  description: null,
  badgeUrl: null,
  run: date(now, -1),
  start: instant(now - DAY_MS),
  end: instant(now + DAY_MS),
  goals: [{ key: 'sample', name: 'Sample goal', progress: 10, target: 10, completed: true }],
  completed: true,
  claimable: false,
  joined: true,
  joinedAt: null,
  completedAt: instant(now),
  completions: 1,
  claimedAt: instant(now),
  rewards: { points: [{ key: 'sample', points: 50 }], achievement: null, freezes: null, boost: null },
});

const joinedAt = (now: number) => ({
  ...challengeAt(now),
  goals: [{ key: 'sample', name: 'Sample goal', progress: 0, target: 10, completed: false }],
  completed: false,
  joinedAt: instant(now),
  completedAt: null,
  completions: 0,
  claimedAt: null,
});

const streakAt = (now: number) => ({
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
const newLevel = {
  id: `${ID}3`,
  key: 'sample',
  name: 'Sample level',
  description: '',
  badgeUrl: null,
  points: 100,
};

const boostAt = (now: number, status: 'active' | 'finished') => ({
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
  status,
});

const boardAt = (now: number, status: 'active' | 'finished') => ({
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
  status,
});

const heldEventAt = (now: number, status: 'held' | 'approved' | 'rejected') => ({
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
});

function samplesAt(now: number): { [T in WebhookEvent]: WebhookBody<T> } {
  const timestamp = instant(now);
  const [user, achievement, streak] = [userAt(now), achievementAt(now), streakAt(now)];
  const board = boardAt(now, 'active');
  const rankings = [{ userId: user.id, userName: user.name, rank: 1, value: SAMPLE_SCORE }];
  const rank = { rank: 1, value: SAMPLE_SCORE, previousRank: 2, previousValue: 100 };
  const tiers = { from: { key: 'bronze', name: 'Bronze' }, to: { key: 'silver', name: 'Silver' } };
  return {
    'achievement.completed': { user, achievement },
    'challenge.joined': { user, challenge: joinedAt(now) },
    'challenge.completed': { user, challenge: challengeAt(now) },
    'challenge.claimed': { user, challenge: challengeAt(now) },
    'streak.started': { user, streak },
    'streak.extended': { user, streak },
    'streak.lost': { user, length: 7 },
    'streak.freeze_consumed': { user, consumed: 1, freezes: 1 },
    'streak.freeze_earned': { user, earned: 1, freezes: 2 },
    'points.changed': { user, points: { ...system, total: SAMPLE_SCORE, added: 10, awards: [] } },
    'points.level_changed': {
      user,
      points: { ...system, total: SAMPLE_SCORE },
      previousLevel: null,
      newLevel,
    },
    'points.boost_started': { timestamp, boost: boostAt(now, 'active') },
    'points.boost_finished': { timestamp, boost: boostAt(now, 'finished') },
    'leaderboard.started': { leaderboard: { ...board, rankings } },
    'leaderboard.changed': { leaderboard: { ...board, rankings } },
    'leaderboard.league_changed': { user, leaderboard: board, ...tiers, run: date(now), rank: 1 },
    'leaderboard.rank_changed': { user, leaderboard: { ...board, ...rank } },
    'leaderboard.finished': { leaderboard: { ...boardAt(now, 'finished'), rankings } },
    'event.held': { timestamp, heldEvent: heldEventAt(now, 'held') },
    'event.approved': { timestamp, heldEvent: heldEventAt(now, 'approved') },
    'event.rejected': { timestamp, heldEvent: heldEventAt(now, 'rejected') },
    'emails.achievement_due': { timestamp, user, achievement },
    'emails.recap_due': {
      timestamp,
      user,
      recap: { periodStart: date(now, -7), periodEnd: date(now, -1) },
    },
    'emails.reactivation_due': {
      timestamp,
      user,
      reactivation: { messageNumber: 1, daysSinceLastActive: 3 },
    },
    'emails.streak_reminder_due': {
      timestamp,
      user,
      streak: { ...streak, extended: timestamp, streakHistory: [], pauses: [] },
    },
  };
}
