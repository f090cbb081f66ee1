import type { ChallengeChange } from '../../src/redis/decoding/challengeStates.ts';
import type { BoardChange, Outcome } from '../../src/redis/decoding/outcome.ts';
import type { Config, Frequency, Leaderboard } from '../../src/rules/config.ts';
import { type ChangeInTime, valueAtFirst } from '../support/model.ts';
import type { ImportedChanges } from '../support/modelImportedUsers.ts';
import {
  counterTotal,
  type ModelEvent,
  type ModelUser,
  type StreakPeriodOfUser,
} from '../support/modelUser.ts';
import type { BookedAward } from './books.ts';

/** An event as the history has it. Instants are in ms. */
export interface LoggedEvent {
  metricId: string;
  value: number;
  /** Of the metric, after it. */
  total: number;
  /** When it happened. */
  at: number;
  /** By id of the attribute. */
  attributes: Readonly<Record<string, string>>;
  origin: 'import' | 'undo' | null;
  /** null for an imported total. */
  event: ModelEvent | null;
  undone: boolean;
}

export interface LoggedCompletion {
  achievementId: string;
  at: number;
}

/** A period that extended or kept the streak of the frequency in force then. */
export interface LoggedPeriod extends StreakPeriodOfUser {
  at: number;
}

/**
 * The call of a script in which changes come about: `single` has one change, `time` what time brings, activations and
 * rewards. `past` imports events, `importUser` a user.
 */
type CallOfChanges = 'single' | 'batch' | 'time' | 'past' | 'importUser';

/** A change of the place on a leaderboard. Ranks are known once the call has ended. */
export interface LoggedMove {
  change: BoardChange;
  /** Of the user, since 1970. */
  day: number;
  /** Of the analytics, and when the service recorded it. */
  at: number;
  now: number;
  call: CallOfChanges;
  /** Places of the leaderboard then. */
  places: number;
}

/** All that a user did, under whatever ids, the oldest first. */
export interface LoggedUser {
  created: number;
  events: LoggedEvent[];
  awards: BookedAward[];
  completions: LoggedCompletion[];
  /** Completions of achievements with `repeat` after the first one, which was at `firstAt`. */
  repeats: (LoggedCompletion & { times: number; firstAt: number })[];
  periods: LoggedPeriod[];
  losses: { frequency: Frequency; length: number; at: number }[];
  earnedFreezes: { freezes: number; at: number }[];
  steps: (ChallengeChange & { at: number })[];
  moves: LoggedMove[];
  /**
   * Numbers of leaderboards on which calls with several changes have moved the user. Ranks before and after are those
   * before and after the whole call, also if the change itself moves the user among those without a rank.
   */
  movedTogether: Set<number>;
}

/** A ranking that became final: the name in the model, and when, ms. */
interface FinalRanking {
  name: string;
  at: number;
}

/** The log of a tenant: plain lists of what happened, of which analytics, timelines and exports are sums. */
export class WorldLog {
  readonly #users = new Map<string, LoggedUser>();
  readonly #erased: LoggedUser[] = [];
  readonly finalRankings: FinalRanking[] = [];
  #call: CallOfChanges = 'single';

  of(userId: string): LoggedUser | undefined {
    return this.#users.get(userId);
  }

