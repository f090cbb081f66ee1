import { isDeepStrictEqual } from 'node:util';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import type { LeaderboardRanking } from '../../src/contract/leaderboard.ts';
import { publishRules } from '../../src/engine/calls/rulesStore.ts';
import { refusalOf } from '../../src/engine/calls/userRefusals.ts';
import { leagueResult, rewardsByTier } from '../../src/engine/leaderboards/leagueRuns.ts';
import { isShownOn, rankAmong } from '../../src/engine/ranks/rankAmong.ts';
import { readRanking } from '../../src/engine/ranks/readRanking.ts';
import type { ChangedUser } from '../../src/engine/users/userChanges.ts';
import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import { type BoardState, decodeUserState, type UserState } from '../../src/redis/decoding/userState.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { ranksGain } from '../../src/rules/compile/compileLeaderboards.ts';
import type { Config, Leaderboard } from '../../src/rules/config.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import type { LeaderboardPause } from '../../src/rules/leaderboardChanges.ts';
import { hasGroups } from '../../src/rules/leagueTiers.ts';
import { shownValue } from '../../src/rules/rankingOrder.ts';
import { type RankRewards, rewardsOfRank } from '../../src/rules/rewardsOfRank.ts';
import { moveRunEnd } from '../../src/rules/runEnds.ts';
import { firstDayOfRuns } from '../../src/rules/runZones.ts';
import { createEngine, type Engine } from '../support/engine.ts';
import { byName, Model, valueAtFirst } from '../support/model.ts';
import { dateOfRuns, localDate, ordinal, runStart } from '../support/modelCalendar.ts';
import { rankFriends } from '../support/modelFriends.ts';
import { type ModelReward, rewardsOfRanking } from '../support/modelRewards.ts';
import { FREQUENCIES, type ModelUser, userStateOf } from '../support/modelUser.ts';
import { Random, readSeed } from '../support/random.ts';
import { randomConfig } from '../support/randomConfig.ts';
import {
  type EventOperation,
  type Operation,
  type RenameOperation,
  type RewardOperation,
  Traffic,
} from '../support/randomOperations.ts';
import { renameInRedis } from '../support/renaming.ts';

/**
 * Random operations against the scripts and against a plain model of the rules (support/model.ts): after each
 * step both must have answered the same, and hold the same users and rankings.
 */
const CONFIGURATIONS = 6;
const STEPS = Number(process.env.LAUREL_RANDOM_STEPS ?? 500);
const SEED = readSeed('recordEvents.random', 20_261_118);
/**
 * Before daylight saving begins and ends in London, Los Angeles and Lord Howe; at ends of months and years.
 */
const STARTS = [
  '2026-02-27T20:00:00Z',
  '2026-03-27T05:00:00Z',
  '2026-10-01T22:00:00Z',
  '2027-12-28T11:00:00Z',
];
const ALL_RANKINGS_EVERY_STEPS = 250;
const FRIENDS_EVERY_STEPS = 4;
/** Runs stay open, so no ranking is read from the history. */
const noHistory = () => Promise.reject(new Error('there is no history'));
const NO_HISTORY = { read: noHistory, final: { query: noHistory } };

for (let i = 0; i < CONFIGURATIONS; i++) {
  const seed = SEED + i;
  // Each configuration has a seed of its own, so that LAUREL_SEED=<that> makes it the first one.
  test(`random operations have the effects of the model, seed ${seed}`, {
    timeout: 180_000 + 60 * STEPS,
  }, async () => {
    const random = new Random(seed);
    const start = random.pick(STARTS);
    const config = randomConfig(random, DateTime.fromISO(start, { zone: 'utc' }));
    const engine = await createEngine(config, start);
    try {
      const comparison = new Comparison(engine, seed);
      await comparison.run(new Traffic(random), Math.ceil(STEPS / CONFIGURATIONS));
    } finally {
      await engine.close();
    }
  });
}

type Entries = readonly (Omit<LeaderboardRanking, 'rank'> & { rank: number | null })[];

const same = (entries: Entries): unknown => entries;

