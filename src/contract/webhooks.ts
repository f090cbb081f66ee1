import Type from 'typebox';
import { UserAchievementResponse } from './achievement.ts';
import { UserChallengeResponse } from './challenge.ts';
import { HeldEvent } from './heldEvents.ts';
import {
  LeaderboardResponse,
  LeaderboardResponseWithRankings,
  UserLeaderboardResponse,
} from './leaderboard.ts';
import { LeagueTierName, leagueEventFields } from './leagues.ts';
import { MetricEventPointsResponse, PointsLevelResponse, PointsResponse } from './points.ts';
import { AttributePair, CalendarDate, Instant, integer, named, nullable, text } from './schemas.ts';
import { BaseStreakResponse, StreakResponse } from './streak.ts';
import { User } from './user.ts';

/** Bodies of webhooks. A webhook is an endpoint of the customer; a delivery is one message to it. */

const Boost = named('PointsBoostWebhookPayload', {
  id: Type.String(),
  name: Type.String(),
  status: Type.Enum(['active', 'finished']),
  userId: nullable(text('null for a boost of all users.')),
  pointsSystemId: Type.String(),
  pointsSystemKey: Type.String(),
  pointsSystemName: Type.String(),
  start: CalendarDate,
  end: nullable(CalendarDate),
  multiplier: Type.Number(),
  rounding: Type.Enum(['down', 'up', 'nearest']),
});

const breakdown = {
  breakdownAttributeValue: Type.Optional(text('The first of the list.')),
  breakdownAttributeValues: Type.Optional(
    Type.Array(AttributePair, { description: 'Breakdown attributes that the users of this ranking share.' }),
  ),
  ...leagueEventFields,
};

const LeaderboardRun = named(
  'WebhookLeaderboardResponse',
  { ...LeaderboardResponseWithRankings.properties, ...breakdown },
  { description: 'A run, with the first 100 places.' },
);

const UserLeaderboard = named('WebhookUserLeaderboardResponse', {
  ...UserLeaderboardResponse.properties,
  ...breakdown,
  previousRank: nullable(Type.Integer()),
  previousValue: nullable(Type.Number()),
});

const level = nullable(PointsLevelResponse);
const freezes = integer('Freezes left.');

/** Each type of event: when it is sent, and the fields of its body besides `type`. */
const EVENTS = {
  'achievement.completed': {
    summary:
      'A user has completed an achievement; one with `repeat` in a further period. Not sent for users who qualified before it was activated or before their sign-up date was set.',
    body: { user: User, achievement: UserAchievementResponse },
  },
  'challenge.joined': {
    summary: 'A user has joined a run of a challenge.',
    body: { user: User, challenge: UserChallengeResponse },
  },
  'challenge.completed': {
    summary: 'A user has completed a challenge in a run.',
    body: { user: User, challenge: UserChallengeResponse },
  },
  'challenge.claimed': {
    summary: 'A user has claimed the rewards of a challenge.',
    body: { user: User, challenge: UserChallengeResponse },
  },
  'streak.started': {
    summary: 'A user has begun a streak.',
    body: { user: User, streak: BaseStreakResponse },
  },
  'streak.extended': {
    summary: 'A user has extended a streak.',
    body: { user: User, streak: BaseStreakResponse },
  },
  'streak.lost': {
    summary: 'A streak has ended.',
    body: { user: User, length: integer('Length of the lost streak.') },
  },
  'streak.freeze_consumed': {
    summary: 'Freezes have saved a streak.',
    body: { user: User, consumed: Type.Integer(), freezes },
  },
  'streak.freeze_earned': {
    summary: 'A user has earned freezes.',
    body: { user: User, earned: Type.Integer(), freezes },
  },
  'points.changed': {
    summary:
      'The total of a user in a points system has changed; at most once per 15 minutes, user and points system.',
    body: { user: User, points: MetricEventPointsResponse },
  },
  'points.level_changed': {
    summary: 'A user has reached another level of a points system, or lost one.',
    body: {
      user: User,
      points: Type.Object({ ...PointsResponse.properties, total: Type.Integer() }),
      previousLevel: level,
      newLevel: level,
    },
  },
  'points.boost_started': {
    summary: 'A boost begins, by the date of the default time zone.',
    body: { timestamp: Instant, boost: Boost },
  },
  'points.boost_finished': {
    summary: 'A boost is over, by the date of the default time zone.',
    body: { timestamp: Instant, boost: Boost },
  },
  'leaderboard.started': {
    summary: 'A run begins in the first time zone, 14 hours before its date begins in UTC.',
    body: { leaderboard: LeaderboardRun },
  },
  'leaderboard.changed': {
    summary:
      'Rankings have changed; at most once per 15 minutes and ranking, and when a user of it is erased.',
    body: { leaderboard: LeaderboardRun },
  },
  'leaderboard.rank_changed': {
    summary:
      'A change by a user has changed the rank of this user; at most once per 15 minutes, user and leaderboard.',
    body: { user: User, leaderboard: UserLeaderboard },
  },
  'leaderboard.finished': {
    summary: 'A run is final, 12 hours after its end in UTC.',
    body: { leaderboard: LeaderboardRun },
  },
  'event.held': {
    summary: 'A guard holds an event for a review.',
    body: { timestamp: Instant, heldEvent: HeldEvent },
  },
  'event.approved': {
    summary: 'An administrator has approved a held event, which is recorded.',
    body: { timestamp: Instant, heldEvent: HeldEvent },
  },
  'event.rejected': {
    summary: 'An administrator has rejected a held event.',
    body: { timestamp: Instant, heldEvent: HeldEvent },
  },
  'leaderboard.league_changed': {
    summary: 'The end of a run has moved a user to another tier of a league.',
    body: {
      user: User,
      leaderboard: LeaderboardResponse,
      from: LeagueTierName,
      to: LeagueTierName,
      run: CalendarDate,
      rank: nullable(integer('In the run that has ended; null for an idle user.')),
    },
  },
  'emails.achievement_due': {
    summary: 'An email about an achievement is due, whether or not laurel sends it.',
    body: { timestamp: Instant, user: User, achievement: UserAchievementResponse },
  },
  'emails.recap_due': {
    summary: 'A recap is due, whether or not laurel sends it.',
    body: {
      timestamp: Instant,
      user: User,
      recap: Type.Object({ periodStart: CalendarDate, periodEnd: CalendarDate }),
    },
  },
  'emails.reactivation_due': {
    summary: 'A reactivation email is due, whether or not laurel sends it.',
    body: {
      timestamp: Instant,
      user: User,
      reactivation: Type.Object({ messageNumber: Type.Integer(), daysSinceLastActive: Type.Integer() }),
    },
  },
  'emails.streak_reminder_due': {
    summary: 'A streak reminder is due, whether or not laurel sends it.',
    body: { timestamp: Instant, user: User, streak: StreakResponse },
  },
} satisfies Record<string, { summary: string; body: Record<string, Type.TSchema> }>;

/** A type of event that a webhook can receive. */
export type WebhookEvent = keyof typeof EVENTS;
export const WEBHOOK_EVENTS = Object.keys(EVENTS) as WebhookEvent[];

/** Fields of the body of a type, besides `type`. */
export type WebhookBody<T extends WebhookEvent> = Type.Static<Type.TObject<(typeof EVENTS)[T]['body']>>;

/** For each type: when it is sent, and the schema of its body. */
export const WEBHOOKS = WEBHOOK_EVENTS.map((type) => ({
  type,
  summary: EVENTS[type].summary,
  payload: Type.Object({ type: Type.Enum([type]), ...EVENTS[type].body }),
}));
