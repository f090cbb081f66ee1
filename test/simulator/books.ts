import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import { boostOfChallenge, challengeTrigger } from '../../src/rules/award.ts';
import {
  ADJUSTMENT_TRIGGER,
  type Challenge,
  type Config,
  type Frequency,
  type Leaderboard,
} from '../../src/rules/config.ts';
import type { ChangeInTime } from '../support/model.ts';
import type { LocalDate } from '../support/modelCalendar.ts';
import type { ImportedChanges } from '../support/modelImportedUsers.ts';
import type { ModelUser } from '../support/modelUser.ts';
import type { Expected } from './difference.ts';
import {
  boostFromChallenge,
  boostOf,
  triggerOf,
  triggerOfAdjustment,
  triggerOfChallenge,
  triggerOfImport,
  triggerOfReward,
} from './expected/entities.ts';
import { HeldEvents } from './heldEvents.ts';
import { WorldLog } from './worldLog.ts';

/** Points that a user was awarded, as every later answer must show them. */
export interface BookedAward {
  systemId: string;
  /** Known once an answer has named it. */
  id: string | null;
  awarded: number;
  total: number;
  /** The date that it shows, ms. */
  at: number;
  /** By which awards are listed: of a reward when it was given, ms. */
  recordedAt: number;
  /** The user's own date. */
  date: LocalDate;
  trigger: Expected;
  boosts: number[];
}

/** An event that counted, on the user's own date. */
export interface BookedEvent {
  metricId: string;
  value: number;
  date: LocalDate;
}

/** What has happened to one user, in order. */
export interface UserBooks {
  awards: BookedAward[];
  events: BookedEvent[];
  /** The latest of the user's own dates: a user who travels west lives a date twice. */
  latest: LocalDate | null;
  /** When an administrator ended the streak of a frequency, on the user's own date. */
  resets: { frequency: Frequency; date: LocalDate; at: number }[];
}

/** An adjustment of points with an idempotency key. */
export interface KeyedAdjustment {
  /** Id of the user then, and now. */
  userId: string;
  owner: string;
  systemId: string;
  key: string;
  answer: Expected;
}

/** The run for which a user is rewarded. */
export interface RewardedRun {
  board: Leaderboard;
  run: LocalDate;
  lastDate: LocalDate;
  rank: number;
  /** When the run became final, ms. */
  at: number;
}

/** What has happened to all users: the model knows how things are, this knows how they came about. */
export class Books {
  readonly held = new HeldEvents();
  readonly log = new WorldLog();
  readonly #users = new Map<string, UserBooks>();
  #adjustments: KeyedAdjustment[] = [];
  /** When another frequency of streaks came into force, the latest date anywhere; null if none has. */
  frequencySince: LocalDate | null = null;
  #rewardedRun: RewardedRun | null = null;

  of(userId: string): UserBooks {
    let books = this.#users.get(userId);
    if (books === undefined) {
      books = { awards: [], events: [], resets: [], latest: null };
      this.#users.set(userId, books);
    }
    return books;
  }

  /** Rewards a user for a run. */
  rewarding(run: RewardedRun, work: () => void): void {
    this.#rewardedRun = run;
    this.log.inCall('time', work);
    this.#rewardedRun = null;
  }

  /** Enters the effects of a change. */
  enter(userId: string, outcome: Outcome, config: Config, change: ChangeInTime): void {
    if (outcome.status !== 'recorded') return;
    const { event, at, today } = change;
    // An operation may have events in several zones.
    this.noteDate(userId, today);
    const { awards, events } = this.of(userId);
    const known = awards.length;
    if (event !== null) events.push({ metricId: event.metricId, value: event.value, date: today });
    for (const { system, awards: given } of outcome.points) {
      const systemId = config.pointsSystems.find(({ no }) => no === system)!.id;
      for (const { trigger: no, awarded, total, boosts } of given) {
        const award = { systemId, id: null, awarded, total, boosts, recordedAt: at };
        const trigger = config.pointsTriggers.find((one) => one.no === no);
        if (trigger !== undefined) {
          awards.push({ ...award, at, date: today, trigger: triggerOf(config, trigger) });
        } else if (challengeOf(config, no) !== undefined) {
          const given = triggerOfChallenge(challengeOf(config, no)!, awarded, at);
          awards.push({ ...award, at, date: today, trigger: given });
        } else if (no === ADJUSTMENT_TRIGGER) {
          awards.push({ ...award, at, date: today, trigger: triggerOfAdjustment(awarded, at) });
        } else {
          const { at, lastDate } = this.#rewardedRun!;
          const given = triggerOfReward(this.#rewardedRun!, awarded);
          awards.push({ ...award, at, date: lastDate, trigger: given });
        }
      }
    }
    this.log.enter(userId, outcome, config, change, awards.slice(known));
  }

  /** Enters by how much an import has changed totals of a user. */
  enterImport(user: ModelUser, changes: ImportedChanges, date: LocalDate, at: number): void {
    const { awards, events } = this.of(user.id);
    for (const [metricId, value] of changes.metrics) events.push({ metricId, value, date });
    for (const [systemId, awarded] of changes.points) {
      const trigger = triggerOfImport(awarded, at);
      const total = user.points.get(systemId)!;
      awards.push({ systemId, id: null, awarded, total, boosts: [], recordedAt: at, at, date, trigger });
    }
    this.log.enterImport(user, changes, awards.slice(awards.length - changes.points.size), at);
  }

  noteDate(userId: string, date: LocalDate): void {
    const books = this.of(userId);
    if (books.latest === null || date > books.latest) books.latest = date;
  }

  noteReset(userId: string, frequency: Frequency, date: LocalDate, at: number): void {
    this.of(userId).resets.push({ frequency, date, at });
  }

  noteAdjustment(adjustment: KeyedAdjustment): void {
    this.#adjustments.push(adjustment);
  }

  /** The answer to an adjustment whose key was used under this id or by this user; undefined if there is none. */
  findAdjustment(userId: string, systemId: string, key: string): Expected | undefined {
    return this.#adjustments.find(
      (one) =>
        one.systemId === systemId && one.key === key && (one.userId === userId || one.owner === userId),
    )?.answer;
  }

  erase(userId: string): void {
    this.held.erase(userId);
    this.log.erase(userId);
    this.#adjustments = this.#adjustments.filter(({ owner }) => owner !== userId);
    this.#users.delete(userId);
  }

  rename(from: string, to: string): void {
    this.held.rename(from, to);
    this.log.rename(from, to);
    for (const one of this.#adjustments) if (one.owner === from) one.owner = to;
    this.#users.set(to, this.of(from));
    this.#users.delete(from);
  }
}

const challengeOf = ({ challenges }: Config, trigger: number): Challenge | undefined =>
  challenges.find(({ no }) => challengeTrigger(no) === trigger);

/** The boosts of an award, with their status on a date. */
export const boostsOf = (config: Config, numbers: readonly number[], date: LocalDate | null): Expected[] =>
  numbers.map((no) => {
    const challenge = config.challenges.find((one) => boostOfChallenge(one) === no);
    if (challenge) return boostFromChallenge(challenge, date);
    return boostOf(config.pointsBoosts.find((boost) => boost.no === no)!, date);
  });
