import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { recountCohorts } from '../../src/db/analytics/cohorts.ts';
import { readRangeCounts } from '../../src/db/analytics/readAnalytics.ts';
import { noDeliveryRows, writeDeliveries } from '../../src/db/deliveries/writeDeliveries.ts';
import { type Pool, transaction } from '../../src/db/pool.ts';
import { dateOfDay, dayOfDate, localTime } from '../../src/rules/calendar.ts';
import { usersToFind } from '../../src/rules/proportions.ts';
import {
  achievement,
  item,
  items,
  lessonStreak,
  metricBoard,
  perLesson,
  xp,
  xpBoard,
} from '../support/items.ts';
import { Random } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Every kind equals a plain SQL query over the history, whatever happened. */

const ZONE = 'America/New_York';
const DAYS = 40;
const FIRST_DAY = Date.parse('2030-02-04T00:00:00Z');
const HOUR_MS = 3_600_000;
const CITIES = ['oslo', 'rome', 'bern'];
const ZONES = ['Asia/Tokyo', 'Europe/London', 'America/Los_Angeles', 'Pacific/Auckland'];

const CONFIG = {
  attributes: { user: items('city') },
  metrics: items('lessons', 'minutes'),
  streak: lessonStreak({
    frequency: 'daily',
    freezes: { startCount: 1, maxCount: 2, autoEarnInterval: 5, autoEarnAmount: 1 },
  }),
  achievements: [
    achievement('first', 1),
    achievement('ten', 10),
    { key: 'three-days', name: 'Three days', trigger: 'streak', streakLength: 3 },
  ],
  points: [
    xp(
      [
        perLesson(10),
        { type: 'metric', metric: 'minutes', metricThreshold: 5, points: -7 },
        { type: 'achievement', achievement: 'ten', points: 50 },
      ],
      { levels: [item('low', { points: 0 }), item('high', { points: 100 })] },
    ),
  ],
  leaderboards: [
    xpBoard('all', { start: '2026-01-01', maxParticipants: 5 }),
    metricBoard('cities', { start: '2026-01-01', breakdownAttributes: ['city'] }),
  ],
  settings: { defaultTimeZone: ZONE, experimentation: { controlRatio: 40 } },
};

const server = useServer({ config: 'none', relay: true });
let pool: Pool;
const seed = Math.floor(Math.random() * 2 ** 32);

const { admin } = server;
const get = (path: string): Promise<Json> => server.get(`/admin/v1/analytics/${path}`);
const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await pool.query(text, values)).rows;
const daysOf = async () => (_tenant: number, instant: number) => localTime(ZONE, instant).day;

/** The day of an instant in the tenant's time zone, and the start of its period, as text. */
const dayOf = (column: string): string => `(${column} at time zone '${ZONE}')::date`;
const startOf = (column: string, interval: string): string =>
  `to_char(date_trunc('${interval}', ${dayOf(column)}::timestamp), 'YYYY-MM-DD')`;
const named = (kind: string, no: string): string =>
  `(select key from entities where kind = '${kind}' and no = ${no})`;

const RANGE = 'from=2030-01-28&to=2030-03-31';
const INTERVALS = ['day', 'week', 'month'];

/** Five weeks of a few users with different habits, and of one whose streak is at risk on the last day. */
async function play(random: Random): Promise<void> {
  const users = Array.from({ length: 14 }, (_, i) => ({
    id: `u${i}`,
    habit: random.next(),
    joins: random.int(0, 20),
  }));
  for (let day = 0; day < DAYS; day++) {
    // What follows changes users who have been counted.
    if (day % 8 === 7) await recountCohorts(pool, daysOf);
    for (const hour of [3, 12, 22]) {
      await server.moveTo(FIRST_DAY + (day * 24 + hour) * HOUR_MS);
      const active = users.filter(({ habit, joins }) => day >= joins && random.chance(habit * 0.5));
      const events = active.flatMap(({ id }) =>
        Array.from({ length: random.int(1, 2) }, () => ({
          key: random.pick(['lessons', 'lessons', 'minutes']),
          user: {
            id,
            tz: random.chance(0.2) ? random.pick(ZONES) : undefined,
            ...(random.chance(0.3) && { attributes: { city: random.pick(CITIES) } }),
          },
          value: random.pick([1, 1, 2, 3.25]),
        })),
      );
      if (hour === 12 && day < DAYS - 1)
        events.push({ key: 'lessons', user: { id: 'steady', tz: undefined }, value: 1 });
      if (events.length > 0) expect((await admin('POST', '/metrics/events', events)).status).toBe(202);
      if (random.chance(0.05))
        await server.call('PUT', `/v1/users/silent-${day}-${hour}`, { name: 'Silent' });
    }
  }
}