/**
 * Users of different cells who reach a value in the same millisecond are in the order of their cells. So the
 * last rank may have any of those with its value.
 */
function withoutOrderOfTies(entries: Entries): unknown {
  const last = entries.at(-1)?.value;
  const above = entries.filter(({ value }) => value !== last);
  const byId = above.map(({ userId, userName, value }) => ({ userId, userName, value }));
  byId.sort((a, b) => (a.userId < b.userId ? -1 : 1));
  return { places: entries.map(({ rank, value }) => [rank, value]), above: byId };
}

class Comparison {
  readonly #engine: Engine;
  readonly #scripts: Scripts;
  readonly #model: Model;
  readonly #seed: number;
  readonly #calls: { count: number };
  /** Names of the rankings whose users have been rewarded. */
  readonly #rewarded = new Set<string>();
  #step = 0;
  #operation: Operation | null = null;
  #traffic: Traffic | null = null;

  constructor(engine: Engine, seed: number) {
    this.#engine = engine;
    this.#scripts = new Scripts(engine.redis, engine.cells);
    this.#model = new Model(engine.rules().config, engine.cells.spread > 1 ? engine.cellOf : null);
    this.#seed = seed;
    this.#calls = countEventCalls(engine);
  }

  async run(traffic: Traffic, steps: number): Promise<void> {
    this.#traffic = traffic;
    const { clock } = this.#engine;
    for (this.#step = 1; this.#step <= steps; this.#step++) {
      clock.set(clock.now() + traffic.pause());
      this.#operation = traffic.operation(Math.floor(clock.now() / 86_400_000));
      // Either the sweep comes first, or the user is settled on the way.
      const isSwept =
        traffic.isSwept() ||
        this.#operation.op === 'reward' ||
        this.#operation.op === 'rename' ||
        this.#operation.op.startsWith('set') ||
        usersOf(this.#operation).size > 1;
      if (isSwept) await this.#sweep();
      await this.#perform(this.#operation);
      await this.#compareRankings(this.#model.rankings.changed);
      this.#model.rankings.changed.clear();
      if (this.#step % FRIENDS_EVERY_STEPS === 0) await this.#compareFriends();
      if (this.#step % ALL_RANKINGS_EVERY_STEPS === 0) await this.#compareEverything();
    }
    await this.#compareEverything();
  }

  async #perform(operation: Operation): Promise<void> {
    const engine = this.#engine;
    const model = this.#model;
    const now = engine.clock.now();
    switch (operation.op) {
      case 'record':
        return this.#record(operation.events, now);
      case 'identify': {
        const { userId, profile } = operation;
        const answer = engine.users.identify(engine.rules(), userId, profile);
        return this.#compareChange(userId, answer, model.identify(userId, profile, now));
      }
      case 'read': {
        const { userId } = operation;
        return this.#compareChange(
          userId,
          engine.users.read(engine.rules(), userId),
          model.read(userId, now),
        );
      }
      case 'complete': {
        const { userId, profile, achievement } = operation;
        const answer = engine.users.complete(engine.rules(), userId, profile, achievement);
        return this.#compareChange(userId, answer, model.complete(userId, profile, achievement, now));
      }
      case 'amend': {
        const { userId, amendment } = operation;
        const answer = engine.users.amendStreak(engine.rules(), userId, amendment);
        return this.#compareChange(userId, answer, model.amendStreak(userId, amendment, now));
      }
      case 'prefer': {
        const { userId, isVisible } = operation;
        const { enabled, ...own } = operation.streak;
        const isAllowed = model.config.streak.customizationEnabled;
        const streak = { ...(enabled !== undefined && { enabled }), ...(isAllowed && own) };
        if (streak.daysOff && model.config.streak.frequency !== 'daily') streak.daysOff = [];
        const passed = {
          streak,
          ...(isVisible !== undefined && { leaderboards: { visible: isVisible } }),
        };
        const earlier = isVisible === false ? model.rankings.namesWith(userId) : [];
        const answer = engine.users.prefer(engine.rules(), userId, passed);
        return this.#compareChange(userId, answer, model.prefer(userId, { streak, isVisible }, earlier, now));
      }
      case 'block': {
        const { userId, seconds } = operation;
        const until = seconds && Math.ceil(now / 1000) + seconds;
        const earlier = seconds === 0 ? [] : model.rankings.namesWith(userId);
        const answer = engine.users.correct(
          engine.rules(),
          userId,
          seconds === 0 ? { op: 'unblock' } : { op: 'block', until },
        );
        const block = seconds === 0 ? null : { until: until && until * 1000 };
        return this.#compareChange(userId, answer, model.block(userId, block, earlier, now));
      }
      case 'rename':
        return this.#rename(operation, now);
      case 'reward':
        return this.#reward(operation, now);
      case 'setWindow': {
        const { config } = model;
        const settings = { ...config.settings, idempotencyWindowSeconds: operation.seconds };
        return this.#configure({ ...config, settings }, true);
      }
      case 'setMaximum': {
        const leaderboards = model.config.leaderboards.map((board, i) =>
          i === operation.board && board.league === null
            ? { ...board, maxParticipants: operation.max }
            : board,
        );
        for (const name of model.rankings.names()) model.rankings.changed.add(name);
        return this.#configure({ ...model.config, leaderboards }, true);
      }
      case 'setMaxima': {
        const { config } = model;
        const { freezes } = config.streak;
        const maxCount = operation.freezes;
        const startCount = Math.min(freezes?.startCount ?? 0, maxCount);
        const streak = { ...config.streak, freezes: freezes && { ...freezes, startCount, maxCount } };
        const pointsSystems = config.pointsSystems.map((system, i) =>
          i === operation.system ? { ...system, maxPoints: operation.points } : system,
        );
        return this.#configure({ ...config, streak, pointsSystems }, true);
      }
      case 'setStreak': {
        const { config } = model;
        return this.#configure({ ...config, streak: { ...config.streak, ...operation.streak } }, true);
      }
      case 'setTimers': {
        const updated = new Date(now).toISOString();
        const pointsTriggers = model.config.pointsTriggers.map((trigger) =>
          trigger.type === 'time' ? { ...trigger, ...operation.timer, updated } : trigger,
        );
        return this.#configure({ ...model.config, pointsTriggers }, operation.isSwept);
      }
      case 'setPause':
        return this.#changeBoard(operation, (board) =>
          // A leaderboard that ranks totals would be filled again.
          ranksGain(board) ? { pauses: toggled(board, now) } : {},
        );
      case 'endRun':
        return this.#changeBoard(operation, (board) => {
          const today = firstDayOfRuns(board, model.config.settings.defaultTimeZone, now);
          const runEnds = moveRunEnd(board, today, today + operation.days, 'A test');
          return typeof runEnds === 'string' ? {} : { runEnds };
        });
      case 'setAnniversaries': {
        const achievements = model.config.achievements.map((achievement) => {
          if (achievement.trigger !== 'anniversary') return achievement;
          const isActive = operation.years.includes(achievement.anniversaryYears!);
          return { ...achievement, status: isActive ? ('active' as const) : ('locked' as const) };
        });
        return this.#configure({ ...model.config, achievements }, operation.isSwept);
      }
    }
  }

  /** In a tenant that is spread over cells, members of leagues change their rivals with the cell. */
  async #rename(operation: RenameOperation, now: number): Promise<void> {
    const { userId, newId, event } = operation;
    const { users, keys, config } = this.#model;
    const { cellOf, outboxKeys, tenant } = this.#engine;
    if (!users.has(userId) || users.has(newId)) return;
    const isSameCell = cellOf(userId) === cellOf(newId);
    if (!isSameCell && config.leaderboards.some(({ league }) => league !== null)) return;
    await this.#record([event], now);
    const hasFormerKeys = keys.isUsedBy(userId);
    await renameInRedis(this.#engine, { userId, newId, hasFormerKeys });
    await outboxKeys.rename(tenant, userId, newId);
    this.#model.rename(userId, newId, now);
    this.#traffic!.rename(operation);
    await this.#sweep();
    for (const id of [userId, newId]) await this.#compareUser(id);
    for (const id of [newId, userId]) {
      const user = { ...event.request.user, id };
      await this.#record([{ ...event, request: { ...event.request, user } }], now);
    }
  }

  async #changeBoard(
    { board: index, isSwept }: { board: number; isSwept: boolean },
    change: (board: Leaderboard) => Partial<Leaderboard>,
  ): Promise<void> {
    const { config } = this.#model;
    const chosen = config.leaderboards[index % config.leaderboards.length]!;
    const leaderboards = config.leaderboards.map((board) =>
      board === chosen ? { ...board, ...change(board) } : board,
    );
    await this.#configure({ ...config, leaderboards }, isSwept);
  }

  /** Gives the rewards for a ranking, as if its run were final: the next one, or any one, again perhaps. */
  async #reward({ board: index, ranking }: RewardOperation, now: number): Promise<void> {
    const { config, rankings } = this.#model;
    const boards = config.leaderboards.filter(({ rewards }) => rewards.length > 0);
    const board = boards[index % boards.length];
    if (board === undefined) return;
    const names = rankings.names().filter((name) => rankingOf(name).board === board.no);
    names.sort((a, b) => rankingOf(a).run - rankingOf(b).run);
    const next = names.find((name) => !this.#rewarded.has(name));
    const name = ranking === null ? next : names[ranking % names.length];
    if (name === undefined) return;
    this.#rewarded.add(name);
    const { run, group } = rankingOf(name);
    const places = rewardsOfRanking(rankings, config, board, name);
    for (const [i, { userId, rank, reward }] of places.entries()) {
      const result = { rank, ...leagueResult(board, run, group, i + 1, places.length) };
      const given = rewardsOfRank(result, rewardsByTier(board, run), config);
      this.#same(given, inNumbers(config, reward), `reward of ${userId} for rank ${rank} of ${name}`);
      if (given.points.length + given.achievements.length === 0) continue;
      const whole = { ...given, board: board.no, run, lastDay: run, rank, at: now };
      const answer = this.#engine.users.reward(this.#engine.rules(), userId, whole);
      await this.#compareChange(userId, answer, this.#model.reward(userId, board, run, reward, now));
    }
  }

  /**
   * The server keeps the old rules in memory: the next operation finds them stale. Without a sweep, users are
   * taken to them one by one.
   */
  async #configure(config: Config, isSwept: boolean): Promise<void> {
    const model = this.#model;
    const { redis, cells, clock } = this.#engine;
    const settlingRulesHash = new Rules(model.config).settlingRulesHash;
    model.config = { ...config, version: config.version + 1 };
    await publishRules(redis, model.config, cells, clock.now());
    if (new Rules(model.config).settlingRulesHash !== settlingRulesHash) model.bringTimeRules(clock.now());
    if (isSwept) await this.#sweep();
  }

  async #sweep(): Promise<void> {
    const { sweep, clock } = this.#engine;
    // Newer rules of time look at the users in this order, which the sweep may change.
    const order = await this.#usersInOrder();
    await sweep.run(clock.now());
    this.#model.reviewAll(order);
    this.#model.settleAll(order.sort(byName), clock.now());
  }

  /** As a sweep that looks at everybody does. */
  async #usersInOrder(): Promise<string[]> {
    const { redis, tenant, tenantCells } = this.#engine;
    const ofCells = await Promise.all(
      tenantCells.map((cell) => redis.zrange(keys.seen(tenant, cell), '0', '-1')),
    );
    return ofCells.flat();
  }

  async #record(events: EventOperation[], now: number): Promise<void> {
    // An event whose user's zone the server does not know comes one call later, so answers come in the order
    // of evaluation.
    const answers: { event: EventOperation; outcome: Outcome; call: number }[] = [];
    if (this.#engine.cells.spread > 1) return this.#recordOneByOne(events, now);
    await Promise.all(
      events.map(async (event) => {
        const outcome = await this.#engine.record(event.metric, event.request, event.key ?? undefined);
        answers.push({ event, outcome, call: this.#calls.count });
      }),
    );
    for (const userId of new Set(events.map((event) => event.request.user.id))) {
      const ofUser = (event: EventOperation): boolean => event.request.user.id === userId;
      const evaluated = answers.map(({ event }) => event).filter(ofUser);
      this.#same(evaluated, events.filter(ofUser), `order of the events of ${userId}`);
    }
    for (const call of new Set(answers.map((answer) => answer.call))) {
      const together = answers.filter((answer) => answer.call === call);
      const expected = this.#model.recordTogether(
        together.map(({ event }) => event),
        now,
      );
      for (const [i, { event, outcome }] of together.entries()) {
        this.#noteIfHeld(event, outcome, now);
        this.#sameOutcome(outcome, expected[i]!, `outcome of ${JSON.stringify(event)}`);
      }
    }
    for (const userId of new Set(events.map((event) => event.request.user.id)))
      await this.#compareUser(userId);
  }

  /** Cells answer one after the other, so calls for several users have no order. */
  async #recordOneByOne(events: EventOperation[], now: number): Promise<void> {
    for (const event of events) {
      const outcome = await this.#engine.record(event.metric, event.request, event.key ?? undefined);
      this.#noteIfHeld(event, outcome, now);
      const [expected] = this.#model.recordTogether([event], now);
      this.#sameOutcome(outcome, expected!, `outcome of ${JSON.stringify(event)}`);
      await this.#compareUser(event.request.user.id);
    }
  }

  /** A server would store the event. */
  #noteIfHeld({ metric: metricKey, request, key }: EventOperation, outcome: Outcome, now: number): void {
    if (outcome.status !== 'held' || outcome.guard === null || key === null) return;
    const { outboxKeys } = this.#engine;
    outboxKeys.hold(this.#engine.rules(), request.user.id, metricKey, key, now);
  }

  async #compareChange(userId: string, answer: Promise<ChangedUser>, expected: Outcome): Promise<void> {
    const changed = await answer.catch((error) => {
      expect(error).toEqual(refusalOf(expected, userId));
      return { outcome: expected };
    });
    this.#sameOutcome(changed.outcome, expected, 'outcome');
    const stored = await this.#compareUser(userId);
    if ('user' in changed) this.#same(changed.user, stored, `the answered state of ${userId}`);
  }

  /** The user as stored, not settled. */
  async #readUser(userId: string): Promise<UserState | null> {
    const { redis, tenant } = this.#engine;
    const key = keys.user(tenant, this.#engine.cellOf(userId), userId);
    const [hot, cold] = await redis.hmgetBuffer(key, 'h', 'c');
    return hot && cold ? decodeUserState(hot, cold) : null;
  }

  async #compareUser(userId: string): Promise<UserState | null> {
    const stored = await this.#readUser(userId);
    const expected = this.#model.users.get(userId);
    if (stored === null || expected === undefined) {
      this.#same(stored, expected ?? null, `existence of ${userId}`);
      return null;
    }
    const { version, boards, due, freezeDay, settledDay, activeDay, recentPeriods, marks, ...others } =
      stored;
    const { recordedFrom, keepsHistory, boosts, formerPlaces, ...state } = others;
    const should = userStateOf(expected, this.#model.config);
    state.streaks = { ...state.streaks };
    for (const frequency of FREQUENCIES) {
      // What is over of the frequencies that are not in force may be cleared away, or covered by a pause,
      // sooner or later: nobody sees it.
      const isOver = expected.streaks[frequency].deadline <= this.#engine.clock.now();
      const isCoveredLater = state.streaks[frequency].lastPeriod < should.streaks[frequency].lastPeriod;
      if ((isOver || isCoveredLater) && frequency !== this.#model.config.streak.frequency)
        state.streaks[frequency] = should.streaks[frequency];
    }
    if (this.#engine.cells.spread > 1) state.sequence = should.sequence;
    this.#same(state, should, `state of ${userId}`);
    // It may be woken early, when that is as far as it knows; never late.
    this.#same((due ?? Number.POSITIVE_INFINITY) * 1000 <= expected.due, true, `${userId} is woken in time`);
    const runs = this.#runsOf(expected, boards);
    this.#same(runs.stored, runs.expected, `runs and values of ${userId}`);
    return stored;
  }

  /**
   * By board that runs where the user is: run and value. A run that is over stands for the new one, at its
   * beginning.
   */
  #runsOf(user: ModelUser, boards: Map<number, BoardState>) {
    const { config } = this.#model;
    const now = this.#engine.clock.now();
    const today = this.#model.today(user, now);
    const home = localDate(config.settings.defaultTimeZone, now);
    const stored = new Map<number, { run: number; value: number | null }>();
    const expected = new Map<number, { run: number; value: number | null }>();
    for (const board of config.leaderboards) {
      const first = runStart(board, board.league === null ? dateOfRuns(board, today, now) : home);
      if (first === null) continue;
      const run = ordinal('daily', first);
      const fresh = { run, value: valueAtFirst(board) };
      const has = boards.get(board.no);
      stored.set(
        board.no,
        has && has.run >= run ? { run: has.run, value: shownValue(board, has.score) } : fresh,
      );
      const should = user.boards.get(board.id);
      const current = should !== undefined && should.run >= first;
      expected.set(board.no, current ? { run: ordinal('daily', should.run), value: should.value } : fresh);
    }
    return { stored, expected };
  }

  async #compareRankings(names: Iterable<string>): Promise<void> {
    await Promise.all(
      Array.from(names, async (name) => {
        const board = this.#model.config.leaderboards.find(({ no }) => no === Number(name.split(':')[0]))!;
        const { rankings, users } = this.#model;
        const expected = rankings.places(name, board.maxParticipants).map(({ userId, value }) => ({
          userId,
          userName: users.get(userId)!.name || null,
          rank: rankings.rankOf(name, userId, board),
          value,
        }));
        const { redis, cells, tenant, mergedReads } = this.#engine;
        const { run, group } = rankingOf(name);
        const ranking = { board, start: run, group, isOver: false };
        const stores = { redis, cells, scripts: this.#scripts, mergedReads, history: NO_HISTORY };
        const page = { offset: 0, limit: 1_000 };
        const found = await readRanking(stores, tenant, ranking, page, null);
        const shown = cells.spread > 1 ? withoutOrderOfTies : same;
        this.#same(shown(found), shown(expected), `ranking ${name}`);
      }),
    );
  }

  /** Some users among themselves, on one leaderboard after the other. */
  async #compareFriends(): Promise<void> {
    const { redis, cells, mergedReads } = this.#engine;
    const { users, rankings, config } = this.#model;
    const turn = this.#step / FRIENDS_EVERY_STEPS;
    const board = config.leaderboards[turn % config.leaderboards.length]!;
    const runs = [...users.values()].flatMap(({ boards }) => boards.get(board.id)?.run ?? []);
    const run = runs[turn % runs.length];
    if (run === undefined) return;
    // Without a history, only users of the run have a group.
    const isComparable = ({ boards }: ModelUser): boolean =>
      !hasGroups(board) || +(boards.get(board.id)?.run ?? run) === +run;
    // Every third user is no friend.
    const friends = [...users.values()].filter((user, i) => isComparable(user) && (i + turn) % 3 > 0);
    const found = await Promise.all(
      friends.map(async ({ id }) => ({ userId: id, user: (await this.#readUser(id))! })),
    );
    const stores = { redis, cells, scripts: this.#scripts, mergedReads, history: NO_HISTORY };
    const ranked = await rankAmong(
      stores,
      this.#engine.rules(),
      { board, start: ordinal('daily', run), isOver: false },
      found.filter(({ user }) => isShownOn(board, user)),
    );
    const what = `users among themselves on ${board.key} in the run of ${run.toISODate()}`;
    const shown = cells.spread > 1 ? withoutOrderOfTies : same;
    this.#same(shown(ranked), shown(rankFriends(rankings, board, run, friends)), what);
  }

  async #compareEverything(): Promise<void> {
    const { redis, tenant, tenantCells } = this.#engine;
    const rankings = (await this.#engine.rankingNames()).sort();
    this.#same(rankings, this.#model.rankings.names().sort(), 'names of the rankings');
    await this.#compareRankings(rankings);
    for (const userId of this.#model.users.keys()) await this.#compareUser(userId);

    const completions: Record<string, number> = {};
    for (const cell of tenantCells) {
      for (const [field, count] of Object.entries(await redis.hgetall(keys.stats(tenant, cell))))
        completions[field] = (completions[field] ?? 0) + Number(count);
    }
    for (const [field, count] of Object.entries(completions)) if (count === 0) delete completions[field];
    const expected: Record<string, number> = {};
    for (const { id, no } of this.#model.config.achievements) {
      const count = [...this.#model.users.values()].filter((user) => user.achievements.has(id)).length;
      if (count > 0) expected[`completed:${no}`] = count;
    }
    this.#same(completions, expected, 'completions');
  }

  /**
   * Ranks among the users of other cells are known only to a second (test/engine/spread.test.ts). A user who has a
   * rank in the cell, but not among all, is written more often.
   */
  #sameOutcome(actual: Outcome, expected: Outcome, what: string): void {
    const open = this.#engine.cells.spread === 1 ? {} : { boards: [], sequence: 0 };
    // What is reported for the history is compared there (test/conditions/conditionSql.slow.test.ts).
    const { facts: _, ...shown } = { facts: [], ...actual };
    this.#same({ ...shown, ...open }, { ...expected, ...open }, what);
  }

  #same(actual: unknown, expected: unknown, what: string): void {
    const [found, wanted] = [inOrder(actual), inOrder(expected)];
    if (isDeepStrictEqual(found, wanted)) return;
    const at = new Date(this.#engine.clock.now()).toISOString();
    const where = `LAUREL_SEED=${this.#seed}, step ${this.#step}, at ${at}: ${JSON.stringify(this.#operation)}`;
    expect(found, `${what} differs from the model's\n${where}`).toEqual(wanted);
  }
}

/**
 * Counts the calls of recordEvents that have been answered. The queue sends so few events one call after the
 * other.
 */
function countEventCalls({ redis }: Engine): { count: number } {
  const commands = redis as unknown as { recordEventsBuffer(...args: unknown[]): Promise<unknown> };
  const { recordEventsBuffer } = commands;
  const calls = { count: 0 };
  commands.recordEventsBuffer = async (...args) => {
    const reply = await recordEventsBuffer.apply(redis, args);
    calls.count++;
    return reply;
  };
  return calls;
}

/** A reward as the scripts take it. */
function inNumbers(config: Config, { points, achievements }: ModelReward): RankRewards {
  const system = (id: string): number => config.pointsSystems.find((one) => one.id === id)!.no;
  return {
    points: Array.from(points.amounts, ([id, amount]) => ({ system: system(id), amount })),
    achievements: achievements.map((id) => config.achievements.find((one) => one.id === id)!.no),
  };
}

function usersOf(operation: Operation): Set<string> {
  if (operation.op === 'record') return new Set(operation.events.map(({ request }) => request.user.id));
  return new Set('userId' in operation ? [operation.userId] : []);
}

/** The parts of the name of a ranking. */
function rankingOf(name: string): { board: number; run: number; group: string } {
  const [board, run, ...group] = name.split(':');
  return { board: Number(board), run: Number(run), group: group.join(':') };
}

/** Achievements that one change completes are reported in no particular order. */
function inOrder(value: unknown): unknown {
  const outcome = value as Outcome | null;
  if (typeof outcome !== 'object' || outcome === null || !('completed' in outcome)) return value;
  const inOrderOf = (numbers: number[]): number[] => numbers.toSorted((a, b) => a - b);
  const { completed, completedSilently } = outcome;
  return { ...outcome, completed: inOrderOf(completed), completedSilently: inOrderOf(completedSilently) };
}

/** The pauses of a leaderboard after it has been paused, or resumed. */
function toggled({ pauses }: Leaderboard, now: number): LeaderboardPause[] {
  const last = pauses.at(-1);
  const instant = new Date(now).toISOString();
  return last?.to === null
    ? [...pauses.slice(0, -1), { ...last, to: instant }]
    : [...pauses, { from: instant, to: null, reason: 'A test', resumeReason: null }];
}
