import Type from 'typebox';
import type { WebhookEvent } from '../base/webhookEvents.ts';
import { UserAchievementResponse } from './achievement.ts';
import { LeaderboardResponseWithRankings, UserLeaderboardResponse } from './leaderboard.ts';
import { MetricEventPointsResponse, PointsLevel, PointsResponse } from './points.ts';
import { AttributePair, CalendarDate, Instant, nullable } from './schemas.ts';
import { BaseStreakResponse, StreakResponse } from './streak.ts';
import { User } from './user.ts';

/** Bodies of webhooks. A webhook is an endpoint of the customer; a delivery is one message to it. */

const Boost = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Type.Enum(['active', 'finished']),
    userId: nullable(Type.String({ description: 'null for a boost of all users.' })),
    pointsSystemId: Type.String(),
    pointsSystemKey: Type.String(),
    pointsSystemName: Type.String(),
    start: CalendarDate,
    end: nullable(CalendarDate),
    multiplier: Type.Number(),
    rounding: Type.Enum(['down', 'up', 'nearest']),
  },
  { $id: 'PointsBoostWebhookPayload' },
);

const breakdown = {
  breakdownAttributeValue: Type.Optional(Type.String({ description: 'The first of the list.' })),
  breakdownAttributeValues: Type.Optional(
    Type.Array(AttributePair, { description: 'Breakdown attributes that the users of this ranking share.' }),
  ),
};

const LeaderboardRun = Type.Object(
  { ...LeaderboardResponseWithRankings.properties, ...breakdown },
  { $id: 'WebhookLeaderboardResponse', description: 'A run, with the first 100 places.' },
);

const UserLeaderboard = Type.Object(
  {
    ...UserLeaderboardResponse.properties,
    ...breakdown,
    previousRank: nullable(Type.Integer()),
    previousValue: nullable(Type.Number()),
  },
  { $id: 'WebhookUserLeaderboardResponse' },
);

const level = nullable(PointsLevel);
const freezes = Type.Integer({ description: 'Freezes left.' });

const BODIES = {
  'achievement.completed': { user: User, achievement: UserAchievementResponse },
  'streak.started': { user: User, streak: BaseStreakResponse },
  'streak.extended': { user: User, streak: BaseStreakResponse },
  'streak.lost': { user: User, length: Type.Integer({ description: 'Length of the lost streak.' }) },
  'streak.freeze_consumed': { user: User, consumed: Type.Integer(), freezes },
  'streak.freeze_earned': { user: User, earned: Type.Integer(), freezes },
  'points.changed': { user: User, points: MetricEventPointsResponse },
  'points.level_changed': {
    user: User,
    points: Type.Object({ ...PointsResponse.properties, total: Type.Integer() }),
    previousLevel: level,
    newLevel: level,
  },
  'points.boost_started': { timestamp: Instant, boost: Boost },
  'points.boost_finished': { timestamp: Instant, boost: Boost },
  'leaderboard.started': { leaderboard: LeaderboardRun },
  'leaderboard.changed': { leaderboard: LeaderboardRun },
  'leaderboard.rank_changed': { user: User, leaderboard: UserLeaderboard },
  'leaderboard.finished': { leaderboard: LeaderboardRun },
  'emails.achievement_due': { timestamp: Instant, user: User, achievement: UserAchievementResponse },
  'emails.recap_due': {
    timestamp: Instant,
    user: User,
    recap: Type.Object({ periodStart: CalendarDate, periodEnd: CalendarDate }),
  },
  'emails.reactivation_due': {
    timestamp: Instant,
    user: User,
    reactivation: Type.Object({ messageNumber: Type.Integer(), daysSinceLastActive: Type.Integer() }),
  },
  'emails.streak_reminder_due': { timestamp: Instant, user: User, streak: StreakResponse },
} satisfies Record<WebhookEvent, Record<string, Type.TSchema>>;

/** Fields of the body of a type, besides `type`. */
export type WebhookBody<T extends WebhookEvent> = Type.Static<Type.TObject<(typeof BODIES)[T]>>;

const SUMMARIES: Record<WebhookEvent, string> = {
  'achievement.completed':
    'A user has completed an achievement. Not sent for users who qualified before it was activated.',
  'streak.started': 'A user has begun a streak.',
  'streak.extended': 'A user has extended a streak.',
  'streak.lost': 'A streak has ended.',
  'streak.freeze_consumed': 'Freezes have saved a streak.',
  'streak.freeze_earned': 'A user has earned freezes.',
  'points.changed':
    'The total of a user in a points system has changed; at most once per 15 minutes, user and points system.',
  'points.level_changed': 'A user has reached another level of a points system, or lost one.',
  'points.boost_started': 'A boost begins, by the date of the default time zone.',
  'points.boost_finished': 'A boost is over, by the date of the default time zone.',
  'leaderboard.started': 'A run begins in the first time zone, 14 hours before its date begins in UTC.',
  'leaderboard.changed': 'Rankings have changed; at most once per 15 minutes and ranking.',
  'leaderboard.rank_changed':
    'A change by a user has changed the rank of this user; at most once per 15 minutes, user and leaderboard.',
  'leaderboard.finished': 'A run is final, 12 hours after its end in UTC.',
  'emails.achievement_due': 'An email about an achievement is due, whether or not laurel sends it.',
  'emails.recap_due': 'A recap is due, whether or not laurel sends it.',
  'emails.reactivation_due': 'A reactivation email is due, whether or not laurel sends it.',
  'emails.streak_reminder_due': 'A streak reminder is due, whether or not laurel sends it.',
};

/** For each type: when it is sent, and the schema of its body. */
export const WEBHOOKS = Object.entries(BODIES).map(([type, body]) => ({
  type: type as WebhookEvent,
  summary: SUMMARIES[type as WebhookEvent],
  payload: Type.Object({ type: Type.Enum([type]), ...body }),
}));
