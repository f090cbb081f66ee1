import { readFile } from 'node:fs/promises';
import { Pool } from 'pg';
import type { Locator } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { recountCohorts } from '../../src/db/analytics/cohorts.ts';
import { localTime } from '../../src/rules/calendar.ts';
import { findA11yProblems, screenshot } from '../support/consoleBrowser.ts';
import { playTwoWeeks } from '../support/consoleGame.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { until } from '../support/until.ts';

/**
 * Every number on the screens equals a plain query over the history, after two weeks in which five users
 * play.
 */
let pool: Pool;
const web = useConsole('test/console/consoleAnalytics.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    await playTwoWeeks(server);
    await server.call('POST', '/v1/metrics/minutes/event', { user: { id: 'ada' }, value: 7 });
    pool = new Pool({ connectionString: server.databaseUrl });
    await server.relayed();
    await recount();
  },
});
afterAll(() => pool?.end());
const { go } = web;

const recount = () => recountCohorts(pool, async () => (_tenant, instant) => localTime('UTC', instant).day);
const shown = (value: number): string => value.toLocaleString('en-GB', { maximumFractionDigits: 2 });
const share = (value: number): string =>
  value.toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 });
const rows = async (query: string): Promise<Record<string, string | number>[]> =>
  (await pool.query(query)).rows;
/** The only value of a query, as the console writes numbers. */
const one = async (query: string): Promise<string> =>
  shown(Number(Object.values((await rows(query))[0]!)[0]));
const table = async (query: string): Promise<string[][]> => {
  const found = await pool.query<(string | number)[]>({ text: query, rowMode: 'array' });
  return found.rows.map((row) => row.map((value) => (typeof value === 'number' ? shown(value) : value)));
};
/** Number of a configured item. */
const no = (kind: string, key: string): string =>
  `(select no from entities where kind = '${kind}' and key = '${key}')`;

const tile = (label: string): Locator =>
  web.page.locator('.tile').filter({ has: web.page.locator('dt', { hasText: new RegExp(`^${label}$`) }) });
/** The value of a tile, without the note below. */
const tileOf = async (label: string): Promise<string> => {
  const text = (await tile(label).locator('dd').textContent())!;
  const note = await tile(label).locator('.note').allTextContents();
  return text.slice(0, text.length - note.join('').length);
};
const cells = async (label: string): Promise<string[][]> => {
  return Promise.all((await web.rows(label).all()).map((row) => row.locator('td').allTextContents()));
};
const card = (title: string): Locator =>
  web.page
    .locator('section.card')
    .filter({ has: web.page.getByRole('heading', { name: title, exact: true }) });
/** Labels and values of bars. */
const bars = async (title: string): Promise<string[][]> => {
  const labels = await card(title).locator('.bar-label').allTextContents();
  const values = await card(title).locator('.bar-value').allTextContents();
  return labels.map((label, i) => [label, values[i]!]);
};
/** Opens the table below a chart, which has the same label. */
const openTable = (label: string): Promise<void> =>
  web.page
    .locator('figure', { has: web.page.getByRole('img', { name: label }) })
    .locator('summary')
    .click();
const DAY = `to_char(day, 'FMDD Mon YYYY')`;
const LAST_30_DAYS = `(select generate_series(max(local_date) - 29, max(local_date), '1 day')::date as day from event_history) as days`;