beforeAll(async () => {
  ({ pool } = server);
  console.log(`analytics: seed ${seed}`);
  await server.moveTo(FIRST_DAY);
  await server.configure(CONFIG);
  await play(new Random(seed));
  // Waits for the relay.
  await get('activity');
  await recountCohorts(pool, daysOf);
});

describe.each(INTERVALS)('by %s', (interval) => {
  const query = `${RANGE}&interval=${interval}`;

  test('active users', async () => {
    const { periods, timeZone } = await get(`activity?${query}`);
    expect(timeZone).toBe(ZONE);
    const active =
      await sql(`select ${startOf('recorded_at', interval)} as start, count(distinct user_id)::int as users
      from event_history group by 1 order by 1`);
    const shown = periods.filter(({ activeUsers }: Json) => activeUsers > 0);
    expect(shown.map(({ start, activeUsers }: Json) => ({ start, users: activeUsers }))).toEqual(active);
    const created = await sql(
      `select ${startOf('created_at', interval)} as start, count(*)::int as users from users group by 1 order by 1`,
    );
    expect(
      periods
        .filter(({ newUsers }: Json) => newUsers > 0)
        .map(({ start, newUsers }: Json) => ({ start, users: newUsers })),
    ).toEqual(created);
    const returning =
      await sql(`select ${startOf('recorded_at', interval)} as start, count(distinct user_id)::int as users
      from event_history join (select user_id, min(recorded_at) as first from event_history group by 1) as first using (user_id)
      where ${startOf('first', interval)} < ${startOf('recorded_at', interval)} group by 1 order by 1`);
    expect(
      periods
        .filter(({ returningUsers }: Json) => returningUsers > 0)
        .map(({ start, returningUsers }: Json) => ({ start, users: returningUsers })),
    ).toEqual(returning);
  });

  test('users, events and sums of each metric equal counts over the history', async () => {
    const { periods } = await get(`metrics?${query}`);
    const expected =
      await sql(`select ${named('metrics', 'metric')} as metric, ${startOf('recorded_at', interval)} as start,
        count(distinct user_id)::int as users, count(*)::int as events, sum(value) as sum
      from event_history group by event_history.metric, 2 order by 2, event_history.metric`);
    expect(
      periods.map(({ metric, start, users, events, sum }: Json) => ({ metric, start, users, events, sum })),
    ).toEqual(expected);
    const one = await get(`metrics?${query}&metric=minutes`);
    expect(one.periods).toEqual(periods.filter(({ metric }: Json) => metric === 'minutes'));
  });

  test('completions of each achievement equal counts over the history', async () => {
    const { periods, achievements, totalUsers } = await get(`achievements?${query}`);
    const expected = await sql(`select ${named('achievements', 'achievement')} as achievement,
        ${startOf('completed_at', interval)} as start, count(*)::int as completions
      from completed_achievements group by achievement, 2 order by 2, completed_achievements.achievement`);
    expect(
      periods.map(({ achievement, start, completions }: Json) => ({ achievement, start, completions })),
    ).toEqual(expected);
    const [{ users }] = (await sql('select count(*)::int as users from users')) as [Json];
    expect(totalUsers).toBe(users);
    for (const { key, totalCompletions, rate, meanDaysToComplete } of achievements) {
      const [own] = (await sql(
        `select count(*)::int as count, avg(extract(epoch from completed_at - created_at) / 86400)::float8 as days
         from completed_achievements join users using (tenant, user_id) where ${named('achievements', 'achievement')} = $1`,
        [key],
      )) as [Json];
      expect(totalCompletions).toBe(own.count);
      expect(rate).toBeCloseTo(own.count / users, 3);
      if (own.count > 0) expect(meanDaysToComplete).toBeCloseTo(own.days, 1);
    }
  });

  test('changes of streaks equal counts over the history', async () => {
    const { periods } = await get(`streaks?${query}`);
    const countBy = async (
      table: string,
      at: string,
      condition: string,
      count = 'count(*)',
    ): Promise<Map<string, number>> => {
      const rows = await sql(
        `select ${startOf(at, interval)} as start, ${count}::int as count from ${table} where ${condition} group by 1`,
      );
      return new Map(rows.map(({ start, count: number }) => [start, number]));
    };
    const expected = {
      started: await countBy('streak_extensions', 'extended_at', 'made_good_by is null and length = 1'),
      extended: await countBy('streak_extensions', 'extended_at', 'made_good_by is null'),
      freezesUsed: await countBy('streak_extensions', 'extended_at', `made_good_by = 'freeze'`),
      pausesUsed: await countBy('streak_extensions', 'extended_at', `made_good_by = 'pause'`),
      lost: await countBy('streak_losses', 'lost_at', 'true'),
      freezesEarned: await countBy('earned_freezes', 'earned_at', 'true', 'sum(freezes)'),
    };
    for (const { start, end, ...shown } of periods) {
      for (const [kind, count] of Object.entries(shown)) {
        expect([start, kind, count]).toEqual([
          start,
          kind,
          expected[kind as keyof typeof expected].get(start) ?? 0,
        ]);
      }
    }
    expect(expected.lost.size).toBeGreaterThan(0);
    expect(expected.freezesUsed.size).toBeGreaterThan(0);
  });

  test('points of each system equal sums over the history', async () => {
    const { periods, sources, sinks, outstanding, levels } = await get(`points/xp?${query}`);
    const [held] =
      await sql(`select sum(total) as points, sum(total) filter (where total >= 100) as high from points_totals
      where system = (select no from entities where kind = 'pointsSystems' and key = 'xp')`);
    expect([outstanding, levels[1].points]).toEqual([held!.points, held!.high ?? 0]);
    expect(levels[0].points + levels[1].points).toBe(outstanding);
    const expected =
      await sql(`select ${startOf('recorded_at', interval)} as start, coalesce(sum(awarded) filter (where awarded > 0), 0) as gained,
        coalesce(-sum(awarded) filter (where awarded < 0), 0) as spent, count(*)::int as awards
      from award_history group by 1 order by 1`);
    expect(periods.filter(({ awards }: Json) => awards > 0).map(({ end, ...shown }: Json) => shown)).toEqual(
      expected,
    );
    const flow =
      await sql(`select ${named('pointsTriggers', 'trigger').replace('select key', 'select id')} as id, count(*)::int as awards,
        sum(abs(awarded)) as points, sum(awarded) > 0 as gained from award_history group by trigger order by points desc`);
    const idOf = ({ trigger, awards, points }: Json): object => ({ id: trigger.id, awards, points });
    expect(sources.map(idOf)).toEqual(
      flow.filter(({ gained }) => gained).map(({ gained, ...shown }) => shown),
    );
    expect(sinks.map(idOf)).toEqual(
      flow.filter(({ gained }) => !gained).map(({ gained, ...shown }) => shown),
    );
  });
});

