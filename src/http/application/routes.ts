import { RecordEvents, RecordMetricsEvent } from '../../contract/event.ts';
import { WatchLeaderboard } from '../../contract/leaderboard.ts';
import * as achievementHandlers from '../achievements/achievementHandlers.ts';
import * as challengeHandlers from '../challenges/challengeHandlers.ts';
import { recordEvents } from '../events/recordEvents.ts';
import { recordMetricsEvent } from '../events/recordMetricsEvent.ts';
import { getUserWrapped } from '../history/wrappedHandlers.ts';
import { listLeaderboards } from '../leaderboards/leaderboardHandlers.ts';
import * as rankedUsers from '../leaderboards/rankedUsers.ts';
import { watchLeaderboard } from '../live/liveLeaderboards.ts';
import * as userMetrics from '../metrics/userMetrics.ts';
import * as pointsHandlers from '../points/pointsHandlers.ts';
import * as summaries from '../points/summaries.ts';
import { type Route, routeOf, routesIn } from '../request/endpoint.ts';
import * as streakHandlers from '../streaks/streakHandlers.ts';
import * as preferencesHandlers from '../users/preferencesHandlers.ts';
import * as userHandlers from '../users/userHandlers.ts';
import { getUserSummary } from './summaryHandlers.ts';

/** All routes of the Application API, served under /v1 and /api. */
export const APPLICATION_ROUTES: Route[] = [
  routeOf(RecordEvents, recordEvents),
  routeOf(RecordMetricsEvent, recordMetricsEvent),
  routeOf(WatchLeaderboard, watchLeaderboard),
  listLeaderboards,
  ...routesIn(
    achievementHandlers,
    rankedUsers,
    userMetrics,
    pointsHandlers,
    summaries,
    streakHandlers,
    challengeHandlers,
    preferencesHandlers,
    userHandlers,
  ),
  getUserWrapped,
  getUserSummary,
];