browserTest('the overview', async () => {
  await go('/console');
  const active = (days: number): Promise<string> =>
    one(`select count(distinct user_id) from event_history
      where local_date > (select max(local_date) from event_history) - ${days}`);
  await expect.poll(() => tileOf('Daily active users')).toBe(await active(1));
  await expect.poll(() => tileOf('Active in 7 days')).toBe(await active(7));
  await expect.poll(() => tileOf('Active in 30 days')).toBe(await active(30));
  await expect
    .poll(() => tileOf('Stickiness'))
    .toBe(share(Number(await active(1)) / Number(await active(30))));
  await expect.poll(() => tileOf('New users')).toBe(await one('select count(*) from users'));
  await expect.poll(() => tileOf('Events')).toBe(await one('select count(*) from event_history'));
  await expect
    .poll(async () => (await bars('Metrics')).toSorted())
    .toEqual(
      (
        await rows(
          `select body ->> 'name' as name, body ->> 'units' as units, count(*)::int as events, sum(value)::float8 as sum from event_history
       join entities on kind = 'metrics' and no = metric group by 1, 2`,
        )
      )
        .map(({ name, units, events, sum }) => [
          String(name),
          `${shown(Number(events))} ${Number(events) === 1 ? 'event' : 'events'}, sum ${shown(Number(sum))} ${units}`,
        ])
        .toSorted(),
    );
  await openTable('Active, new and returning users');
  await expect
    .poll(() => cells('Active, new and returning users'))
    .toEqual(
      await table(
        `select ${DAY}, count(distinct e.user_id)::int,
         (select count(*) from users where created_at::date = day)::int,
         (count(distinct e.user_id) filter (where day > (
           select min(local_date) from event_history as first where first.user_id = e.user_id)))::int
       from ${LAST_30_DAYS} left join event_history as e on local_date = day group by day order by day desc`,
      ),
    );
  await screenshot(web.page, 'overview');
});

/** Points at the last day of a chart until it shows something: a chart is drawn anew when its figures arrive. */
const pointAt = (figure: Locator, shown: Locator): Promise<boolean> =>
  until(async () => {
    const box = await figure.locator('.u-over').boundingBox();
    if (box === null) return false;
    await figure.locator('.u-over').hover({ position: { x: box.width - 3, y: 50 } });
    return shown.isVisible();
  });