test('users of the last 7 and 30 days', async () => {
  const { periods } = await get(`activity?${RANGE}`);
  for (const { start, dailyActiveUsers, weeklyActiveUsers, monthlyActiveUsers, stickiness } of periods) {
    const [counted] = (await sql(
      `select count(distinct user_id) filter (where day = $1::date)::int as daily, count(distinct user_id) filter (where day > $1::date - 7)::int as weekly,
         count(distinct user_id)::int as monthly
       from (select user_id, ${dayOf('recorded_at')} as day from event_history) as event where day <= $1::date and day > $1::date - 30`,
      [start],
    )) as [Json];
    expect([start, dailyActiveUsers, weeklyActiveUsers, monthlyActiveUsers]).toEqual([
      start,
      counted.daily,
      counted.weekly,
      counted.monthly,
    ]);
    expect(stickiness).toEqual(
      counted.monthly === 0 ? null : Number((counted.daily / counted.monthly).toFixed(4)),
    );
  }
});

test('new, retained, returned and dormant users of each week', async () => {
  const { weeks } = await get(`lifecycle?${RANGE}`);
  const users = await sql(
    `select array_agg(distinct ${startOf('recorded_at', 'week')}) as active from event_history group by user_id`,
  );
  const before = (week: string): string => dateOfDay(dayOfDate(week) - 7);
  for (const { start, newUsers, retainedUsers, returnedUsers, dormantUsers } of weeks) {
    const counts = { newUsers: 0, retainedUsers: 0, returnedUsers: 0, dormantUsers: 0 };
    for (const { active } of users) {
      const wasActive = active.includes(before(start));
      if (active.includes(start)) {
        if (active.sort()[0] === start) counts.newUsers++;
        else if (wasActive) counts.retainedUsers++;
        else counts.returnedUsers++;
      } else if (wasActive) counts.dormantUsers++;
    }
    expect({ newUsers, retainedUsers, returnedUsers, dormantUsers }, start).toEqual(counts);
  }
  const sum = (kind: string) => weeks.reduce((total: number, week: Json) => total + week[kind], 0);
  for (const kind of ['newUsers', 'retainedUsers', 'dormantUsers'])
    expect(sum(kind), kind).toBeGreaterThan(0);
});

