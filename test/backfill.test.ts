import { expect, test } from 'vitest';
import { recountCohorts } from '../src/db/figures/cohorts.ts';
import { backfillFigures } from '../src/engine/backfill.ts';
import { foldRelayedStates } from '../src/engine/recovery/snapshots.ts';
import { Random } from './support/random.ts';
import { NOON, useRelaying } from './support/relaying.ts';

/** Figures of what was written before they were kept are those that the relay would have kept. */

const relaying = useRelaying();
const DAY_MS = 86_400_000;
const DAYS = 35;

const utcDays = async () => (_tenant: number, instant: number) => Math.floor(instant / DAY_MS);

async function play(random: Random): Promise<void> {
  const { engine, drain, record } = relaying;
  for (let day = 0; day < DAYS; day++) {
    const now = NOON + day * DAY_MS;
    await engine.sweep.run(now);
    engine.clock.set(now);
    for (let user = 0; user < 9; user++) {
      if (!random.chance(0.2 + user / 12)) continue;
      const id = `u${user}`;
      await record(
        random.chance(0.3) ? { id, attributes: { city: random.pick(['oslo', 'rome']) } } : id,
        random.int(1, 3),
      );
    }
    if (day % 5 === 0)
      await engine.users.identify(engine.rules(), `named-${day}`, { name: `Name ${day}`, email: `${day}@example.com` });
    await drain();
  }
}

/** All that the relay keeps and a back-fill can bring back. */
async function kept(): Promise<Record<string, unknown[]>> {
  const { pool, engine } = relaying;
  const read = async (text: string) => (await pool.query(text, [engine.tenant])).rows;
  return {
    figures: await read(`select figure, day::text, no, detail, count, sum from daily_figures
      where tenant = $1 and figure not in ('rankChanges', 'freezesEarned') and (count <> 0 or sum <> 0) order by 1, 2, 3, 4`),
    activity: await read('select user_id, metric, first_day, days from user_activity where tenant = $1 order by 1, 2'),
    users: await read('select user_id, name, email, control from users where tenant = $1 order by 1'),
    losses: await read(
      'select user_id, frequency, period, length, lost_at from streak_losses where tenant = $1 order by 1, 2, 3',
    ),
    cohorts: await read(
      'select split, cohort, value, week, users from cohort_counts where tenant = $1 and users <> 0 order by 1, 2, 3, 4',
    ),
  };
}

test('what was written before the roll-ups were kept is counted in steps', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`backfill: seed ${seed}`);
  await play(new Random(seed));
  const { pool, engine } = relaying;
  await foldRelayedStates(pool, { wait: true });
  await recountCohorts(pool, utcDays);
  const expected = await kept();
  expect(Object.entries(expected).map(([name, rows]) => [name, rows.length > 0])).toEqual(
    ['figures', 'activity', 'users', 'losses', 'cohorts'].map((name) => [name, true]),
  );

  for (const table of [
    'daily_figures',
    'user_activity',
    'streak_losses',
    'cohort_counts',
    'user_cohorts',
    'cohort_changes',
  ]) {
    await pool.query(`delete from ${table} where tenant = $1`, [engine.tenant]);
  }
  await pool.query(
    'update users set name = null, email = null, control = null, name_sequence = 0, email_sequence = 0 where tenant = $1',
    [engine.tenant],
  );
  await pool.query('insert into figure_backfills (tenant) values ($1)', [engine.tenant]);

  const upgraded = NOON + DAYS * DAY_MS;
  expect(await backfillFigures(pool, upgraded)).toBeGreaterThan(3);
  await recountCohorts(pool, utcDays);
  expect(await kept()).toEqual(expected);
  const left = async () =>
    (await pool.query('select until::text, counted_to::text from figure_backfills where tenant = $1', [engine.tenant]))
      .rows;
  expect(await left()).toHaveLength(1);
  expect(await backfillFigures(pool, upgraded)).toBe(0);

  await backfillFigures(pool, upgraded + 3 * DAY_MS);
  expect(await left()).toEqual([]);
  expect(await kept()).toEqual(expected);
  const { rows } = await pool.query(`select count(*)::int as wrong from (
      select tenant, figure, no, detail, month, count from monthly_figures where count <> 0
    ) as monthly full join (
      select tenant, figure, no, detail, date_trunc('month', day::timestamp)::date as month, sum(count) as count from daily_figures
      where has_monthly_sums(figure) group by 1, 2, 3, 4, 5
    ) as daily using (tenant, figure, no, detail, month) where monthly.count is distinct from daily.count`);
  expect(rows).toEqual([{ wrong: 0 }]);
});