browserTest('a chart shows all values under the pointer, hides series and saves CSV', async () => {
  await go('/console');
  const figure = web.page.locator('figure', {
    has: web.page.getByRole('img', { name: 'Active, new and returning users' }),
  });
  const tooltip = figure.locator('.tooltip');
  await pointAt(figure, tooltip);
  await expect.poll(() => tooltip.locator('.row').count()).toBe(3);
  const legend = figure.getByRole('button', { name: 'New', exact: true });
  await legend.click();
  await expect.poll(() => legend.getAttribute('aria-pressed')).toBe('false');
  await pointAt(figure, tooltip);
  await expect.poll(() => tooltip.locator('.row').count()).toBe(2);
  await figure.locator('summary').click();
  const saved = web.page.waitForEvent('download');
  await figure.getByRole('button', { name: 'Export CSV' }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  const lines = text.trim().split('\n');
  expect(lines[0]).toBe('"From","Active","New","Returning"');
  expect(lines.length).toBe(31);
});

browserTest('a dashed line says what changed when it is pointed at', async () => {
  const [metric] = await web.call('GET', '/admin/v1/metrics');
  for (const units of ['units', metric.units])
    await web.call('PATCH', '/admin/v1/metrics', [{ id: metric.id, units }]);
  await go('/console');
  const figure = web.page.locator('figure', {
    has: web.page.getByRole('img', { name: 'Active, new and returning users' }),
  });
  await pointAt(figure, figure.locator('.tooltip .mark', { hasText: 'Configuration: 1 changed by ' }));
});

browserTest('any dates are a range, and stay in the address', async () => {
  await go('/console?from=2026-03-02&to=2026-03-08');
  await expect.poll(() => web.page.getByLabel('Range').inputValue()).toBe('custom');
  await web.page.getByLabel('Last day').fill('2026-03-05');
  await web.page.waitForURL('**/console?from=2026-03-02&to=2026-03-05');
  await openTable('Active, new and returning users');
  await expect.poll(async () => (await cells('Active, new and returning users')).length).toBe(4);
});

browserTest('a user', async () => {
  await go('/console/users/ada');
  const lessons = `select sum(change) from metric_totals_daily where user_id = 'ada' and metric = 'lessons'`;
  const points = (system: string): string =>
    `select sum(change) from points_totals_daily where user_id = 'ada' and points_system = '${system}'`;
  await tile('XP').locator('.note').waitFor();
  await expect.poll(() => tileOf('Lessons completed')).toBe(await one(lessons));
  await expect.poll(() => tileOf('XP')).toBe(await one(points('xp')));
  await expect.poll(() => tileOf('Energy')).toBe(await one(points('energy')));
  await expect
    .poll(() => tileOf('Streak, daily'))
    .toBe(
      await one(`select length from streak_extensions where user_id = 'ada' order by period desc limit 1`),
    );
  await expect
    .poll(() => web.page.locator('.badge:not(.open)').count())
    .toBe(Number(await one(`select count(*) from achievement_completions where user_id = 'ada'`)));
  await expect
    .poll(async () => (await cells('Awards of XP')).map((row) => row.slice(1)))
    .toEqual(
      await table(
        `select awarded::float8, total::float8 from award_history where user_id = 'ada' and system = ${no('pointsSystems', 'xp')}
       order by recorded_at desc, sequence desc, n desc limit 12`,
      ),
    );
  await screenshot(web.page, 'user');
});

browserTest('achievements, all and one', async () => {
  await go('/console/achievements');
  const users = Number(await one('select count(*) from users'));
  const found = await rows(
    `select body ->> 'name' as name, count(user_id)::int as completions,
       avg(extract(epoch from completed_at - created_at) / 86400)::float8 as days
     from entities left join achievement_completions on achievement = key left join users using (user_id)
     where kind = 'achievements' group by no, 1 order by no`,
  );
  const expected = found.map(({ name, completions, days }) => {
    const times = [
      shown(Number(completions)),
      shown(Number(completions)),
      share(Number(completions) / users),
    ];
    const badge = String(name).charAt(0);
    const label = completions === 0 ? `${name} never completed` : String(name);
    return [`${badge} ${label}`, ...times, days === null ? '–' : shown(Number(days))];
  });
  await expect.poll(() => cells('Achievements')).toEqual(expected);

  await go('/console/achievements/lessons-10');
  await expect.poll(() => tileOf('Completed')).toBe(expected[1]![1]);
  await expect.poll(() => tileOf('Mean days to complete')).toBe(expected[1]![4]);
  const [fastest] = await rows(
    `select floor(extract(epoch from completed_at - created_at) / 86400)::int as days from achievement_completions
     join users using (user_id) where achievement = 'lessons-10' order by 1 limit 1`,
  );
  const filledBars = async () => (await bars('Time to complete')).filter(([, number]) => number !== '0');
  await expect.poll(async () => (await filledBars()).length).toBeGreaterThan(0);
  const filled = await filledBars();
  const [from, to] = filled[0]![0]!.match(/\d+/g)!.map(Number) as [number, number];
  expect(fastest!.days).toBeGreaterThanOrEqual(from);
  expect(fastest!.days).toBeLessThan(to);
  expect(filled.reduce((sum, [, number]) => sum + Number(number), 0)).toBe(Number(expected[1]![1]));
});

browserTest('streaks', async () => {
  await go('/console/streaks');
  const extensions = 'select count(*) from streak_extensions where made_good_by';
  const standing = `from streak_standings where frequency = 'daily' and length > 0`;
  await expect.poll(() => tileOf('Extended')).toBe(await one(`${extensions} is null`));
  await expect.poll(() => tileOf('Started')).toBe(await one(`${extensions} is null and length = 1`));
  await expect.poll(() => tileOf('Freezes used')).toBe(await one(`${extensions} = 'freeze'`));
  await expect
    .poll(() => tileOf('Freezes earned'))
    .toBe(await one('select coalesce(sum(freezes), 0) from earned_freezes'));
  await expect.poll(() => tileOf('Lost')).toBe(await one('select count(*) from streak_losses'));
  await expect.poll(() => tileOf('Users with a streak')).toBe(await one(`select count(*) ${standing}`));
  await expect
    .poll(() => bars('Lengths'))
    .toEqual(await table(`select length, count(*)::int ${standing} group by 1 order by 1`));
  await expect
    .poll(async () => (await cells('Longest current streaks')).map(([, length]) => length))
    .toEqual((await table(`select length ${standing} order by length desc`)).flat());
  await openTable('Streaks started, lost and saved by a freeze');
  await expect
    .poll(() => cells('Streaks started, lost and saved by a freeze'))
    .toEqual(
      await table(
        `select ${DAY},
         (select count(*) from streak_extensions where made_good_by is null and length = 1 and local_date = day)::int,
         (select count(*) from streak_losses where lost_at::date = day)::int,
         (select count(*) from streak_extensions where made_good_by = 'freeze' and extended_at::date = day)::int
       from ${LAST_30_DAYS} order by day desc`,
      ),
    );
});

browserTest('points', async () => {
  await go('/console/points?system=xp');
  const awards = `from award_history where system = ${no('pointsSystems', 'xp')}`;
  await expect.poll(() => tileOf('Gained')).toBe(await one(`select sum(awarded) ${awards} and awarded > 0`));
  await expect.poll(() => tileOf('Awards')).toBe(await one(`select count(*) ${awards}`));
  await expect
    .poll(async () => (await bars('Sources')).map(([, text]) => text))
    .toEqual(
      (
        await rows(
          `select sum(awarded)::int as points, count(*)::int as awards ${awards} and awarded > 0 group by trigger order by 1 desc`,
        )
      ).map(({ points, awards: number }) => `${shown(Number(points))} in ${shown(Number(number))} awards`),
    );
  const outstanding = `select sum(total) from points_totals where system = ${no('pointsSystems', 'xp')}`;
  await expect.poll(() => tileOf('Outstanding')).toBe(await one(outstanding));
  await expect
    .poll(() => bars('Users by level'))
    .toEqual(
      await table(
        `select level.body ->> 'name', (
         select concat(count(*), ' with ', to_char(coalesce(sum(t.total), 0), 'FM999,999,990'), ' points') from points_totals as t where t.system = s.no
           and t.total >= (level.body ->> 'points')::int and not exists (
             select from entities as higher where higher.kind = 'pointsLevels' and higher.scope = level.scope
               and (higher.body ->> 'points')::int > (level.body ->> 'points')::int
               and t.total >= (higher.body ->> 'points')::int))
       from entities as level join entities as s on s.kind = 'pointsSystems' and s.id::text = level.scope and s.key = 'xp'
       where level.kind = 'pointsLevels' order by (level.body ->> 'points')::int`,
      ),
    );
  await go('/console/points?system=energy');
  await expect.poll(() => tileOf('Spent')).toBe('7');
  expect(
    await one(
      `select -sum(awarded) from award_history where system = ${no('pointsSystems', 'energy')} and awarded < 0`,
    ),
  ).toBe('7');
  await expect.poll(async () => (await bars('Uses')).map(([, text]) => text)).toEqual(['7 in 1 award']);
});

browserTest('a leaderboard', async () => {
  await go('/console/leaderboards/weekly');
  await web.rows('Ranking').first().waitFor();
  const expected = await rows(
    `select user_id as id, sum(value)::int as score from event_history where metric = ${no('metrics', 'lessons')}
       and local_date >= date_trunc('week', (select max(local_date) from event_history)::timestamp)::date
     group by 1 order by 2 desc, 1`,
  );
  const ranking = async () =>
    (await cells('Ranking')).map(([, user, score]) => `${user!.toLowerCase()} ${score}`).toSorted();
  await expect.poll(ranking).toEqual(expected.map(({ id, score }) => `${id} ${score}`).toSorted());
  const scored = async () => (await bars('Scores')).reduce((sum, [, users]) => sum + Number(users), 0);
  await expect.poll(scored).toBe(expected.length);
  await expect.poll(() => tileOf('Ranked users')).toBe(shown(expected.length));
  const weekly = `from leaderboard_changes where leaderboard = ${no('leaderboards', 'weekly')}
    and run_start = (select max(run_start) from leaderboard_changes where leaderboard = ${no('leaderboards', 'weekly')})`;
  const [moved] = await rows(
    `select count(distinct user_id)::int as users ${weekly} and rank <> previous_rank`,
  );
  await expect.poll(() => tileOf('Moved in 7 days')).toBe(share(Number(moved!.users) / expected.length));
  // A run of a week began within the last seven days.
  await expect.poll(() => tileOf('New in 7 days')).toBe(shown(expected.length));
  const scores = expected.map(({ score }) => Number(score));
  const gaps = scores.slice(1).map((score, i) => scores[i]! - score);
  await expect.poll(() => tileOf('Gap to the first rank')).toContain(`${shown(gaps[0]!)} `);
  await expect
    .poll(() => tileOf('Gap to the next rank'))
    .toContain(
      `${await one(`select percentile_cont(0.5) within group (order by gap) from unnest('{${gaps}}'::float8[]) as gap`)} `,
    );
  await openTable('Participants and rank changes');
  await expect
    .poll(async () => (await cells('Participants and rank changes')).map((row) => row.slice(0, 2)))
    .toEqual(
      await table(
        `select ${DAY}, count(distinct c.user_id)::int from ${LAST_30_DAYS}
       left join (leaderboard_changes as c join entities on kind = 'leaderboards' and no = leaderboard and key = 'weekly')
         on c.local_date = day group by day order by day desc`,
      ),
    );
});

browserTest('the experiment', async () => {
  await go('/console/experiment');
  const retained = (week: number): Promise<string> =>
    one(`select count(distinct user_id) from event_history join users using (user_id)
      where date_trunc('week', local_date::timestamp) = date_trunc('week', created_at at time zone 'UTC') + interval '${week} weeks'`);
  const users = Number(await one('select count(*) from users'));
  await web.rows('Retention by group').first().waitFor();
  const [group] = await cells('Retention by group');
  expect(group!.slice(0, 2)).toEqual(['All', String(users)]);
  expect(group![2]).toBe(share(Number(await retained(0)) / users));
  expect(group![3]).toBe(share(Number(await retained(1)) / users));
});

browserTest('retention with and without an early achievement, and by the first metric', async () => {
  const early = `user_id in (select user_id from completed_achievements join users using (tenant, user_id)
    where achievement = ${no('achievements', 'streak-7')} and completed_at < created_at + interval '7 days')`;
  const firstOf = (metric: string): string => `user_id in (select user_id from event_history as first
    where metric = ${no('metrics', metric)} and local_date = (select min(local_date) from event_history as e where e.user_id = first.user_id))`;
  const row = async (name: string, condition: string): Promise<string[]> => {
    const users = await one(`select count(*) from users where ${condition}`);
    const retained =
      await one(`select count(distinct user_id) from event_history join users using (user_id) where ${condition}
      and date_trunc('week', local_date::timestamp) = date_trunc('week', created_at at time zone 'UTC') + interval '1 week'`);
    return [name, users, share(Number(retained) / Number(users))];
  };
  const shownRows = async () =>
    (await cells('Retention by group')).map(([name, users, , week1]) => [name, users, week1]);
  await go('/console/experiment?split=achievement');
  await card('Retention').getByText('A difference proves no cause').waitFor();
  await expect.poll(shownRows).toContainEqual(await row('A week of practice', early));
  expect(await shownRows()).toContainEqual(await row('Without A week of practice', `not ${early}`));
  await screenshot(web.page, 'retention');
  await go('/console/experiment?split=firstMetric');
  await expect.poll(shownRows).toContainEqual(await row('Lessons completed', firstOf('lessons')));
  expect(await shownRows()).toContainEqual(await row('Words learned', firstOf('words')));
});

browserTest('the verdict of the experiment waits for enough users', async () => {
  await pool.query("update users set control = user_id > 'b'");
  await pool.query('insert into cohort_changes select tenant, user_id from users on conflict do nothing');
  await recount();
  await go('/console/experiment');
  const { body } = await web.server.call('GET', '/admin/v1/analytics/experiment');
  const { treatedRate, controlRate } = body.weeks[1];
  const verdict = (await web.page.getByRole('region', { name: 'Verdict' }).textContent())!;
  expect(verdict).toContain(`Not decided yet${shown(body.verdict.usersNeeded)} more users are needed`);
  expect(verdict).toContain(
    `In week 1, ${share(treatedRate)} of the treated users came back and ${share(controlRate)} of`,
  );
  await expect
    .poll(async () => (await cells('Retention of treated and control users')).map((row) => row[6]))
    .toEqual(
      body.weeks.map(
        (one: Record<string, number>) => `${share(one.differenceLow!)} to ${share(one.differenceHigh!)}`,
      ),
    );
  expect(await findA11yProblems(web.page)).toEqual([]);
  await screenshot(web.page, 'experiment');
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});