test('streaks that end today unless their users are active', async () => {
  const { streaks, lastDay, isComplete } = await get('streaks-at-risk?minLength=1');
  const expected = await sql(
    `select user_id as "userId", name, length from (
        select distinct on (user_id) user_id, period, length from streak_extensions order by 1, 2 desc
      ) as latest join users using (user_id)
      where period = $1 and not exists (
        select from streak_losses lost where lost.user_id = latest.user_id and lost.period >= latest.period
      )`,
    [dayOfDate(lastDay) - 1],
  );
  expect(isComplete).toBe(true);
  expect(streaks.length).toBeGreaterThan(0);
  const byId = (a: Json, b: Json): number => a.userId.localeCompare(b.userId);
  expect([...streaks].sort(byId)).toEqual(expected.sort(byId));
  expect(streaks.map(({ length }: Json) => length)).toEqual(
    streaks.map(({ length }: Json) => length).sort((a: number, b: number) => b - a),
  );
  const long = streaks.filter(({ length }: Json) => length >= 7);
  expect((await get('streaks-at-risk')).streaks).toEqual(long);
  const longest = streaks[0].length;
  expect((await get(`streaks-at-risk?minLength=${longest + 1}`)).streaks).toEqual([]);
});

test('streaks by length, and how many survive', async () => {
  const { lengths, survival } = await get(`streaks?${RANGE}`);
  expect(lengths).toEqual(
    await sql(
      `select length, count(*)::int as users from streak_standings where frequency = 'daily' and length > 0 group by 1 order by 1`,
    ),
  );
  const lost = await sql('select length, count(*)::int as lost from streak_losses group by 1 order by 1');
  expect(
    survival
      .filter(({ lost: some }: Json) => some > 0)
      .map(({ length, lost: some }: Json) => ({ length, lost: some })),
  ).toEqual(lost);
  const all =
    lengths.reduce((sum: number, { users }: Json) => sum + users, 0) +
    lost.reduce((sum, row) => sum + row.lost, 0);
  expect(survival[0].atRisk).toBe(all);
});

test('participants of a leaderboard equal counts over the history', async () => {
  const { periods, ranked, scores } = await get(`leaderboards/all?${RANGE}`);
  const participants =
    await sql(`select to_char(local_date, 'YYYY-MM-DD') as start, count(*)::int as users from leaderboard_changes
    where leaderboard = (select no from entities where kind = 'leaderboards' and key = 'all') group by 1 order by 1`);
  const shown = periods.filter((period: Json) => period.participants > 0);
  expect(shown.map(({ start, participants: users }: Json) => ({ start, users }))).toEqual(participants);
  const board = (await server.call('GET', '/v1/leaderboards/all?limit=100')).body;
  expect(ranked).toBe(board.rankings.length);
  expect(scores.reduce((sum: number, { users }: Json) => sum + users, 0)).toBe(ranked);
  const within = ({ from, to }: Json): number =>
    board.rankings.filter(({ value }: Json) => value >= from && value <= to).length;
  expect(scores.map(({ users }: Json) => users)).toEqual(scores.map(within));
  expect(scores.flatMap(({ from, to }: Json) => [from, to]).every(Number.isInteger)).toBe(true);
  const sum = (kind: string): number => periods.reduce((all: number, period: Json) => all + period[kind], 0);
  expect(sum('entered') - sum('left')).toBeGreaterThan(0);
  expect((await get('leaderboards/cities')).ranked).toBeNull();
  expect((await get('leaderboards/cities?userAttributes=city:oslo')).ranked).toBeTypeOf('number');
  expect((await admin('GET', '/analytics/leaderboards/nix')).status).toBe(404);
});

