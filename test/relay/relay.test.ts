import { describe, expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { completionId, derivedId, idempotencyIdentity } from '../../src/base/ids.ts';
import { transaction } from '../../src/db/pool.ts';
import { deleteUserRows } from '../../src/db/users/userRows.ts';
import { pack } from '../../src/redis/decoding/codec.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { waitForRelay } from '../../src/redis/state/relayProgress.ts';
import { pointsJson } from '../../src/views/pointsJson.ts';
import { CONFIG, NOON, recorded, useRelaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';

/** What the relay writes, against what the engine answered. */
const relaying = useRelaying();
const { drain, record, rowsOf, no } = relaying;

const at = (instant: number): Date => new Date(instant);
const day = (date: string): Date => new Date(`${date}T00:00:00`);

describe('the history', () => {
  test('holds an event with everything that it changed', async () => {
    const outcome = await record({ id: 'ann', attributes: { city: 'london' } }, 2.5, 'key', {
      device: 'i"o\\s',
    });
    await drain();

    const { eventId, fingerprint } = idempotencyIdentity(
      relaying.engine.tenant,
      'ann',
      no('metrics', 'lessons'),
      'key',
    );
    const written = { user_id: 'ann', local_date: day('2026-11-18') };
    expect(await rowsOf('users')).toMatchObject([{ user_id: 'ann', created_at: at(NOON) }]);
    expect(await rowsOf('event_history')).toEqual([
      {
        ...written,
        metric: no('metrics', 'lessons'),
        recorded_at: at(NOON),
        sequence: '1',
        value: 2.5,
        total: 2.5,
        event_id: eventId,
        fingerprint,
        arrived_at: null,
        attributes: { [no('attributes', 'device')]: 'i"o\\s' },
      },
    ]);
    const awards = await rowsOf('award_history', 'n');
    expect(awards.map(({ system, awarded, total, boosts }) => [system, awarded, total, boosts])).toEqual([
      [no('pointsSystems', 'xp'), 10, 10, [1]],
      [no('pointsSystems', 'xp'), 40, 50, [1]],
      [no('pointsSystems', 'energy'), 2, 2, null],
    ]);
    expect(awards[2]).toEqual({
      ...written,
      recorded_at: at(NOON),
      sequence: '1',
      awarded: 2,
      total: 2,
      id: derivedId(eventId, 3),
      system: no('pointsSystems', 'energy'),
      trigger: outcome.points[1]!.awards[0]!.trigger,
      n: 3,
      boosts: null,
      reward: null,
    });
    expect(await rowsOf('completed_achievements')).toEqual([
      { ...written, achievement: no('achievements', 'two'), completed_at: at(NOON) },
    ]);
    expect(await rowsOf('streak_extensions')).toEqual([
      {
        ...written,
        frequency: 'daily',
        period: outcome.day,
        length: 1,
        extended_at: at(NOON),
        made_good_by: null,
      },
    ]);
    const change = {
      ...written,
      rank: 1,
      value: 2.5,
      previous_rank: null,
      previous_value: 0,
      changed_at: at(NOON),
      first_sequence: '1',
      last_sequence: '1',
    };
    expect(await rowsOf('leaderboard_changes', 'leaderboard')).toEqual([
      {
        ...change,
        leaderboard: no('leaderboards', 'weekly'),
        run_start: day('2026-11-16'),
        ranking_group: '',
      },
      {
        ...change,
        leaderboard: no('leaderboards', 'city'),
        run_start: day('2026-11-01'),
        ranking_group: '6:london',
      },
    ]);
    expect(await rowsOf('dead_entries')).toEqual([]);
  });

  test('holds recorded events only', async () => {
    const statuses = await Promise.all([
      relaying.engine.record('lessons', { user: { id: 'ann' }, value: 1 }, 'key'),
      relaying.engine.record('lessons', { user: { id: 'ann' }, value: 1 }, 'key'),
      relaying.engine.record('lessons', { user: { id: 'bo', subscribeToEmails: true }, value: 1 }),
      relaying.engine.record('minutes', { user: { id: 'cy' }, value: 7 }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual(['recorded', 'replayed', 'noEmail', 'recorded']);
    await drain();
    const events = await rowsOf('event_history', 'user_id');
    expect(events.map(({ user_id, value }) => [user_id, value])).toEqual([
      ['ann', 1],
      ['cy', 7],
    ]);
  });

  test('takes many small entries of many tenants in one transaction', async () => {
    for (let i = 0; i < 400; i++) await record(`user-${i}`);
    const relay = relaying.createRelay();
    expect(await relay.runOnce()).toBe(400);
    const { rows } = await relaying.pool.query(
      'select distinct event.xmin::text from recorded_events event join user_numbers on no = user_no where tenant = $1',
      [relaying.engine.tenant],
    );
    expect(rows).toHaveLength(1);
  });

  test('takes what comes shortly after a batch in one transaction, as soon as somebody waits for it', async () => {
    const { redis, cells, tenant } = relaying.engine;
    const scripts = new Scripts(redis, cells);
    let attempt = 0;
    // A reader of another test file, too, can end the pause, between two of the events.
    await until(async () => {
      const suffix = `-${++attempt}`;
      const relay = relaying.createRelay({ pauseMs: 600_000 });
      relay.start();
      try {
        await record(`first${suffix}`);
        await until(relaying.isDrained);
        for (const user of ['ann', 'bo', 'cy']) await record(user + suffix);
        expect(await relaying.isDrained()).toBe(false);
        await waitForRelay(scripts, allCells(cells), 10_000);
        await record(`last${suffix}`);
        await waitForRelay(scripts, allCells(cells), 10_000);
      } finally {
        await relay.stop();
      }
      const { rows } = await relaying.pool.query(
        `select array_agg(user_id order by user_id) as users
         from recorded_events event join user_numbers on no = user_no
         where tenant = $1 and user_id like '%' || $2 group by event.xmin::text order by 1`,
        [tenant, suffix],
      );
      const users = rows.map((row) => row.users.map((user: string) => user.replace(suffix, '')));
      expect(users).toEqual([['ann', 'bo', 'cy'], ['first'], ['last']]);
      return true;
    });
  });

  test('holds the days of a user who is erased and comes back on the same day', async () => {
    const relay = relaying.createRelay();
    const days = () => rowsOf('user_activity', 'user_id, metric');
    await record('ann');
    await record('bo');
    await drain(relay);
    const before = await days();
    expect(before).toHaveLength(4);
    const user = { tenant: relaying.engine.tenant, userId: 'ann' };
    await transaction(relaying.pool, (client) => deleteUserRows(client, user, pack('ann')));
    expect(await days()).toHaveLength(2);
    await record('ann');
    await record('bo');
    await drain(relay);
    expect(await days()).toEqual(before);
  });

  test('holds awards under the ids of the responses', async () => {
    const event = await record('ann', 1, 'key');
    const completion = await relaying.engine.users.complete(relaying.engine.rules(), 'ann', {}, 'profile');
    const identified = await relaying.engine.users.identify(relaying.engine.rules(), 'bo', { name: 'Bo' });
    await drain();

    const rules = relaying.engine.rules();
    const date = new Date(NOON).toISOString();
    const { eventId } = idempotencyIdentity(relaying.engine.tenant, 'ann', no('metrics', 'lessons'), 'key');
    const shownId = completionId(relaying.engine.tenant, 'ann', no('achievements', 'profile'), NOON);
    const shown = [
      ...Object.values(JSON.parse(pointsJson(rules, event.points, eventId, date))),
      ...Object.values(JSON.parse(pointsJson(rules, recorded(completion.outcome).points, shownId, date))),
    ].flatMap((system) => (system as { awards: { id: string; awarded: number }[] }).awards);
    const stored = await rowsOf(
      "(select * from award_history where user_id = 'ann') as award",
      'sequence, n',
    );
    expect(stored.map(({ id, awarded }) => ({ id, awarded }))).toEqual(
      shown.map(({ id, awarded }) => ({ id, awarded })),
    );
    expect(stored).toHaveLength(4);

    // Nobody is shown these; they have ids all the same.
    expect(recorded(identified.outcome).isNew).toBe(true);
    const unseen = await rowsOf("(select * from award_history where user_id = 'bo') as award");
    expect(unseen).toMatchObject([{ awarded: 10, id: expect.stringMatching(/^[\da-f-]{36}$/) }]);
  });

  test('holds the first and last rank of a day on a leaderboard', async () => {
    const ann = { id: 'ann', attributes: { city: 'london' } };
    await record('bo', 2);
    await record(ann, 1);
    await drain();
    relaying.engine.clock.set(NOON + 1_000);
    await record('ann', 1);
    relaying.engine.clock.set(NOON + 2_000);
    await record('ann', 1);
    await drain();
    relaying.engine.clock.set(NOON + 86_400_000);
    await record('ann', 1);
    await drain();

    const weekly = no('leaderboards', 'weekly');
    const days = await rowsOf(
      `(select * from leaderboard_changes where user_id = 'ann' and leaderboard = ${weekly}) as change`,
      'local_date',
    );
    expect(days).toMatchObject([
      { previous_rank: null, previous_value: 0, rank: 1, value: 3, changed_at: at(NOON + 2_000) },
      { previous_rank: 1, previous_value: 3, rank: 1, value: 4, changed_at: at(NOON + 86_400_000) },
    ]);
  });
});

describe('views', () => {
  test('show keys and names in place of numbers', async () => {
    const { metrics, pointsSystems, achievements, leaderboards } = relaying.engine.rules().config;
    for (const [kind, list] of Object.entries({ metrics, pointsSystems, achievements, leaderboards })) {
      for (const { id, no, key, created, updated, ...body } of list) {
        await relaying.pool.query(
          `insert into entities (tenant, kind, id, no, key, body, created, updated) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [relaying.engine.tenant, kind, id, no, key, body, created, updated],
        );
      }
    }
    try {
      await record('ann', 1);
      await record('bo', 4);
      await record('ann', 2.5);
      relaying.engine.clock.set('2026-11-19T12:00:00Z');
      await record('ann', 1);
      await drain();

      const daily = { user_id: 'ann', metric: 'lessons' };
      expect(await rowsOf('metric_totals_daily', 'user_id, local_date')).toMatchObject([
        { ...daily, local_date: day('2026-11-18'), events: '2', change: 3.5, total: 3.5 },
        { ...daily, local_date: day('2026-11-19'), events: '1', change: 1, total: 4.5 },
        { user_id: 'bo', change: 4 },
      ]);
      const xp = await rowsOf(
        `(select * from points_totals_daily where points_system = 'xp' and user_id = 'ann') as points`,
        'local_date',
      );
      expect(xp).toMatchObject([
        { awards: '3', change: 70, total: 70 },
        { awards: '1', change: 20, total: 90 },
      ]);
      expect(await rowsOf('achievement_completions', 'user_id')).toMatchObject([
        { user_id: 'ann', achievement: 'two', achievement_name: 'Two', completed_at: at(NOON) },
        { user_id: 'bo', achievement: 'two' },
      ]);
      expect(await rowsOf('streak_periods', 'user_id, period_start')).toMatchObject([
        {
          user_id: 'ann',
          frequency: 'daily',
          period_start: day('2026-11-18'),
          period_end: day('2026-11-18'),
          length: 1,
        },
        { user_id: 'ann', length: 2 },
        { user_id: 'bo', length: 1 },
      ]);
      expect(await rowsOf('leaderboard_rankings', 'rank')).toMatchObject([
        { leaderboard: 'weekly', run_start: day('2026-11-16'), rank: 1, user_id: 'ann', value: 4.5 },
        { leaderboard: 'weekly', rank: 2, user_id: 'bo', value: 4 },
      ]);
    } finally {
      await relaying.pool.query('delete from entities where tenant = $1', [relaying.engine.tenant]);
    }
  });

  test.each([
    ['weekly', '2026-11-16', '2026-11-22'],
    ['monthly', '2026-11-01', '2026-11-30'],
  ])('a %s streak has the dates of its periods', async (frequency, start, end) => {
    await relaying.engine.configure({ streak: { ...CONFIG.streak, frequency } });
    await relaying.engine.rulesStore.load(relaying.engine.tenant);
    await record('ann');
    await drain();
    expect(await rowsOf('streak_periods')).toMatchObject([
      { frequency, period_start: day(start), period_end: day(end), length: 1 },
    ]);
  });
});
