import { completeAchievement, listAchievements, listUserAchievements } from './achievements.ts';
import type { Endpoint } from './endpoint.ts';
import { getMetricEventSummary, getPointsEventSummary } from './eventSummary.ts';
import { getLeaderboard, listLeaderboards } from './leaderboards.ts';
import { getUserPoints, getUserStreak } from './progress.ts';
import { getTestClock, moveTestClock } from './testClock.ts';
import { getUserLeaderboard } from './userLeaderboard.ts';
import { getUserMetric, listUserMetrics } from './userMetrics.ts';
import { createUser, getUser, identifyUser, updateUser } from './users.ts';

export type Method = 'get' | 'post' | 'put' | 'patch';
export type Route = [method: Method, path: string, endpoint: Endpoint];

/** The table of contents of the Application API, served under /v1 and /api. Metric events have their own way in. */
export const APPLICATION_ROUTES: Route[] = [
  ['get', '/achievements', listAchievements],
  ['post', '/achievements/:key/complete', completeAchievement],
  ['post', '/users', createUser],
  ['get', '/users/:id', getUser],
  ['put', '/users/:id', identifyUser],
  ['patch', '/users/:id', updateUser],
  ['get', '/users/:id/achievements', listUserAchievements],
  ['get', '/users/:id/streak', getUserStreak],
  ['get', '/users/:id/metrics', listUserMetrics],
  ['get', '/users/:id/metrics/:key', getUserMetric],
  ['get', '/users/:id/metrics/:key/event-summary', getMetricEventSummary],
  ['get', '/users/:id/points/:key', getUserPoints],
  ['get', '/users/:id/points/:key/event-summary', getPointsEventSummary],
  ['get', '/users/:id/leaderboards/:key', getUserLeaderboard],
  ['get', '/leaderboards', listLeaderboards],
  ['get', '/leaderboards/:key', getLeaderboard],
];

/** Served under /admin/v1, for admin keys only. */
export const ADMIN_ROUTES: Route[] = [
  ['get', '/test-clock', getTestClock],
  ['post', '/test-clock', moveTestClock],
];