  /** Users who are here. */
  get present(): readonly LoggedUser[] {
    return [...this.#users.values()];
  }

  /** Also those who were erased: the counts of days keep what they did. */
  get everybody(): readonly LoggedUser[] {
    return [...this.present, ...this.#erased];
  }

  /** Does work whose changes come about in such a call. */
  inCall<T>(call: CallOfChanges, work: () => T): T {
    const outer = this.#call;
    this.#call = call;
    try {
      return work();
    } finally {
      this.#call = outer;
    }
  }

  /** Enters a change. @param awards that it gave */
  enter(
    userId: string,
    outcome: Extract<Outcome, { status: 'recorded' }>,
    config: Config,
    change: ChangeInTime,
    awards: readonly BookedAward[],
  ): void {
    const { event, at, now, before, after } = change;
    const user = this.#findOrBegin(userId, after);
    if (event !== null) enterEvent(user, event, outcome.total);
    user.awards.push(...awards);
    enterCompletions(user, before, after);
    for (const { achievement, times, firstAt } of outcome.repeated) {
      const { id: achievementId } = config.achievements.find(({ no }) => no === achievement)!;
      user.repeats.push({ achievementId, at: now, times, firstAt });
    }
    enterStreak(user, config.streak.frequency, change);
    for (const step of outcome.challenges ?? []) user.steps.push({ ...step, at: now });
    const call = change.settles ? 'time' : this.#call;
    for (const board of config.leaderboards) {
      const { no, maxParticipants: places } = board;
      const moves = outcome.boards.filter((move) => move.board === no);
      for (const move of moves) user.moves.push({ change: move, day: outcome.day, at, now, call, places });
      const isMoved = moves.length > 0 || hasOtherValue(board, before, after);
      if (isMoved && (call === 'batch' || call === 'time')) user.movedTogether.add(no);
    }
  }

  /** Enters by how much an import has changed totals. */
  enterImport(after: ModelUser, changes: ImportedChanges, awards: readonly BookedAward[], at: number): void {
    const user = this.#users.get(after.id)!;
    for (const [metricId, value] of changes.metrics) {
      const total = counterTotal(after.events, metricId);
      const origin = { origin: 'import', event: null, undone: false } as const;
      user.events.push({ metricId, value, total, at, attributes: {}, ...origin });
    }
    user.awards.push(...awards);
  }

  erase(userId: string): void {
    const user = this.#users.get(userId);
    if (user !== undefined) this.#erased.push(user);
    this.#users.delete(userId);
  }

  rename(from: string, to: string): void {
    this.#users.set(to, this.#users.get(from)!);
    this.#users.delete(from);
  }

  #findOrBegin(userId: string, { created }: ModelUser): LoggedUser {
    let user = this.#users.get(userId);
    if (user === undefined) {
      user = {
        ...{ created, events: [], awards: [], completions: [], repeats: [], periods: [], losses: [] },
        ...{ earnedFreezes: [], steps: [], moves: [], movedTogether: new Set<number>() },
      };
      this.#users.set(userId, user);
    }
    return user;
  }
}

/** Whether a change gives the user another value or group on a leaderboard. */
function hasOtherValue(board: Leaderboard, before: ModelUser | undefined, after: ModelUser): boolean {
  const place = after.boards.get(board.id);
  const known = before?.boards.get(board.id);
  if (place === undefined) return false;
  const isSameRun = known !== undefined && +known.run === +place.run;
  if (!isSameRun) return place.value !== valueAtFirst(board);
  return place.value !== known.value || place.group !== known.group;
}

function enterEvent(user: LoggedUser, event: ModelEvent, total: number): void {
  const { metricId, value, happenedAt: at, attributes, undoes } = event;
  const undone = user.events.find((one) => one.event === undoes && undoes !== undefined);
  if (undone !== undefined) undone.undone = true;
  const origin = undoes === undefined ? null : 'undo';
  user.events.push({ metricId, value, total, at, attributes, origin, event, undone: false });
}

/** What was revoked is in the history no more. */
function enterCompletions(user: LoggedUser, before: ModelUser | undefined, after: ModelUser): void {
  const isKept = ({ achievementId, at }: LoggedCompletion): boolean =>
    after.achievements.get(achievementId) === at;
  user.completions = user.completions.filter(isKept);
  for (const [achievementId, at] of after.achievements)
    if (before?.achievements.get(achievementId) !== at) user.completions.push({ achievementId, at });
}

/** An imported streak that is replaced is in the history no more, and was not lost. */
function takeBack(
  user: LoggedUser,
  frequency: Frequency,
  before: ModelUser | undefined,
  after: ModelUser,
): void {
  const kept = new Set(after.periods);
  const gone = before?.periods.filter((one) => !kept.has(one)) ?? [];
  if (gone.length === 0) return;
  const isGone = ({ period }: LoggedPeriod): boolean => gone.some((one) => +one.period === +period);
  user.periods = user.periods.filter((one) => one.frequency !== frequency || !isGone(one));
  user.losses = user.losses.filter((loss) => loss.frequency !== frequency);
}

/** Only the streak in force is in the history. */
function enterStreak(user: LoggedUser, frequency: Frequency, change: ChangeInTime): void {
  const { event, at, settles, settled, before, after } = change;
  const known = new Set(before?.periods);
  const added = settles
    ? (settled?.kept ?? [])
    : after.periods.filter((one) => one.frequency === frequency && !known.has(one));
  takeBack(user, frequency, before, after);
  for (const period of added) {
    const isImported = period.by === 'event' && event === null;
    user.periods.push({ ...period, at: isImported ? after.streaks[frequency].extendedAt : at });
  }
  if (settled === null) return;
  if (settled.lost > 0) user.losses.push({ frequency, length: settled.lost, at });
  if (settled.earned > 0) user.earnedFreezes.push({ freezes: settled.earned, at });
}