test('how much moves on a leaderboard equals counts over the history', async () => {
  const { health, ranked } = await get('leaderboards/all');
  const { rankings } = (await server.call('GET', '/v1/leaderboards/all?limit=100')).body;
  const [counted] = (await sql(
    `select count(distinct user_id) filter (where recent and rank <> previous_rank)::int as moved,
       (count(distinct user_id) - count(distinct user_id) filter (where not recent))::int as entered
     from leaderboard_changes, lateral (select local_date > $2::date - 7 as recent) as day
     where leaderboard = (select no from entities where kind = 'leaderboards' and key = 'all') and user_id = any($1)`,
    [rankings.map(({ userId }: Json) => userId), dateOfDay(localTime(ZONE, server.clock.now()).day)],
  )) as [Json];
  expect(health).toMatchObject(counted);
  expect(health.movedRate).toBe(Number((counted.moved / ranked).toFixed(4)));
  const gaps = rankings.slice(1).map(({ value }: Json, i: number) => rankings[i].value - value);
  expect(health.topGap).toBe(gaps[0]);
  const [median] = await sql(
    'select percentile_cont(0.5) within group (order by gap) as gap from unnest($1::float8[]) as gap',
    [gaps],
  );
  expect(health.medianGap).toBe(median!.gap);
  expect((await get('leaderboards/cities')).health).toBeNull();
});

test('time to complete, and activity before and after', async () => {
  const { completions, timeToComplete, activity } = await get(`achievements/ten?${RANGE}`);
  const [counted] = (await sql(
    `select count(*)::int as users from completed_achievements where ${named('achievements', 'achievement')} = 'ten'`,
  )) as [Json];
  expect(completions).toBe(counted.users);
  expect(timeToComplete.reduce((sum: number, { users }: Json) => sum + users, 0)).toBe(counted.users);
  const [today] = (await sql(`select ${dayOf('max(recorded_at)')}::text as day from event_history`)) as [
    Json,
  ];
  const [around] = (await sql(
    `with completed as (
       select user_id, ${dayOf('completed_at')} as day from completed_achievements
       where ${named('achievements', 'achievement')} = 'ten' and ${dayOf('completed_at')} < $1::date - 14
     ), active as (select distinct user_id, ${dayOf('recorded_at')} as active from event_history)
     select (select count(*)::int from completed) as users,
       count(*) filter (where active between day - 14 and day - 1)::int as before,
       count(*) filter (where active between day + 1 and day + 14)::int as after
     from completed left join active using (user_id)`,
    [today.day],
  )) as [Json];
  expect(activity.users).toBe(around.users);
  if (around.users > 0) {
    const rounded = (days: number): number => Math.round((days / around.users) * 100) / 100;
    expect(activity.daysBefore).toBe(rounded(around.before));
    expect(activity.daysAfter).toBe(rounded(around.after));
  }
  expect((await admin('GET', '/analytics/achievements/nix')).status).toBe(404);
});

/** Users of each cohort and group, and of these those active in each week, by plain SQL. */
const RETENTION = (group: string): string => `
  with member as (
    select user_id, date_trunc('week', ${dayOf('created_at')}::timestamp)::date as cohort, ${group} as "group" from users
  ), active as (
    select distinct user_id, date_trunc('week', ${dayOf('recorded_at')}::timestamp)::date as week from event_history
  )
  select cohort::text as start, "group", ((week - cohort) / 7)::int as week,
    (select count(*)::int from member own where own.cohort = member.cohort and own."group" = member."group") as users,
    count(*)::int as retained
  from member join active using (user_id) where "group" is not null group by 1, 2, 3, member.cohort`;
const CITY = `(select value from user_attributes has where has.user_id = users.user_id)`;
const LONGEST = `coalesce((select case when longest < 1 then '0' when longest < 2 then '1' when longest < 3 then '2' when longest < 5 then '3'
  when longest < 7 then '5' when longest < 14 then '7' when longest < 21 then '14' when longest < 30 then '21' else '30' end
  from streak_standings standing where standing.user_id = users.user_id), '0')`;

