import { DateTime } from 'luxon';
import type { Achievement, Config, Leaderboard } from '../../src/rules/config.ts';
import { isPaused } from '../../src/rules/pauses.ts';
import { byName, type Model } from '../support/model.ts';
import {
  dateOf,
  type LocalDate,
  localDate,
  runEnd,
  runStart,
  startOfDate,
} from '../support/modelCalendar.ts';
import { goalName } from '../support/modelChallenges.ts';
import { isWhole } from '../support/modelRankings.ts';
import { rewardsOfRanking } from '../support/modelRewards.ts';
import type { Books } from './books.ts';

const DAY_MS = 86_400_000;

/** What has become active, and the instant at which users are looked at for it, ms. */
interface Activation {
  at: number;
  ids: string[];
}

/** What says nothing, and is taken from the service. */
export interface ServiceOrder {
  /** The order in which it works off the groups of a run. */
  groups(groups: readonly string[]): Promise<readonly string[]>;
  /** Brings users of some rankings who have reached a value together into the order in which they became final. */
  takeTies(names: readonly string[]): Promise<void>;
}

/**
 * What becomes due by time, beside what time does to each user: activations, and the steps of leaderboards
 * (docs/admin-api.md, "Activation"; docs/leaderboards.md, "Runs").
 */
export class DueWork {
  readonly #model: Model;
  readonly #books: Books;
  readonly #order: ServiceOrder;
  #activations: Activation[] = [];
  /** When a leaderboard is looked at next, ms, by id. */
  readonly #looks = new Map<string, number>();
  /** The last final run of a leaderboard, by id. */
  readonly #lastRuns = new Map<string, { start: LocalDate; end: LocalDate }>();

  constructor(model: Model, books: Books, order: ServiceOrder) {
    this.#model = model;
    this.#books = books;
    this.#order = order;
  }

  /** Another configuration is in force. */
  configure(before: Config | null, after: Config, now: number): void {
    const ofAchievements = after.achievements.filter((one) =>
      isActivated(find(before?.achievements, one), one),
    );
    const ofBoards = after.leaderboards.filter((one) => isFilled(find(before?.leaderboards, one), one));
    this.#activate(now, ofAchievements);
    this.#activate(now, newGoals(before, after));
    for (const board of ofBoards)
      for (const at of whenFilled(find(before?.leaderboards, board), board, now)) this.#activate(at, [board]);
    const areAllDue = JSON.stringify(before?.settings) !== JSON.stringify(after.settings);
    for (const board of after.leaderboards) {
      const stored = find(before?.leaderboards, board);
      if (areAllDue || JSON.stringify(stored) !== JSON.stringify(board)) this.#looks.set(board.id, now);
    }
  }

