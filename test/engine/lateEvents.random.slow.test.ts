import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import type { StreakAmendment } from '../../src/engine/users/userChangeRecords.ts';
import { TICKET } from '../../src/redis/lua/scriptConstants.ts';
import { DAY_MS, localTime, periodOfDay, runHolding } from '../../src/rules/calendar.ts';
import { finalAt } from '../../src/rules/runZones.ts';
import {
  type HistoricEvent,
  type HistoricOperation,
  lateConfig,
  randomHistories,
} from '../support/lateHistories.ts';
import { Random, readSeed } from '../support/random.ts';
import { useRelaying } from '../support/relaying.ts';

/**
 * Random histories, once delivered as they happen and without timestamps, and once late, in random order and
 * by one server or three: in the end both users must be the same.
 */
const HISTORIES = Number(process.env.LAUREL_LATE_HISTORIES ?? 28);
const CONFIGURATIONS = Math.max(4, Math.ceil(HISTORIES / 50));
/** Of the instants at which late events arrive. */
const COMPARED_SHARE = 0.25;
const SEED = readSeed('lateEvents.random', 20_261_123);
const START = '2026-11-02T00:00:00Z';
const END = Date.parse(START) + 45 * DAY_MS;

const relaying = useRelaying();

for (let i = 0; i < CONFIGURATIONS; i++) {
  const seed = SEED + i;
  const [isOne, by] = i % 2 === 0 ? [true, 'one server'] : [false, 'three servers'];
  const title = `late events by ${by} have the effects of events in time, seed ${seed}`;
  test(title, { timeout: 600_000 }, async () => {
    const random = new Random(seed);
    const { engine } = relaying;
    const config = lateConfig(random, START);
    engine.clock.set(START);
    await engine.configure(config);
    const relay = relaying.createRelay();
    relay.start();
    const servers = isOne ? [engine] : [engine, await engine.server(), await engine.server()];
    const { events, operations, moves } = randomHistories(
      random,
      START,
      Math.ceil(HISTORIES / CONFIGURATIONS),
    );
    const send = (event: HistoricEvent, isLate: boolean, server: (typeof servers)[number]) =>
      server.record(event.metric, {
        user: { id: `${isLate ? 'late' : 'plain'}-${event.user}`, tz: event.tz },
        value: event.value,
        attributes: event.attributes,
        ...(isLate && event.arrivesAt > event.at && { timestamp: new Date(event.at).toISOString() }),
      });
    const byInstant = new Map<number, (() => Promise<unknown>)[]>();
    const plan = (now: number, act: () => Promise<unknown>) =>
      byInstant.set(now, [...(byInstant.get(now) ?? []), act]);
    for (const event of events) {
      plan(event.at, () => send(event, false, engine));
      plan(event.arrivesAt, () => send(event, true, random.pick(servers)));
    }
    for (const operation of operations) plan(operation.at, () => amend(operation));
    for (const { user, tz, city, at } of moves)
      for (const id of [`plain-${user}`, `late-${user}`])
        plan(at, () => engine.users.identify(engine.rules(), id, { tz, attributes: { city } }));
    const users = [...new Set(events.map(({ user }) => user))];
    for (const now of [...byInstant.keys()].sort((a, b) => a - b)) {
      engine.clock.set(now);
      await Promise.all(byInstant.get(now)!.map((act) => act()));
      if (random.chance(COMPARED_SHARE)) await compare(haveAllArrived(events, now));
    }
    engine.clock.set(Math.max(END, ...byInstant.keys()));
    await compare(users);
  });
}

/** Users of whom a late event arrives now, and of whom all events so far have arrived. */
function haveAllArrived(events: readonly HistoricEvent[], now: number): number[] {
  const arriving = new Set(
    events.filter(({ at, arrivesAt }) => at < now && arrivesAt === now).map(({ user }) => user),
  );
  for (const { user, at, arrivesAt } of events) if (at <= now && now < arrivesAt) arriving.delete(user);
  return [...arriving];
}

