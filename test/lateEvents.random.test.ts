import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { TICKET } from '../src/redis/scripts/scriptConstants.ts';
import { DAY_MS, overEverywhere, runHolding } from '../src/rules/calendar.ts';
import { type HistoricEvent, lateConfig, randomHistories } from './support/lateHistories.ts';
import { Random, readSeed } from './support/random.ts';
import { useRelaying } from './support/relaying.ts';

/**
 * Random histories, once delivered as they happen and without timestamps, and once late, in random order and
 * by three servers: in the end both users must be the same.
 */
const CONFIGURATIONS = 4;
const HISTORIES = Number(process.env.LAUREL_LATE_HISTORIES ?? 40);
const SEED = readSeed('lateEvents.random', 20_261_123);
const START = '2026-11-02T00:00:00Z';
const END = Date.parse(START) + 45 * DAY_MS;

const relaying = useRelaying();

for (let i = 0; i < CONFIGURATIONS; i++) {
  const seed = SEED + i;
  test(`late events have the effects of events in time, seed ${seed}`, { timeout: 600_000 }, async () => {
    const random = new Random(seed);
    const { engine } = relaying;
    const config = lateConfig(random, START);
    engine.clock.set(START);
    await engine.configure(config);
    const relay = relaying.createRelay();
    relay.start();
    const servers = [engine, await engine.server(), await engine.server()];
    const histories = randomHistories(random, START, Math.ceil(HISTORIES / CONFIGURATIONS));
    const send = (event: HistoricEvent, isLate: boolean, server: (typeof servers)[number]) =>
      server.record(event.metric, {
        user: { id: `${isLate ? 'late' : 'plain'}-${event.user}`, tz: event.tz },
        value: event.value,
        attributes: event.attributes,
        ...(isLate && event.arrivesAt > event.at && { timestamp: new Date(event.at).toISOString() }),
      });
    const actions = histories.flatMap((event) => [
      { now: event.at, act: () => send(event, false, engine) },
      { now: event.arrivesAt, act: () => send(event, true, random.pick(servers)) },
    ]);
    const byInstant = new Map<number, (() => Promise<unknown>)[]>();
    for (const { now, act } of actions) byInstant.set(now, [...(byInstant.get(now) ?? []), act]);
    for (const now of [...byInstant.keys()].sort((a, b) => a - b)) {
      engine.clock.set(now);
      await Promise.all(byInstant.get(now)!.map((act) => act()));
    }
    engine.clock.set(Math.max(END, ...byInstant.keys()));
    const faults: string[] = [];
    const seen = new Set(histories.map(({ user }) => user));
    // Both are settled first, and what that changes is in the history.
    const ids = [...seen].flatMap((user) => [`plain-${user}`, `late-${user}`]);
    await Promise.all(ids.map((id) => engine.users.read(engine.rules(), id)));
    await expect.poll(relaying.isDrained, { timeout: 20_000 }).toBe(true);
    const scores = await readScores();
    for (const user of seen) {
      const [plain, late] = await Promise.all(
        [`plain-${user}`, `late-${user}`].map(async (id) => ({
          ...(await standing(id)),
          scores: scores.get(id),
        })),
      );
      if (!isDeepStrictEqual(late, plain)) faults.push(`${user}: ${JSON.stringify({ late, plain })}`);
    }
    expect(faults.slice(0, 3).join('\n'), `${faults.length} of ${seen.size} users differ`).toBe('');
  });
}

/** What must not depend on the order of arrival. */
async function standing(userId: string): Promise<Record<string, unknown>> {
  const { engine } = relaying;
  const rules = engine.rules();
  const { user } = await engine.users.read(rules, userId);
  const { frequency } = rules.config.streak;
  const { length, lastPeriod, firstDay } = user.streaks[frequency];
  return {
    counters: Object.fromEntries(user.counters),
    points: Object.fromEntries(user.points),
    achievements: [...user.achievements.keys()].sort(),
    streak: length === 0 ? 0 : [length, lastPeriod, frequency === 'daily' && firstDay],
    freezes: user.freezes,
    periods: await rowsOf(userId, 'streak_extensions', ['period', 'length', 'made_good_by']),
    losses: await rowsOf(userId, 'streak_losses', ['period', 'length']),
  };
}

/** Rows of the history of a user. */
async function rowsOf(userId: string, table: string, columns: string[]): Promise<unknown[]> {
  const { rows } = await relaying.pool.query(
    `select ${columns.join(', ')} from ${table} where tenant = $1 and user_id = $2 order by period`,
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
    if (end !== null && overEverywhere(end) <= engine.clock.now()) continue;
    for (const key of engine.rankingKeys(name)) {
      const flat = await engine.redis.zrange(key, '0', '-1', 'WITHSCORES');
      for (let i = 0; i < flat.length; i += 2) {
        const userId = flat[i]!.slice(TICKET.size);
        scores.set(userId, { ...scores.get(userId), [`${board.key} ${run}`]: flat[i + 1]! });
      }
    }
  }
  return scores;
}
