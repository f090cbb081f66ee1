import { systemClock } from '../../src/base/clock.ts';
import type { Pool } from '../../src/db/pool.ts';
import { dateOfDay } from '../../src/rules/calendar.ts';
import { SHOWN_USER } from './scaleRows.ts';

export const RANGE_DAYS = 365;
const DAY_MS = 86_400_000;

/** What the console asks for; with a body it is a POST. */
interface ConsoleCall {
  path: string;
  body?: object;
}

/** Filters and orders of the list of users. */
const USER_LISTS = [
  ...['sort=created', 'sort=active', 'sort=id', 'query=user-4', 'query=user%204', 'query=user-4%40'],
  ...['query=example', 'query=99', 'points=p1&sort=points', 'sort=streak', 'achievement=a1'],
  ...['points=p1&level=l5', 'points=p1&pointsMax=100&sort=points', 'sort=inactive&inactiveDays=5'],
  ...['withoutAchievement=a1&sort=streak', 'achievement=a1&points=p1&pointsMin=49000'],
  ...['control=true', 'userAttributes=city:value-3', 'activeAfter=2020-01-01&sort=active'],
  ...['createdBefore=2020-01-01', 'streakMin=150&sort=streak', 'inactiveDays=30&points=p1&sort=points'],
];

/** Lists of the configuration and of operations, and what every screen asks for. */
const LISTS = [
  ...['metrics', 'attributes', 'achievements', 'points', 'leaderboards', 'webhooks'].map(
    (kind) => `${kind}?limit=100`,
  ),
  ...['notifications/templates?limit=100', 'streaks/settings', 'settings', 'tenants?limit=100'],
  ...['status', 'outages', 'dead', 'activations?limit=50', 'config', 'config?format=yaml'],
  ...['audit?limit=50', `audit?limit=50&userId=${SHOWN_USER}`, 'config/versions?limit=100'],
  ...['notifications/deliveries?limit=50', 'notifications/deliveries?limit=50&status=failed'],
  ...['held-events?limit=1', 'held-events?limit=100', 'imports?limit=100', 'imports?limit=100&skip=9900'],
  ...['sessions?limit=100', 'sessions?limit=100&skip=9900', 'api-keys?limit=100', 'users?limit=1'],
];

/** What the screens of the console call, the longest ranges first. */
export async function listConsoleCalls(pool: Pool): Promise<ConsoleCall[]> {
  const idOf = async (kind: string): Promise<string> => {
    const query = 'select id from entities where kind = $1 order by no limit 1';
    return (await pool.query<{ id: string }>(query, [kind])).rows[0]!.id;
  };
  const [board, webhook, metric] = [
    await idOf('leaderboards'),
    await idOf('webhooks'),
    await idOf('metrics'),
  ];
  const [analytics, user] = [listAnalytics(), `users/${SHOWN_USER}`];
  const paths = [
    ...analytics,
    ...USER_LISTS.map((query) => `users?limit=50&${query}`),
    ...['', '/timeline?limit=50', '/timeline?limit=50&kinds=points'].map((below) => user + below),
    ...['winners?limit=30', 'hidden-users?limit=100'].map((below) => `leaderboards/${board}/${below}`),
    ...['success', 'deliveries?limit=50', 'deliveries?limit=50&status=failed'].map(
      (below) => `webhooks/${webhook}/${below}`,
    ),
    ...LISTS,
  ];
  const ofUser = ['metrics', 'achievements?includeIncomplete=true', 'streak?historyPeriods=182'];
  return [
    ...paths.map((path) => ({ path: `/admin/v1/${path}` })),
    ...[...ofUser, 'points/p1?awards=12'].map((below) => ({ path: `/v1/users/${SHOWN_USER}/${below}` })),
    ...['/v1/leaderboards/b1?limit=20', '/v1/leaderboards/b1?limit=20&offset=900'].map((path) => ({ path })),
    ...['/v1/leaderboards?includeFinished=true', '/v1/streaks/rankings?limit=100', '/v1/achievements'].map(
      (path) => ({ path }),
    ),
    ...[
      { trigger: 'metric', metricId: metric, metricValue: 10 },
      { trigger: 'streak', streakLength: 7 },
    ].map((body) => ({ path: '/admin/v1/achievements/qualifying', body })),
  ];
}

function listAnalytics(): string[] {
  const today = Math.floor(systemClock.now() / DAY_MS);
  const days = `from=${dateOfDay(today - RANGE_DAYS + 1)}&to=${dateOfDay(today)}`;
  const ranged = [
    ...['activity', 'metrics', 'achievements', 'achievements/a1', 'streaks', 'points/p1'],
    ...['leaderboards/b1', 'notifications'],
  ];
  const paths = [
    ...ranged.flatMap((path) => ['day', 'month'].map((unit) => `${path}?${days}&interval=${unit}`)),
    `lifecycle?${days}`,
    ...['streaks-at-risk', 'streaks-at-risk?minLength=7', 'achievements/a1/funnel', 'experiment'],
    ...['', '?splitBy=control', '?splitBy=streak', '?splitBy=attribute&attribute=city'].map(
      (query) => `retention${query}`,
    ),
    ...['limit=50', 'limit=50&skip=5000'].map((page) => `anomalies?from=${dateOfDay(today - 89)}&${page}`),
  ];
  return paths.map((path) => `analytics/${path}`);
}