describe('retention', () => {
  test.each([
    ['none', `'all'`],
    ['control', `case when control then 'control' else 'treated' end`],
    ['streak', LONGEST],
    ['attribute&attribute=city', CITY],
  ])('split by %s', async (split, group) => {
    const { cohorts, groups } = await get(
      `retention?from=2030-02-01&to=2030-03-31&weeks=10&splitBy=${split}`,
    );
    const counted = new Map(
      (await sql(RETENTION(group))).map((row) => [`${row.start} ${row.group} ${row.week}`, row]),
    );
    let seen = 0;
    for (const { start, group: name, users, weeks } of cohorts) {
      for (const { week, retained, users: of } of weeks) {
        const row = counted.get(`${start} ${name} ${week}`);
        expect([start, name, week, retained]).toEqual([start, name, week, row?.retained ?? 0]);
        expect(of).toBe(users);
        if (row) expect(users).toBe(row.users);
        seen += retained;
      }
    }
    expect(seen).toBeGreaterThan(0);
    for (const { group: name, weeks } of groups) {
      for (const { week, retained } of weeks) {
        const own = cohorts
          .filter((cohort: Json) => cohort.group === name)
          .flatMap((cohort: Json) => cohort.weeks);
        expect(retained).toBe(
          own.reduce((sum: number, one: Json) => (one.week === week ? sum + one.retained : sum), 0),
        );
      }
    }
  });

  /** Users with a value of their own for each group, of which they may have several. */
  const GROUPS = {
    achievement: `select user_id, ${named('achievements', 'achievement')} as "group"
      from completed_achievements join users using (user_id) where completed_at < created_at + interval '7 days'`,
    firstMetric: `select distinct user_id, ${named('metrics', 'metric')} as "group" from event_history
      join (select user_id, min(${dayOf('recorded_at')}) as day from event_history group by 1) as first using (user_id)
      where ${dayOf('recorded_at')} = first.day`,
  };
  test.each(Object.entries(GROUPS))('split by %s', async (split, members) => {
    const { groups } = await get(`retention?from=2030-02-01&to=2030-03-31&weeks=10&splitBy=${split}`);
    const week = (column: string): string => `date_trunc('week', ${dayOf(column)}::timestamp)::date`;
    const counted = (condition: string) =>
      sql(
        `with member as (select user_id, ${week('created_at')} as cohort from users where ${condition}),
           active as (select distinct user_id, ${week('recorded_at')} as week from event_history)
         select w as week, count(*)::int as users, count(*) filter (where exists (
             select from active where active.user_id = member.user_id and week = cohort + 7 * w))::int as retained
         from member, generate_series(0, 10) as w
         where cohort + 7 * w < (select ${week('max(recorded_at)')} from event_history) group by 1 order by 1`,
      );
    const of = (weeks: Json[]) => weeks.map(({ week, users, retained }) => ({ week, users, retained }));
    expect(groups.map(({ group }: Json) => group).sort()).toEqual(
      (await sql(`select "group" from (${members}) as member group by 1 order by 1`)).map(
        ({ group }) => group,
      ),
    );
    for (const { group, weeks, others } of groups) {
      const inGroup = `user_id in (select user_id from (${members}) as member where "group" = '${group}')`;
      expect(of(weeks), group).toEqual(await counted(inGroup));
      expect(others === undefined).toBe(split !== 'achievement');
      if (others) expect(of(others.weeks), group).toEqual(await counted(`not ${inGroup}`));
    }
    expect(groups.length).toBeGreaterThan(0);
  });

  test('counts users by what they are now, and nobody twice', async () => {
    await server.call('PATCH', '/v1/users/u1', { attributes: { city: 'bern' } });
    await server.call('PATCH', '/v1/users/u2', { attributes: { city: null } });
    await get('activity');
    await recountCohorts(pool, daysOf);
    const rows = await sql(`select value, sum(users)::int as users from cohort_counts
      where week = -1 and split = (select no::text from entities where kind = 'attributes') group by 1 having sum(users) <> 0 order by 1`);
    expect(rows).toEqual(
      await sql(
        'select value, count(*)::int as users from user_attributes where value is not null group by 1 order by 1',
      ),
    );
  });

  test('is compared between treated users and the control group', async () => {
    const { weeks, method, confidence, userActivationWindow } = await get(
      'experiment?from=2030-02-01&to=2030-03-31&weeks=3',
    );
    expect(userActivationWindow).toBe(14);
    expect(weeks.map(({ isEarly }: Json) => isEarly)).toEqual(
      [true, true, false, false].slice(0, weeks.length),
    );
    const { groups } = await get('retention?from=2030-02-01&to=2030-03-31&weeks=3&splitBy=control');
    const treated = groups.find(({ group }: Json) => group === 'treated');
    expect(weeks.slice(0, treated.weeks.length).map(({ treatedRetained }: Json) => treatedRetained)).toEqual(
      treated.weeks.map(({ retained }: Json) => retained),
    );
    expect([confidence, method]).toEqual([95, expect.stringContaining('Newcombe')]);
  });

  test('says how many users are needed, and decides nothing before', async () => {
    const path = 'experiment?from=2030-02-01&to=2030-03-31&weeks=3';
    const { verdict, weeks } = await get(path);
    const { treatedUsers, controlUsers, controlRetained } = weeks[1];
    const users = treatedUsers + controlUsers;
    const asked = {
      rate: controlRetained / controlUsers,
      controlShare: controlUsers / users,
      confidence: 0.95,
    };
    expect(verdict).toEqual({
      week: 1,
      outcome: 'waiting',
      difference: 0.05,
      usersNeeded: usersToFind(0.05, asked) - users,
    });
    const coarse = (await get(`${path}&difference=50&confidence=50`)).verdict;
    expect(coarse).toMatchObject({ usersNeeded: 0, difference: 0.5 });
    expect(coarse.outcome).toMatch(/better|worse|same/);
  });

  test('warns of a control group that is larger than its share, and keeps users in their group', async () => {
    const sharesOf = async (): Promise<Json> =>
      (await get('experiment?from=2030-02-01&to=2030-03-31')).shares;
    /** Puts users into the control group behind the back of the service. */
    const put = async (isControl: string, values: unknown[] = []): Promise<void> => {
      await pool.query(`update users set control = ${isControl}`, values);
      await pool.query('insert into cohort_changes select tenant, user_id from users on conflict do nothing');
      await recountCohorts(pool, daysOf);
    };
    const members = (await sql('select user_id from users where control')).map(({ user_id: id }) => id);
    const [{ user_id: treatedId }] = await sql(
      `select user_id from users where not control and ${dayOf('created_at')} >= '2030-02-01' order by created_at limit 1`,
    );
    const shares = await sharesOf();
    const [counted] = await sql(
      `select count(*)::int as users, (count(*) filter (where control))::int as control from users
       where ${dayOf('created_at')} >= $1`,
      [shares.from],
    );
    expect([shares.controlUsers, shares.treatedUsers]).toEqual([
      counted.control,
      counted.users - counted.control,
    ]);
    expect(shares.isMismatch).toBe(shares.probability !== null && shares.probability < 0.001);
    await put('true');
    expect(await sharesOf()).toMatchObject({
      controlUsers: counted.users,
      treatedUsers: 0,
      isMismatch: true,
    });
    await put('user_id <> $1', [treatedId]);
    const { verdict } = await get('experiment?from=2030-02-01&to=2030-03-31');
    expect(verdict).toMatchObject({ outcome: 'untrusted' });
    await put('user_id = any($1)', [members]);
    expect(await sharesOf()).toEqual(shares);

    // Another share moves nobody, and the shares are counted from then on.
    const { status } = await admin('PATCH', '/settings', { experimentation: { controlRatio: 90 } });
    expect(status).toBe(200);
    const moved = await server.call('PUT', `/v1/users/${members[0]}`, {});
    expect([moved.status, moved.body.control]).toEqual([200, true]);
    expect(await sharesOf()).toMatchObject({ controlUsers: 0, treatedUsers: 0, isMismatch: false });
  });

  test.each([
    ['retention?splitBy=attribute', /^attribute is required/],
    ['retention?splitBy=attribute&attribute=shoe', /user attribute shoe$/],
    ['retention?attribute=city', /^attribute must be given with/],
    ['retention?weeks=27', /^weeks must be/],
    ['retention?from=2031-01-01&to=2030-01-01', /^from must not be after to/],
    ['experiment?confidence=100', /^confidence must be/],
    ['activity?from=2031-01-01&to=2030-01-01', /^from must not be after to/],
    ['activity?from=2020-01-01', /^from must be less than 400 days before to/],
    ['activity?interval=year', /^interval must be one of/],
    ['achievements?from=x', /^from must be a date/],
    ['streaks?to=x', /^to must be a date/],
    ['notifications?interval=x', /^interval/],
    ['metrics?format=xml', /^format/],
  ])('%s is refused', async (query, message) => {
    expect(await admin('GET', `/analytics/${query}`)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(message) },
    });
  });

  test.each(['metrics?metric=nix', 'points/nix'])('%s is not found', async (path) => {
    expect((await admin('GET', `/analytics/${path}`)).status).toBe(404);
  });
});

