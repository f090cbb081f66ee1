import { activeWeeks } from '../../rules/activeDays.ts';
import { weekOfDay } from '../../rules/calendar.ts';
import { stepOf } from '../../rules/steps.ts';
import { BulkStatement } from '../bulkInsert.ts';
import { type Pool, type PoolClient, transaction } from '../pool.ts';
import { all } from '../rows.ts';
import { INSTANT, MILLISECONDS, raw, sql } from '../sql.ts';
import { ANY_METRIC, activityOf } from '../users/readActivity.ts';
import { type UserKey, UserMap } from '../users/userMap.ts';
import type { DayOf } from './dailyCounts.ts';

/** What may change the cohort counts of users. */
interface CohortChanges {
  /** New users. */
  users: readonly UserKey[];
  extensions: readonly (UserKey & { length: number; madeGoodBy: string | null })[];
  userAttributes: readonly (UserKey & { attribute: number; value: string | null })[];
  completions: readonly (UserKey & { completedAt: number })[];
  revocations: readonly UserKey[];
}

/** For this long after its creation, an achievement of a user is early. */
const EARLY = raw("interval '7 days'");

/**
 * A user to mark; with an attribute, only if the user is counted with another value of it, and with the
 * instant of a completion (ms), only if that is early.
 */
interface MarkRow extends UserKey {
  attribute?: number;
  value?: string | null;
  completedAt?: number;
}

const MARKS = new BulkStatement<MarkRow>(
  { tenant: 'int4', userId: 'text', attribute: 'int4', value: 'text', completedAt: 'float8' },
  ({ rows }) => `insert into cohort_changes (tenant, user_id)
    select distinct row.tenant, row.user_id from ${rows}
    left join user_cohorts counted using (tenant, user_id)
    where (row.attribute is null or counted.attributes ->> row.attribute::text is distinct from row.value)
      and (row.completed_at is null or exists (select from users
        where users.tenant = row.tenant and users.user_id = row.user_id
          and ${INSTANT(sql`row.completed_at`)} < created_at + ${EARLY}))
    order by 1, 2 on conflict do nothing`,
);

/**
 * Marks users whose cohort counts may have changed: new users, users active in another week or with another
 * metric, and users with an early achievement, or a changed attribute or longest streak. Counting costs more
 * than writing the history of a batch, so a schedule does it (workers/jobs/scheduleTable.ts).
 */
export async function recordCohortChanges(
  client: PoolClient,
  { users, extensions, userAttributes, completions, revocations }: CohortChanges,
  withFirsts: readonly UserKey[],
): Promise<void> {
  const grown = extensions.filter(
    ({ length, madeGoodBy }) => madeGoodBy === null && stepOf(length) === length,
  );
  // Each user once: an import brings many weeks of a user.
  const [marked, marks] = [new UserMap<true>(), [] as MarkRow[]];
  for (const user of [...users, ...withFirsts, ...grown, ...revocations]) {
    if (marked.has(user)) continue;
    marked.set(user, true);
    marks.push({ tenant: user.tenant, userId: user.userId });
  }
  const completed = completions.map(({ tenant, userId, completedAt }) => ({ tenant, userId, completedAt }));
  await MARKS.run(client, [...marks, ...userAttributes, ...completed], false);
}

/** Users recounted in one transaction. */
const USERS_PER_RECOUNT = 1_000;

interface Counted {
  cohort: number;
  control: boolean;
  streak: number;
  attributes: Record<string, string>;
  /** Numbers of the metrics of the first day with an event. */
  metrics: number[];
  /** Numbers of the early achievements. */
  achievements: number[];
  /** Week ordinals, ascending. */
  weeks: number[];
}

interface FoundRow extends UserKey {
  createdAt: number;
  control: boolean;
  longest: number;
  attributes: Record<string, string>;
  metrics: number[];
  achievements: number[];
  firstDay: number | null;
  bits: string | null;
  counted: Counted | null;
}

/**
 * Recounts all marked users. Several processes may run this at once; each skips users that another has
 * locked.
 * @param daysOf loads the local days of the given tenants
 * @returns the number of users recounted
 */
export async function recountCohorts(
  pool: Pool,
  daysOf: (tenants: Iterable<number>) => Promise<DayOf>,
  signal?: AbortSignal,
): Promise<number> {
  let recounted = 0;
  while (!signal?.aborted) {
    const count = await transaction(pool, (client) => recountSome(client, daysOf));
    if (count === 0) break;
    recounted += count;
  }
  return recounted;
}

