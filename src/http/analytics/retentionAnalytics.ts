import { GetRetention } from '../../contract/retention.ts';
import { type CohortRow, readCohorts, readLargestGroups } from '../../db/analytics/readAnalytics.ts';
import type { DaySpan } from '../../rules/activity.ts';
import { dateOfDay, dayOfDate, localTime, periodDays, weekOfDay } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { namedView } from '../history/timelineView.ts';
import { type Caller, endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import { assertRange, rateOf } from './range.ts';

/** Groups that retention is split into. */
const ANALYTICS_GROUPS_MAX = 20;

const DEFAULT_COHORTS = 12;

interface CohortQuery {
  from?: string;
  to?: string;
  weeks: number;
}

export interface Cohorts {
  timeZone: string;
  /** Week ordinals. */
  cohorts: DaySpan;
  /** The last week that has ended. */
  lastWeek: number;
  weeks: number;
}

/** @throws ServiceError `invalid` */
export function readCohortQuery(
  { service, rules }: Pick<Caller, 'service' | 'rules'>,
  query: CohortQuery,
): Cohorts {
  const timeZone = rules.config.settings.defaultTimeZone;
  const { day } = localTime(timeZone, service.clock.now());
  const to = weekOfDay(query.to === undefined ? day : dayOfDate(query.to));
  const from = query.from === undefined ? to - DEFAULT_COHORTS + 1 : weekOfDay(dayOfDate(query.from));
  assertRange(from > to, (to - from) * 7);
  return { timeZone, cohorts: { from, to }, lastWeek: weekOfDay(day) - 1, weeks: query.weeks };
}

export interface Week {
  week: number;
  users: number;
  retained: number;
  rate: number | null;
}

export class Group {
  readonly #counts = new Map<string, number>();
  readonly #sizes = new Map<number, number>();

  add({ cohort, week, users }: CohortRow): void {
    if (week < 0) this.#sizes.set(cohort, users);
    else this.#counts.set(`${cohort} ${week}`, users);
  }

  get cohorts(): number[] {
    return [...this.#sizes.keys()].sort((a, b) => a - b);
  }

  size(cohorts: number[]): number {
    return cohorts.reduce((sum, cohort) => sum + (this.#sizes.get(cohort) ?? 0), 0);
  }

  /** Of these cohorts together, each as far as its weeks are over. */
  weeks(cohorts: number[], { lastWeek, weeks }: Cohorts): Week[] {
    const found: Week[] = [];
    for (let week = 0; week <= weeks; week++) {
      const over = cohorts.filter((cohort) => cohort + week <= lastWeek);
      if (over.length === 0) break;
      const users = this.size(over);
      const retained = over.reduce((sum, cohort) => sum + (this.#counts.get(`${cohort} ${week}`) ?? 0), 0);
      found.push({ week, users, retained, rate: rateOf(retained, users) });
    }
    return found;
  }
}

export async function readGroups(
  { service, rules }: Pick<Caller, 'service' | 'rules'>,
  { cohorts, weeks }: Cohorts,
  split: string,
): Promise<Map<string, Group>> {
  const { tenant } = rules;
  return service.history.read(rules.tenant, async (rows) => {
    const values = await readLargestGroups(rows, tenant, split, cohorts, ANALYTICS_GROUPS_MAX);
    const groups = new Map(values.map((value) => [value, new Group()]));
    for (const row of await readCohorts(rows, tenant, split, cohorts, weeks, values))
      groups.get(row.value)!.add(row);
    return groups;
  });
}

export const getRetention = endpoint(GetRetention, async (call) => {
  const { rules, query } = call;
  const asked = readCohortQuery(call, query);
  const groups = await readGroups(call, asked, splitOf(call));
  const all = query.splitBy === 'achievement' ? (await readGroups(call, asked, 'all')).get('all') : undefined;
  const named = Array.from(groups, ([value, counts]) => ({
    group: nameOf(rules, query.splitBy, value),
    counts,
  }));
  const cohorts = named.flatMap(({ group, counts }) =>
    counts.cohorts.map((cohort) => ({
      start: dateOfDay(periodDays('weekly', cohort).start),
      group,
      users: counts.size([cohort]),
      weeks: counts.weeks([cohort], asked),
    })),
  );
  return ok({
    timeZone: asked.timeZone,
    splitBy: query.splitBy,
    groups: named.map(({ group, counts }) => ({
      group,
      users: counts.size(counts.cohorts),
      weeks: counts.weeks(counts.cohorts, asked),
      ...(all && { others: othersOf(all, counts, asked) }),
    })),
    cohorts: cohorts.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0)),
  });
});

type SplitBy = OperationRequest<typeof GetRetention>['query']['splitBy'];

/** How an answer names a group. */
function nameOf(rules: Rules, splitBy: SplitBy, value: string): string {
  if (splitBy === 'achievement') return namedView(rules, 'achievements', Number(value)).key;
  return splitBy === 'firstMetric' ? namedView(rules, 'metrics', Number(value)).key : value;
}

/** Users of the cohorts who are not in the group. */
function othersOf(all: Group, group: Group, asked: Cohorts): { users: number; weeks: Week[] } {
  const { cohorts } = all;
  const inGroup = group.weeks(cohorts, asked);
  const weeks = all.weeks(cohorts, asked).map(({ week, ...counted }, i) => {
    const users = counted.users - inGroup[i]!.users;
    const retained = counted.retained - inGroup[i]!.retained;
    return { week, users, retained, rate: rateOf(retained, users) };
  });
  return {
    users: all.size(cohorts) - group.size(cohorts),
    weeks: weeks.filter(({ users }) => users > 0),
  };
}

const SPLITS = {
  none: 'all',
  control: 'control',
  streak: 'streak',
  achievement: 'achievement',
  firstMetric: 'metric',
} as const;

/** The split of src/db/analytics/cohorts.ts. */
function splitOf({ rules, query: { splitBy, attribute } }: OperationRequest<typeof GetRetention>): string {
  if (splitBy !== 'attribute') {
    if (attribute !== undefined) throw invalid('attribute must be given with splitBy=attribute only');
    return SPLITS[splitBy];
  }
  if (attribute === undefined) throw invalid('attribute is required with splitBy=attribute');
  const found = rules.userAttributeByKey.get(attribute);
  if (found === undefined) throw invalid(`There is no user attribute ${attribute}`);
  return String(found.no);
}