test.each([
  ['2030-03-01', '2030-03-31'],
  ['2030-02-10', '2030-03-20'],
  ['2030-01-15', '2030-05-02'],
  ['2030-03-05', '2030-03-09'],
])('sums of a range from %s to %s are those of its days', async (first, last) => {
  const [from, to] = [dayOfDate(first), dayOfDate(last)];
  const counts = ['completions', 'completionDays', 'pointsGained', 'pointsSpent', 'streaksLost'] as const;
  const expected = await sql(`select kind, no, detail, sum(count)::float8 as count from daily_counts
    where kind in (${counts.map((kind) => `'${kind}'`)}) and day between '${first}' and '${last}'
    group by 1, 2, 3 order by 2, 3, 1`);
  for (const today of [dayOfDate('2030-03-18'), dayOfDate('2031-01-01')]) {
    const found = await readRangeCounts(pool, 1, [...counts], { from, to, today });
    expect(new Set(found.map(({ sum, ...row }) => JSON.stringify(row)))).toEqual(
      new Set(expected.map((row: Json) => JSON.stringify(row))),
    );
  }
});

test('notifications are counted by type, channel and outcome of each day', async () => {
  expect((await get('notifications')).periods).toEqual([]);
  await pool.query('create table deliveries_of_the_test partition of notification_deliveries default');
  const rows = noDeliveryRows();
  for (let n = 0; n < 20; n++) {
    const createdAt = Date.parse('2030-03-01T02:00:00Z') + n * 7 * HOUR_MS;
    const channel = n % 2 === 0 ? 'email' : 'push';
    const row = { id: newId(), createdAt, dueAt: createdAt, tenant: 1, type: 'recap', facts: null };
    rows.notificationDeliveries.push({ ...row, userId: 'u1', channel });
  }
  await transaction(pool, (client) => writeDeliveries(client, rows));
  await transaction(pool, (client) => writeDeliveries(client, rows));
  const finish = `update notification_deliveries set status = $1 where extract(hour from created_at)::integer % 3 = $2`;
  await pool.query(finish, ['failed', 0]);
  await pool.query(finish, ['sent', 1]);
  const { periods } = await get(`notifications?${RANGE}`);
  const expected =
    await sql(`select ${startOf('created_at', 'day')} as start, type, channel, count(*) filter (where status = 'sent')::int as sent,
    count(*) filter (where status = 'failed')::int as failed, count(*) filter (where status = 'pending')::int as pending
    from notification_deliveries group by 1, 2, 3 order by 1, 2, 3`);
  expect(
    periods.map(({ start, type, channel, sent, failed, pending }: Json) => ({
      start,
      type,
      channel,
      sent,
      failed,
      pending,
    })),
  ).toEqual(expected);
});

test('the same as CSV, by header and by parameter', async () => {
  const { periods } = await get(`metrics?${RANGE}`);
  const csv = await server.call('GET', `/admin/v1/analytics/metrics?${RANGE}&format=csv`);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, first, ...rest] = csv.body.trimEnd().split('\r\n');
  expect(head).toBe('metric,metricName,start,end,users,events,sum');
  expect(first).toBe(Object.values(periods[0]).join(','));
  expect(rest).toHaveLength(periods.length - 1);
  const byHeader = await server.call('GET', `/admin/v1/analytics/metrics?${RANGE}`, undefined, {
    Accept: 'text/csv',
  });
  expect(byHeader.body).toBe(csv.body);
  const json = await server.call('GET', `/admin/v1/analytics/metrics?${RANGE}&format=json`, undefined, {
    Accept: 'text/csv',
  });
  expect(json.body.periods).toEqual(periods);
});
