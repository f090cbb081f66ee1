import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type { EventRequest } from '../../src/contract/event.ts';
import { createEngine as createParts } from '../../src/engine/engine.ts';
import { decodeUserState } from '../../src/redis/decoding/userState.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { TICKET } from '../../src/redis/lua/scriptConstants.ts';
import { readFirstMembers } from '../../src/redis/state/mergedMembers.ts';
import { rankedUsersOf } from '../../src/redis/state/rankingEntries.ts';
import { type Chronicle, createChronicle } from '../support/chronicle.ts';
import { createEngine, type Engine } from '../support/engine.ts';
import { DAILY, metricBoard, xpBoard } from '../support/items.ts';
import { livesConfig } from '../support/livesConfig.ts';
import { Model } from '../support/model.ts';
import { userStateOf } from '../support/modelUser.ts';
import { Random, readSeed } from '../support/random.ts';

/**
 * A stretch of many users' lives, day by day, against the plain model: streaks, freezes, points, runs,
 * winners, and what the history adds up to. A whole year of 1,000 users takes half an hour on two busy cores:
 * LAUREL_YEAR_USERS=1000 LAUREL_YEAR_DAYS=365 npx vitest run test/engine/year.slow.test.ts
 */
const USERS = Number(process.env.LAUREL_YEAR_USERS ?? 30);
const DAYS = Number(process.env.LAUREL_YEAR_DAYS ?? 21);
const SEED = readSeed('year', 20_261_118);
const DAY_MS = 86_400_000;
/**
 * Mondays on which a stretch begins: before the clocks go back in Europe, and before a leap day, after which
 * they go forward in America.
 */
const [AUTUMN, SPRING] = ['2026-10-05', '2028-02-21'].map((date) => Date.parse(`${date}T00:00:00Z`)) as [
  number,
  number,
];
const dateAfter = (start: number, days: number): string =>
  new Date(start + days * DAY_MS).toISOString().slice(0, 10);
const ZONES =
  `Pacific/Kiritimati Pacific/Auckland Pacific/Chatham Australia/Lord_Howe Australia/Adelaide Asia/Tokyo
  Asia/Shanghai Asia/Kathmandu Asia/Kolkata Asia/Tehran Asia/Dubai Europe/Moscow Europe/Istanbul Africa/Nairobi Europe/Berlin
  Africa/Lagos Europe/London Africa/Casablanca Atlantic/Azores America/Sao_Paulo America/St_Johns America/New_York America/Bogota
  America/Chicago America/Denver America/Los_Angeles America/Anchorage Pacific/Marquesas Pacific/Honolulu Pacific/Pago_Pago`.split(
    /\s+/,
  );

const TEAMS = ['red', 'blue', 'green'];

const configOf = (start: number) =>
  livesConfig({
    daysOff: [0],
    achievements: [1, 2, 3, 4].map((years) => ({
      key: `year-${years}`,
      name: 'Anniversary',
      trigger: 'anniversary',
      anniversaryYears: years,
    })),
    freezes: { startCount: 1, maxCount: 3, autoEarnInterval: 6, autoEarnAmount: 1 },
    boost: { start: dateAfter(start, 5), end: dateAfter(start, 7) },
    leaderboards: [
      metricBoard('month', { runUnit: 'month', runInterval: 1, start: '2026-08-31' }),
      metricBoard('sprint', { start: dateAfter(start, 3), end: dateAfter(start, 7), maxParticipants: 10 }),
      // Runs of one day, in which there is room for five.
      metricBoard('days', {
        ...DAILY,
        start: dateAfter(start, 0),
        end: dateAfter(start, 7),
        maxParticipants: 5,
      }),
      metricBoard('fewest', {
        sortOrder: 'asc',
        aggregation: 'best',
        runUnit: 'day',
        runInterval: 2,
        start: dateAfter(start, 1),
        end: dateAfter(start, 8),
        maxParticipants: 6,
      }),
      metricBoard('latest', {
        aggregation: 'latest',
        ties: 'shared',
        ...DAILY,
        start: dateAfter(start, 2),
        end: dateAfter(start, 6),
      }),
      metricBoard('teams', {
        breakdownAttributes: ['team'],
        runUnit: 'day',
        runInterval: 3,
        start: dateAfter(start, 1),
        end: dateAfter(start, 11),
      }),
      xpBoard('match', {
        breakdownAttributes: ['team'],
        start: dateAfter(start, 3),
        end: dateAfter(start, 7),
      }),
      {
        key: 'flames',
        name: 'Flames',
        rankBy: 'streak',
        start: dateAfter(start, 2),
        end: dateAfter(start, 10),
      },
    ],
  });