  #activate(at: number, entities: readonly { id: string }[]): void {
    if (entities.length === 0) return;
    const same = this.#activations.find((one) => one.at === at);
    const ids = entities.map(({ id }) => id);
    if (same === undefined) this.#activations.push({ at, ids });
    else same.ids.push(...ids);
  }

  /** The instants at which something is activated. */
  activationInstants(): number[] {
    return this.#activations.map(({ at }) => at);
  }

  /**
   * Time passes to the last of these instants, and stops at each of them.
   * @param reviewed all users, in the order in which newer rules look at them
   */
  async pass(instants: readonly number[], reviewed: readonly string[]): Promise<void> {
    this.#model.reviewAll(reviewed);
    for (const instant of instants) await this.#passTo(instant);
  }

  async #passTo(now: number): Promise<void> {
    const model = this.#model;
    const order = [...model.users.keys()].sort(byName);
    model.settleAll(order, now);
    const due = this.#activations.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.#activations = this.#activations.filter(({ at }) => at > now);
    this.#books.log.inCall('time', () => {
      for (const { ids } of due) for (const userId of order) model.activate(userId, ids, now);
    });
    for (;;) {
      const looks = [...this.#looks].filter(([, at]) => at <= now);
      if (looks.length === 0) return;
      const boards = looks.map(([id, at]) => ({ board: this.#board(id), at }));
      boards.sort((a, b) => a.at - b.at || a.board.no - b.board.no);
      for (const { board } of boards) await this.#advance(board.id, now);
    }
  }

  #board(id: string): Leaderboard {
    return this.#model.config.leaderboards.find((board) => board.id === id)!;
  }

  /** Takes all steps of a leaderboard that are due. */
  async #advance(id: string, now: number): Promise<void> {
    for (;;) {
      const step = this.#nextStep(this.#board(id), now);
      if (step === null) this.#looks.delete(id);
      else this.#looks.set(id, step.at);
      if (step === null || step.at > now) return;
      await step.take();
    }
  }

  #nextStep(board: Leaderboard, now: number): { at: number; take(): Promise<void> } | null {
    const model = this.#model;
    const home = model.config.settings.defaultTimeZone;
    if (board.status === 'scheduled')
      return {
        at: startOfDate(home, dateOf(board.start)),
        take: async () => model.setStatus(board, 'active'),
      };
    if (board.status !== 'active') return null;
    const start = this.#nextRun(board, now);
    if (start === null)
      return {
        at: model.finalAt(board, dateOf(board.end!)),
        take: async () => model.setStatus(board, 'finished'),
      };
    const end = runEnd(board, start);
    if (end === null) return null;
    const at = model.finalAt(board, end);
    return { at, take: () => this.#end(board, { start, end }, at, now) };
  }

  /** The next run that is not final: of a league none is passed over, of others those in which nobody has a rank. */
  #nextRun(board: Leaderboard, now: number): LocalDate | null {
    const last = this.#lastRuns.get(board.id);
    const after = last && (last.end.plus({ days: 1 }) as LocalDate);
    if (board.league !== null && after) return runStart(board, after);
    const runs = this.#model.rankings
      .names()
      .map((name) => name.split(':'))
      .filter(([no]) => Number(no) === board.no)
      .map(([, run]) => Number(run) * DAY_MS)
      .filter((run) => last === undefined || run > last.start.toMillis());
    const zone =
      board.timeZone ?? (board.league === null ? 'Etc/GMT+12' : this.#model.config.settings.defaultTimeZone);
    const day =
      runs.length > 0 ? dateOf(new Date(Math.min(...runs)).toISOString().slice(0, 10)) : localDate(zone, now);
    const first = dateOf(board.start);
    return runStart(board, DateTime.max(day, first) as LocalDate);
  }

  /** A run is over everywhere: its rankings become final, and its rewards are given. */
  async #end(
    board: Leaderboard,
    run: { start: LocalDate; end: LocalDate },
    at: number,
    now: number,
  ): Promise<void> {
    const model = this.#model;
    const next = run.end.plus({ days: 1 }) as LocalDate;
    const names = model.rankingsOf(board, run.start);
    await this.#order.takeTies(names);
    if (board.league !== null) model.beginLeagueRun(board, next);
    const groups = names.map((name) => name.split(':').slice(2).join(':'));
    const order = await this.#order.groups(groups);
    const rewarded = order.flatMap((group) => {
      const name = names[groups.indexOf(group)]!;
      return rewardsOfRanking(model.rankings, model.config, board, name);
    });
    const number = Math.round(run.start.toMillis() / DAY_MS);
    for (const { userId, rank, reward } of rewarded) {
      if (reward.points.amounts.size + reward.achievements.length === 0) continue;
      const rewardedRun = { board, run: run.start, lastDate: run.end, rank, at };
      this.#books.rewarding(rewardedRun, () => model.reward(userId, board, number, reward, now));
    }
    if (board.league !== null && runStart(board, next) !== null) model.moveLeague(board, next);
    model.finalizeRankings(names);
    this.#books.log.finalRankings.push(...names.map((name) => ({ name, at })));
    this.#lastRuns.set(board.id, run);
  }
}

const find = <T extends { id: string }>(list: readonly T[] | undefined, { id }: T): T | null =>
  list?.find((one) => one.id === id) ?? null;

/** An achievement that becomes active, or whose conditions change. */
function isActivated(before: Achievement | null, achievement: Achievement): boolean {
  const conditions = (one: Achievement | null): string => {
    if (one === null) return '';
    const { key, name, description, badgeUrl, hidden, created, updated, ...rest } = one;
    return JSON.stringify(Object.entries(rest).sort());
  };
  const { status, trigger } = achievement;
  return status === 'active' && trigger !== 'api' && conditions(before) !== conditions(achievement);
}

/** The names of goals that begin to count. */
function newGoals(before: Config | null, after: Config): { id: string }[] {
  const countingIn = (config: Config | null): string[] =>
    (config?.challenges ?? [])
      .filter(({ status }) => status === 'active')
      .flatMap((challenge) => challenge.goals.map((goal) => goalName(challenge, goal)));
  const known = countingIn(before);
  return countingIn(after)
    .filter((name) => !known.includes(name))
    .map((id) => ({ id }));
}

const isLive = ({ status }: Leaderboard): boolean => status === 'active' || status === 'scheduled';

const hasMorePlaces = (before: Leaderboard | null, { status, maxParticipants }: Leaderboard): boolean =>
  status === 'active' && before?.status === 'active' && maxParticipants > before.maxParticipants;

function isFilled(before: Leaderboard | null, board: Leaderboard): boolean {
  if (hasMorePlaces(before, board)) return true;
  if (!isLive(board) || !isWhole(board)) return false;
  const isResumed = before !== null && isPaused(before) && !isPaused(board);
  return before === null || !isLive(before) || isResumed || before.start !== board.start;
}

/** At once; or when its first date begins somewhere, and again when it has begun everywhere. */
function whenFilled(before: Leaderboard | null, board: Leaderboard, now: number): number[] {
  if (hasMorePlaces(before, board)) return [now];
  const begins = dateOf(board.start).toMillis();
  const hasBegun = begins + 12 * 3_600_000;
  return hasBegun > now ? [Math.max(now, begins), hasBegun] : [now];
}
