import { CompleteAchievement, ListAchievements, ListUserAchievements } from '../contract/achievement.ts';
import { RecordEvents } from '../contract/event.ts';
import {
  GetLeaderboard,
  GetUserLeaderboard,
  ListLeaderboards,
  QueryLeaderboard,
  WatchLeaderboard,
} from '../contract/leaderboard.ts';
import { GetMetricEventSummary, GetUserMetric, ListUserMetrics } from '../contract/metric.ts';
import {
  GetPointsEventSummary,
  GetPointsLevelSummary,
  GetPointsSummary,
  GetPointsSystem,
  GetUserPoints,
  ListPointsBoosts,
  ListPointsLevels,
  ListUserPointsBoosts,
} from '../contract/points.ts';
import { GetUserPreferences, UpdateUserPreferences } from '../contract/preferences.ts';
import { GetUserStreak, ListStreakRankings, ListStreaks } from '../contract/streak.ts';
import { CreateUser, GetUser, IdentifyUser, UpdateUser } from '../contract/user.ts';
import { GetUserWrapped } from '../contract/wrapped.ts';
import {
  completeAchievement,
  listAchievements,
  listUserAchievements,
} from './achievements/achievementHandlers.ts';
import { recordEvents } from './events/recordEvents.ts';
import { listLeaderboards } from './leaderboards/leaderboardHandlers.ts';
import { dependsOnOwnUser, getLeaderboard, queryLeaderboard } from './leaderboards/rankedUsers.ts';
import { getUserLeaderboard } from './leaderboards/userLeaderboard.ts';
import { watchLeaderboard } from './live/liveLeaderboards.ts';
import { getMetricEventSummary, getPointsEventSummary } from './metrics/eventSummary.ts';
import { getUserMetric, listUserMetrics } from './metrics/userMetrics.ts';
import {
  getPointsSystem,
  listPointsBoosts,
  listPointsLevels,
  listUserPointsBoosts,
} from './points/pointsHandlers.ts';
import { getPointsLevelSummary, getPointsSummary } from './points/summaries.ts';
import { getUserPoints } from './points/userPoints.ts';
import { type Route, route } from './request/endpoint.ts';
import { listStreakRankings, listStreaks } from './streaks/streakHandlers.ts';
import { getUserStreak } from './streaks/userStreakHandlers.ts';
import { getUserPreferences, updateUserPreferences } from './users/preferencesHandlers.ts';
import { createUser, getUser, identifyUser, updateUser } from './users/userHandlers.ts';
import { getUserWrapped } from './users/wrappedHandlers.ts';

/**
 * All routes of the Application API, served under /v1 and /api. The operation of a route, in src/contract,
 * defines its request, its response and its callers. Metric events have a handler of their own.
 */
export const APPLICATION_ROUTES: Route[] = [
  {
    method: 'post',
    path: '/metrics/{key}/event',
    operation: RecordEvents,
    name: recordEvents.name,
    serve: recordEvents,
  },
  route('get', '/achievements', ListAchievements, listAchievements),
  route('post', '/achievements/{key}/complete', CompleteAchievement, completeAchievement),
  route('post', '/users', CreateUser, createUser),
  route('get', '/users/{id}', GetUser, getUser),
  route('put', '/users/{id}', IdentifyUser, identifyUser),
  route('patch', '/users/{id}', UpdateUser, updateUser),
  route('get', '/users/{id}/preferences', GetUserPreferences, getUserPreferences),
  route('patch', '/users/{id}/preferences', UpdateUserPreferences, updateUserPreferences),
  route('get', '/users/{id}/achievements', ListUserAchievements, listUserAchievements),
  route('get', '/users/{id}/streak', GetUserStreak, getUserStreak),
  route('get', '/users/{id}/metrics', ListUserMetrics, listUserMetrics),
  route('get', '/users/{id}/metrics/{key}', GetUserMetric, getUserMetric),
  route('get', '/users/{id}/metrics/{key}/event-summary', GetMetricEventSummary, getMetricEventSummary),
  route('get', '/users/{id}/points/{key}', GetUserPoints, getUserPoints),
  route('get', '/users/{id}/points/{key}/boosts', ListUserPointsBoosts, listUserPointsBoosts),
  route('get', '/users/{id}/points/{key}/event-summary', GetPointsEventSummary, getPointsEventSummary),
  route('get', '/users/{id}/leaderboards/{key}', GetUserLeaderboard, getUserLeaderboard),
  route('get', '/users/{id}/wrapped', GetUserWrapped, getUserWrapped),
  route('get', '/streaks', ListStreaks, listStreaks),
  route('get', '/streaks/rankings', ListStreakRankings, listStreakRankings),
  route('get', '/points/{key}', GetPointsSystem, getPointsSystem),
  route('get', '/points/{key}/boosts', ListPointsBoosts, listPointsBoosts),
  route('get', '/points/{key}/levels', ListPointsLevels, listPointsLevels),
  route('get', '/points/{key}/level-summary', GetPointsLevelSummary, getPointsLevelSummary),
  route('get', '/points/{key}/summary', GetPointsSummary, getPointsSummary),
  route('get', '/leaderboards', ListLeaderboards, listLeaderboards),
  route('get', '/leaderboards/{key}', GetLeaderboard, getLeaderboard, dependsOnOwnUser),
  route('post', '/leaderboards/{key}/query', QueryLeaderboard, queryLeaderboard),
  {
    method: 'get',
    path: '/leaderboards/{key}/live',
    operation: WatchLeaderboard,
    name: watchLeaderboard.name,
    serve: watchLeaderboard,
  },
];