/** Compares what the users are now. */
async function compare(users: readonly number[]): Promise<void> {
  const { engine } = relaying;
  if (users.length === 0) return;
  // Both are settled first, and what that changes is in the history.
  const ids = users.flatMap((user) => [`plain-${user}`, `late-${user}`]);
  await Promise.all(ids.map((id) => engine.users.read(engine.rules(), id)));
  await expect.poll(relaying.isDrained).toBe(true);
  const scores = await readScores();
  const faults: string[] = [];
  for (const user of users) {
    const [plain, late] = await Promise.all(
      [`plain-${user}`, `late-${user}`].map(async (id) => ({
        ...(await standing(id)),
        scores: scores.get(id),
      })),
    );
    if (!isDeepStrictEqual(late, plain)) faults.push(`${user}: ${JSON.stringify({ late, plain })}`);
  }
  expect(faults.slice(0, 3).join('\n'), `${faults.length} of ${users.length} users differ`).toBe('');
}

/** Does what an administrator does to both users, unless it is impossible. */
async function amend({ user, op, tz, at, days }: HistoricOperation): Promise<void> {
  const { engine } = relaying;
  const rules = engine.rules();
  const { frequency } = rules.config.streak;
  const ids = [`plain-${user}`, `late-${user}`];
  if (op === 'restore') {
    const users = await Promise.all(ids.map((id) => engine.users.read(rules, id)));
    // A streak that was lost before a repaired one cannot be restored.
    if (users.some((known) => known.user.streaks[frequency].lostLength === 0)) return;
    await expect.poll(relaying.isDrained).toBe(true);
  }
  const { day } = localTime(tz, at);
  for (const userId of ids) {
    const amendment: StreakAmendment =
      op === 'pause' ? { op, id: `${at}`, start: day, end: day + days - 1 } : { op };
    await engine.users.amendStreak(rules, userId, amendment).catch((error) => {
      if (!(error instanceof ServiceError)) throw error;
    });
  }
}

/** What must not depend on the order of arrival. */
async function standing(userId: string): Promise<Record<string, unknown>> {
  const { engine } = relaying;
  const rules = engine.rules();
  const { user } = await engine.users.read(rules, userId);
  const { frequency } = rules.config.streak;
  const { length, lastPeriod, firstDay } = user.streaks[frequency];
  // Rankings of streaks are read from the standings.
  expect((await historyOf(userId, 'streak_standings', ['length']))[0] ?? [0], userId).toEqual([length]);
  return {
    counters: Object.fromEntries(user.counters),
    points: Object.fromEntries(user.points),
    achievements: [...user.achievements.keys()].sort(),
    streak: length === 0 ? 0 : [length, lastPeriod, periodOfDay(frequency, firstDay)],
    freezes: user.freezes,
    periods: await historyOf(userId, 'streak_extensions', ['period', 'length', 'made_good_by']),
    losses: await historyOf(userId, 'streak_losses', ['period', 'length']),
    earned: await historyOf(userId, 'earned_freezes', ['earned_at', 'freezes']),
  };
}

/** Rows of the history of a user. */
async function historyOf(userId: string, table: string, columns: string[]): Promise<unknown[]> {
  const { rows } = await relaying.pool.query(
    `select ${columns.join(', ')} from ${table} where tenant = $1 and user_id = $2 order by 1`,
    [relaying.engine.tenant, userId],
  );
  return rows.map((row) => Object.values(row));
}

/** Scores in the runs that are not final, by user. */
async function readScores(): Promise<Map<string, Record<string, string>>> {
  const { engine } = relaying;
  const scores = new Map<string, Record<string, string>>();
  for (const name of await engine.rankingNames()) {
    const [no, run] = name.split(':').map(Number) as [number, number];
    const board = engine.rules().byNo('leaderboards', no);
    const { end } = runHolding(board, run)!;
    const { defaultTimeZone } = engine.rules().config.settings;
    if (end !== null && finalAt(board, defaultTimeZone, end) <= engine.clock.now()) continue;
    for (const key of engine.rankingKeys(name)) {
      const flat = await engine.redis.zrange(key, '0', '-1', 'WITHSCORES');
      for (let i = 0; i < flat.length; i += 2) {
        const userId = flat[i]!.slice(TICKET.size);
        scores.set(userId, { ...scores.get(userId), [`${board.key} ${name}`]: flat[i + 1]! });
      }
    }
  }
  return scores;
}