interface Happening {
  at: number;
  request: EventRequest;
}

/** A date one to four years before a day of the stretch. */
function signUpBefore(random: Random, start: number): string {
  const [year, rest] = [0, 5].map((at) => dateAfter(start, random.int(0, DAYS - 1)).slice(at)) as [
    string,
    string,
  ];
  const years = rest === '02-29' ? 4 : random.int(1, 4);
  return `${Number(year.slice(0, 4)) - years}-${rest}`;
}

/** What the users do on a day: most are steady, some come seldom, a few travel. */
function happenings(random: Random, start: number, day: number): Happening[] {
  const list: Happening[] = [];
  for (let i = 0; i < USERS; i++) {
    const steadiness = [0.97, 0.9, 0.6, 0.2][i % 4]!;
    if (!random.chance(steadiness)) continue;
    const travels = day === 0 || random.chance(0.01);
    const tz = day === 0 ? ZONES[i % ZONES.length]! : random.pick(ZONES);
    const joins = day === 0 || random.chance(0.1);
    const attributes = { team: random.pick(TEAMS) };
    const signUpDate = day === 0 ? signUpBefore(random, start) : undefined;
    const user = {
      id: `user-${i}`,
      ...(travels && { tz }),
      ...(joins && { attributes }),
      ...(signUpDate && { signUpDate }),
    };
    list.push({
      at: start + day * DAY_MS + random.int(0, DAY_MS - 1),
      request: { user, value: random.int(1, 2) },
    });
  }
  return list.sort((a, b) => a.at - b.at);
}

