import { systemClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/rules/calendar.ts';
import type { Traffic } from '../load/traffic.ts';
import { prepareTraffic, userId, zipfUsers } from '../load/traffic.ts';
import type { Group } from '../scenario.ts';
import type { Target } from '../target.ts';

/** One server, with the floor beside it. */
export const ONE_SERVER: Group = { name: 'one server', servers: 1 };

/** Full events of the usual users. */
export const usualEvents = (target: Target): Promise<Traffic> =>
  target.traffic({ name: 'events', nextUser: zipfUsers() }, prepareTraffic);

/** What an application shows on a user's page. None of it needs PostgreSQL. */
const USER_READS = ['', '/metrics/lessons', '/streak', '/achievements', '/leaderboards/weekly?numEvents=0'];

export const userRead = ({ prefix }: Target, i: number, user: number): string =>
  `/v1/users/${userId(prefix, user)}${USER_READS[i % USER_READS.length]}`;

/** Reads of a user as the official clients send them, below the user's path. */
export const DEFAULT_READS = {
  profile: '',
  streak: '/streak',
  achievements: '/achievements?includeIncomplete=true',
  metrics: '/metrics',
  points: '/points/xp',
  rank: '/leaderboards/weekly',
};

/** The last thirty days of a metric, day by day. */
export function dailySummary(now = systemClock.now()): string {
  const dateBefore = (days: number): string => new Date(now - days * DAY_MS).toISOString().slice(0, 10);
  return `/metrics/lessons/event-summary?aggregation=daily&startDate=${dateBefore(29)}&endDate=${dateBefore(0)}`;
}
