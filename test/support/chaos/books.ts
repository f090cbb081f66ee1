import pg from 'pg';
import { callApi } from '../server.ts';
import { boardKey, METRICS, type MetricKey, type Totals } from './config.ts';
import type { Load, Tally } from './load.ts';

/** What one user has, as one of the two stores tells it. */
export interface Account {
  totals: Totals;
  points: Record<string, number>;
  achievements: Set<string>;
  /** Scores in the runs of today. */
  scores: Totals;
}

export interface History {
  accounts: Map<string, Account>;
  /** Number and sum of the events by `<metric> <user>`. */
  events: Map<string, Tally>;
  awards: { rows: number; ids: number };
  users: number;
  deadEntries: number;
}

const noTotals = (): Totals => ({ lessons: 0, words: 0, minutes: 0 });

/** The accounts as the Application API shows them: from Redis. */
export async function readState(url: string, userIds: readonly string[]): Promise<Map<string, Account>> {
  const read = async (path: string) => (await callApi(`${url}/v1${path}`, 'GET')).body;
  const accounts = new Map<string, Account>();
  for (const userId of userIds) {
    const metrics: { key: MetricKey; current: number }[] = await read(`/users/${userId}/metrics`);
    const achievements: { key: string }[] = await read(`/users/${userId}/achievements`);
    const points: Record<string, number> = {};
    for (const system of ['xp', 'energy'])
      points[system] = (await read(`/users/${userId}/points/${system}`)).total;
    const totals = noTotals();
    for (const { key, current } of metrics) totals[key] = current;
    accounts.set(userId, {
      totals,
      points,
      achievements: new Set(achievements.map(({ key }) => key)),
      scores: noTotals(),
    });
  }
  for (const metric of METRICS) {
    const { rankings } = await read(`/leaderboards/${boardKey(metric)}?limit=1000`);
    for (const { userId, value } of rankings) accounts.get(userId)!.scores[metric] = value;
  }
  return accounts;
}

/** The accounts as they add up in PostgreSQL. */
export async function readHistory(databaseUrl: string, userIds: readonly string[]): Promise<History> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  const rowsOf = async (sql: string) => (await client.query(sql)).rows;
  try {
    const accounts = new Map<string, Account>();
    for (const userId of userIds) {
      accounts.set(userId, {
        totals: noTotals(),
        points: { xp: 0, energy: 0 },
        achievements: new Set(),
        scores: noTotals(),
      });
    }
    const of = (userId: string): Account => accounts.get(userId)!;
    const events = new Map<string, Tally>();
    for (const row of await rowsOf(
      'select user_id, metric, sum(events)::int as events, sum(change) as sum from metric_totals_daily group by 1, 2',
    )) {
      of(row.user_id).totals[row.metric as MetricKey] = row.sum;
      events.set(`${row.metric} ${row.user_id}`, { events: row.events, sum: row.sum });
    }
    for (const row of await rowsOf(
      'select user_id, points_system, sum(change) as sum from points_totals_daily group by 1, 2',
    )) {
      of(row.user_id).points[row.points_system] = row.sum;
    }
    for (const { user_id, achievement } of await rowsOf(
      'select user_id, achievement from achievement_completions',
    )) {
      of(user_id).achievements.add(achievement);
    }
    const boards = new Map(METRICS.map((metric) => [boardKey(metric), metric]));
    for (const { user_id, leaderboard, value } of await rowsOf(
      'select user_id, leaderboard, value from leaderboard_rankings',
    )) {
      const metric = boards.get(leaderboard);
      if (metric !== undefined) of(user_id).scores[metric] = value;
    }
    const [awards] = await rowsOf(
      'select count(*)::int as rows, count(distinct id)::int as ids from award_history',
    );
    const [{ users }] = await rowsOf('select count(*)::int as users from users');
    const [{ dead }] = await rowsOf('select count(*)::int as dead from dead_entries');
    return { accounts, events, awards, users, deadEntries: dead };
  } finally {
    await client.end();
  }
}

/** Users and metrics whose events in the history are not those that clients were told, each counted once. */
export function uncounted(history: History, load: Load): object[] {
  const pairs = load.userIds.flatMap((userId) => METRICS.map((metric) => ({ userId, metric })));
  return pairs.flatMap(({ userId, metric }) => {
    const { events, sum } = history.events.get(`${metric} ${userId}`) ?? { events: 0, sum: 0 };
    const { certain, unknown } = load.known(userId, metric);
    const isWithin =
      events >= certain.events &&
      events <= certain.events + unknown.events &&
      sum >= certain.sum &&
      sum <= certain.sum + unknown.sum;
    return isWithin ? [] : [{ userId, metric, history: { events, sum }, certain, unknown }];
  });
}