const engines: Engine[] = [];
const chronicles: Chronicle[] = [];
afterEach(async () => {
  await Promise.all(chronicles.splice(0).map((chronicle) => chronicle.close()));
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function begin(start: number): Promise<Engine> {
  const engine = await createEngine(configOf(start), new Date(start).toISOString());
  engines.push(engine);
  return engine;
}

/** Who is settled before whom of those due at the same instant; sorted when there is somebody new. */
function sweepOrder(): (model: Model) => readonly string[] {
  let sorted: string[] = [];
  return ({ users }) => {
    if (sorted.length !== users.size) {
      const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
      sorted = [...users.keys()].sort(compare);
    }
    return sorted;
  };
}

/** Users as they are, and the rankings; tickets and the instants of the next steps aside. */
async function stateOf(engine: Engine): Promise<Record<string, unknown>> {
  const { redis, tenant } = engine;
  const state: Record<string, unknown> = {};
  for (let i = 0; i < USERS; i++) {
    const userId = `user-${i}`;
    const key = keys.user(tenant, engine.cellOf(userId), userId);
    const [hot, cold] = await redis.hmgetBuffer(key, 'h', 'c');
    if (!hot || !cold) continue;
    const {
      boards,
      formerPlaces,
      due,
      freezeDay,
      settledDay,
      activeDay,
      sequence,
      created,
      updated,
      ...rest
    } = decodeUserState(hot, cold);
    for (const streak of Object.values(rest.streaks)) streak.extendedAt = 0;
    // What is over of the frequencies that are not in force may be cleared away sooner or later.
    state[userId] = { ...rest, streaks: rest.streaks.daily };
  }
  for (const name of await engine.rankingNames()) {
    const sets = engine.rankingKeys(name).map((key) => redis.zrange(key, '0', '-1', 'WITHSCORES'));
    const flat = (await Promise.all(sets)).flat();
    const places = flat
      .filter((_, i) => i % 2 === 0)
      .map((member, i) => `${member.slice(TICKET.size)} ${flat[2 * i + 1]}`);
    state[name] = places.sort();
  }
  return state;
}

async function compareUsers({ redis, tenant, cellOf }: Engine, model: Model, when: string): Promise<void> {
  for (const [userId, expected] of model.users) {
    const [hot, cold] = await redis.hmgetBuffer(keys.user(tenant, cellOf(userId), userId), 'h', 'c');
    const user = decodeUserState(hot!, cold!);
    const { version, boards, due, freezeDay, settledDay, activeDay, recentPeriods, marks, ...others } = user;
    const { recordedFrom, keepsHistory, boosts, formerPlaces, ...state } = others;
    const should = userStateOf(expected, model.config);
    for (const frequency of ['weekly', 'monthly'] as const)
      state.streaks[frequency] = should.streaks[frequency];
    if (!isDeepStrictEqual(state, should)) expect(state, `${userId} ${when}`).toEqual(should);
  }
}

/** @param most the last rank */
function placesIn({ rankings, config }: Model, name: string, most = Infinity): string[] {
  const board = config.leaderboards.find(({ no }) => no === Number(name.split(':')[0]))!;
  const places = rankings.final.get(name) ?? rankings.ranking(name);
  const rankOf = (value: number, i: number): number =>
    board.ties === 'shared' ? places.findIndex((place) => place.value === value) + 1 : i + 1;
  return places
    .filter(({ value }, i) => rankOf(value, i) <= most)
    .map(({ userId, value }) => `${userId} ${value}`);
}

async function rankingIn({ redis, rankingKeys, rules }: Engine, name: string): Promise<string[]> {
  const board = rules().byNo('leaderboards', Number(name.split(':')[0]));
  const members = await readFirstMembers(redis, rankingKeys(name), 1_000);
  return rankedUsersOf(board, members).map(({ userId, value }) => `${userId} ${value}`);
}

/**
 * Places `user value` as they are compared. If the tenant is spread, users of different cells with equal
 * scores of one millisecond are in any order, and the last rank may have any of those with its score.
 */
function comparable({ cells }: Engine, places: readonly string[]): readonly string[] {
  if (cells.spread === 1) return places;
  const pairs = places.map((place) => place.split(' ') as [string, string]);
  const last = pairs.at(-1)?.[1];
  const shown = pairs.map(([userId, value]) => `${value} ${value === last ? '' : userId}`);
  return pairs.map(([, value]) => value).concat(shown.sort());
}

/** The rankings of runs that are over, and who won. */
async function compareFinal(
  engine: Engine,
  chronicle: Chronicle,
  model: Model,
  names: string[],
): Promise<void> {
  if (names.length === 0) return;
  for (const [view, number, most] of [
    ['leaderboard_places', 'leaderboard', Number.POSITIVE_INFINITY],
    ['leaderboard_winners', 'leaderboard_no', 3],
  ] as const) {
    const rows = await chronicle.query<{ name: string; places: string[] }>(
      `with place as (
         select ${number} || ':' || (run_start - date '1970-01-01') || ':' || ranking_group as name,
           place, user_id || ' ' || value as shown
         from ${view} where tenant = $1)
       select name, array_agg(shown order by place) as places from place where name = any ($2) group by name`,
      names,
    );
    const found = rows.map(({ name, places }) => [name, comparable(engine, places)]);
    const expected = names.map((name) => [name, comparable(engine, placesIn(model, name, most))]);
    expect(Object.fromEntries(found), view).toEqual(Object.fromEntries(expected));
  }
}

/** What the history adds up to. */
async function compareTotals(chronicle: Chronicle, model: Model): Promise<void> {
  const sums = async (table: string, value: string, no: string): Promise<Record<string, number>> => {
    const rows = await chronicle.query<{ name: string; sum: number }>(
      `select user_id || ' ' || ${no} as name, sum(${value}) as sum from ${table} where tenant = $1 group by 1`,
    );
    return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
  };
  const [lessons, points]: Record<string, number>[] = [{}, {}];
  for (const [id, user] of model.users) {
    lessons![`${id} 1`] = user.events.reduce((sum, { value }) => sum + value, 0);
    for (const { id: systemId, no } of model.config.pointsSystems)
      points![`${id} ${no}`] = user.points.get(systemId) ?? 0;
  }
  expect(await sums('event_history', 'value', 'metric')).toEqual(lessons);
  expect(await sums('award_history', 'awarded', 'system')).toEqual(points);
}

describe(`${DAYS} days of ${USERS} users in ${ZONES.length} zones, seed ${SEED}`, () => {
  test.each([AUTUMN, SPRING])(
    'come out as the model says, day by day from %d',
    { timeout: 180_000 + DAYS * USERS * 60 },
    async (start) => {
      const engine = await begin(start);
      const chronicle = await createChronicle(engine, configOf(start));
      chronicles.push(chronicle);
      const model = new Model(engine.rules().config);
      const random = new Random(SEED);
      const order = sweepOrder();
      const moveTo = async (instant: number): Promise<void> => {
        await engine.sweep.run(instant);
        model.settleAll(order(model), instant);
        engine.clock.set(instant);
      };
      /** At noon the dates of the last zone are over. */
      const passNoon = async (noon: number): Promise<void> => {
        await moveTo(noon);
        await chronicle.advance(noon);
        const final = model.finalize(noon);
        await compareFinal(engine, chronicle, model, final);
        for (const name of final)
          expect(await rankingIn(engine, name), `${name}, which is final`).toEqual([]);
      };
      for (let day = 0; day < DAYS; day++) {
        const noon = start + (day + 0.5) * DAY_MS;
        const today = happenings(random, start, day);
        const afternoon = today.findIndex(({ at }) => at >= noon);
        for (const [i, { at, request }] of today.entries()) {
          if (i === afternoon) await passNoon(noon);
          await moveTo(at);
          const outcome = await engine.record('lessons', request);
          const expected = model.record('lessons', request, null, at);
          // Ranks among the users of other cells are known only to a second. Rankings are compared below.
          const open = engine.cells.spread === 1 ? {} : { boards: [], sequence: 0 };
          const [found, wanted] = [
            { ...outcome, ...open },
            { ...expected, ...open },
          ];
          if (!isDeepStrictEqual(found, wanted)) expect(found, `${request.user.id} at ${at}`).toEqual(wanted);
        }
        await moveTo(start + (day + 1) * DAY_MS);
        await compareUsers(engine, model, `after day ${day}`);
        for (const name of [...model.rankings.changed].filter(
          (changed) => !model.rankings.final.has(changed),
        ))
          expect(comparable(engine, await rankingIn(engine, name)), `${name} after day ${day}`).toEqual(
            comparable(engine, placesIn(model, name)),
          );
        model.rankings.changed.clear();
      }
      await compareTotals(chronicle, model);
      const final = [...model.rankings.final.keys()];
      await compareFinal(engine, chronicle, model, final);
      expect(final.length).toBeGreaterThan(10);
      expect(model.users.size).toBeGreaterThan(USERS * 0.8);
      expect([...model.users.values()].some(({ streaks }) => streaks.daily.length > DAYS / 4)).toBe(true);
      expect([...model.users.values()].some(({ streaks }) => streaks.daily.lostLength > 0)).toBe(true);
      expect([...model.users.values()].some(({ achievements }) => achievements.size > 0)).toBe(true);
    },
  );

  test('are the same when the workers stop for three days, and with two workers', {
    timeout: 180_000 + USERS * 600,
  }, async () => {
    const days = Math.min(DAYS, 12);
    const [steady, stopped, twins] = [await begin(AUTUMN), await begin(AUTUMN), await begin(AUTUMN)];
    const live = async (engine: Engine, sweep: (day: number) => Promise<unknown>): Promise<unknown> => {
      const random = new Random(SEED);
      for (let day = 0; day < days; day++) {
        for (const { at, request } of happenings(random, AUTUMN, day)) {
          engine.clock.set(at);
          await engine.record('lessons', request);
        }
        engine.clock.set(AUTUMN + (day + 1) * DAY_MS);
        await sweep(day);
      }
      return stateOf(engine);
    };
    const run = ({ sweep, clock }: Engine) => sweep.run(clock.now());
    const expected = await live(steady, () => run(steady));
    const late = await live(stopped, async (day) => {
      if (day < 4 || day > 6) await run(stopped);
    });
    expect(late).toEqual(expected);

    const other = createParts(twins).sweep;
    const both = await live(twins, () => Promise.all([run(twins), other.run(twins.clock.now())]));
    expect(both).toEqual(expected);
  });
});