async function recountSome(
  client: PoolClient,
  daysOf: (tenants: Iterable<number>) => Promise<DayOf>,
): Promise<number> {
  const changed = await all(client)<UserKey>`
    delete from cohort_changes where (tenant, user_id) in (
      select tenant, user_id from cohort_changes order by 1, 2 limit ${USERS_PER_RECOUNT}
      for update skip locked)
    returning tenant, user_id as "userId"`;
  if (changed.length === 0) return 0;
  const dayOf = await daysOf(changed.map(({ tenant }) => tenant));
  const found = await all(client)<FoundRow>`
    select users.tenant, users.user_id as "userId", ${MILLISECONDS('users.created_at')} as "createdAt",
      coalesce(users.control, false) as control,
      coalesce((select max(longest) from streak_standings standing
        where standing.tenant = users.tenant and standing.user_id = users.user_id), 0) as longest,
      coalesce((select jsonb_object_agg(attribute, value) from user_attributes has
        where has.tenant = users.tenant and has.user_id = users.user_id
          and value is not null), '{}') as attributes,
      array(select metric from user_activity used where used.tenant = users.tenant
        and used.user_id = users.user_id and metric > ${ANY_METRIC} and used.first_day = activity.first_day
        order by 1) as metrics,
      array(select achievement from completed_achievements done where done.tenant = users.tenant
        and done.user_id = users.user_id and done.completed_at < users.created_at + ${EARLY}
        order by 1) as achievements,
      activity.first_day as "firstDay", days::text as bits,
      case when counted.cohort is not null then to_jsonb(counted) end as counted
    from unnest(${changed.map(({ tenant }) => tenant)}::int4[], ${changed.map(({ userId }) => userId)}::text[])
      as changed (tenant, user_id)
    join users using (tenant, user_id)
    left join lateral ${activityOf(raw('users.tenant'), raw('users.user_id'))} as activity on true
    left join user_cohorts counted on counted.tenant = users.tenant and counted.user_id = users.user_id`;
  const counts = new CohortCounts();
  const now = found.map((user): UserKey & Counted => {
    const { tenant, userId, createdAt, longest, firstDay, bits, counted } = user;
    const { control, attributes, metrics, achievements } = user;
    const weeks = firstDay === null ? [] : activeWeeks({ firstDay, bits: bits! });
    const cohort = weekOfDay(dayOf(tenant, createdAt));
    const streak = stepOf(longest);
    const state = { cohort, control, streak, attributes, metrics, achievements, weeks };
    counts.replace(tenant, counted, state);
    return { tenant, userId, ...state };
  });
  await COUNTED.run(client, now, false);
  await counts.write(client);
  return changed.length;
}

type Group = [split: string, value: string];

/** The groups that count a user, by a text of their own. */
function groupsOf({ control, streak, attributes, metrics, achievements }: Counted): Map<string, Group> {
  const groups: Group[] = [
    ['all', 'all'],
    ['control', control ? 'control' : 'treated'],
    ['streak', String(streak)],
    ...metrics.map((no): Group => ['metric', String(no)]),
    ...achievements.map((no): Group => ['achievement', String(no)]),
    ...Object.entries(attributes),
  ];
  return new Map(groups.map((group) => [group.join(' '), group]));
}

interface CountRow {
  tenant: number;
  split: string;
  cohort: number;
  value: string;
  week: number;
  users: number;
}

const COUNTS = new BulkStatement<CountRow>(
  { tenant: 'int4', split: 'text', cohort: 'int4', value: 'text', week: 'int4', users: 'int8' },
  ({ insertInto }) => `${insertInto('cohort_counts as old')} order by 1, 2, 3, 4, 5
    on conflict (tenant, split, cohort, value, week) do update set users = old.users + excluded.users`,
);

/** Pseudo week that counts all users of the cohort. */
const WHOLE_COHORT = -1;

/** Collects changes of the cohort counts. */
class CohortCounts {
  readonly #rows = new Map<string, CountRow>();

  /** Subtracts a user's previous counts and adds the present ones. */
  replace(tenant: number, before: Counted | null, after: Counted): void {
    const groupsBefore = before === null ? new Map<string, Group>() : groupsOf(before);
    for (const [key, [split, value]] of groupsOf(after)) {
      const isSame = before?.cohort === after.cohort && groupsBefore.has(key);
      const counted = new Set(isSame ? before.weeks : []);
      if (!isSame) this.#add(tenant, split, after.cohort, value, WHOLE_COHORT, 1);
      for (const week of after.weeks) {
        if (!counted.delete(week)) this.#addWeek(tenant, split, after.cohort, value, week, 1);
      }
      for (const week of counted) this.#addWeek(tenant, split, after.cohort, value, week, -1);
      if (isSame) groupsBefore.delete(key);
    }
    for (const [split, value] of groupsBefore.values()) {
      this.#add(tenant, split, before!.cohort, value, WHOLE_COHORT, -1);
      for (const week of before!.weeks) this.#addWeek(tenant, split, before!.cohort, value, week, -1);
    }
  }

  /** Ignores weeks before the cohort's own: such events exist only if the tenant's time zone has changed. */
  #addWeek(tenant: number, split: string, cohort: number, value: string, week: number, users: number): void {
    if (week >= cohort) this.#add(tenant, split, cohort, value, week - cohort, users);
  }

  #add(tenant: number, split: string, cohort: number, value: string, week: number, users: number): void {
    const key = `${tenant} ${split} ${cohort} ${week} ${value}`;
    const row = this.#rows.get(key);
    if (row === undefined) this.#rows.set(key, { tenant, split, cohort, value, week, users });
    else row.users += users;
  }

  /** Rows are written in the order of the key, so that two recounts cannot deadlock. */
  async write(client: PoolClient): Promise<void> {
    const rows = [...this.#rows.values()].filter(({ users }) => users !== 0);
    await COUNTS.run(client, rows, false);
  }
}

const COUNTED = new BulkStatement<UserKey & Counted>(
  { tenant: 'int4', userId: 'text', cohort: 'int4', control: 'bool', streak: 'int4' },
  ({ insertInto }) => `${insertInto('user_cohorts')}
    on conflict (tenant, user_id) do update set cohort = excluded.cohort, control = excluded.control,
      streak = excluded.streak, attributes = excluded.attributes, metrics = excluded.metrics, achievements = excluded.achievements,
      weeks = excluded.weeks`,
  {
    computed: {
      attributes: ['jsonb', ({ attributes }) => JSON.stringify(attributes)],
      metrics: ['int4s', ({ metrics }) => `{${metrics.join(',')}}`],
      achievements: ['int4s', ({ achievements }) => `{${achievements.join(',')}}`],
      weeks: ['int4s', ({ weeks }) => `{${weeks.join(',')}}`],
    },
  },
);
