import { monotonicMs } from '../../base/clock.ts';
import { LIVE_READ_INTERVAL_MS, LIVE_REFRESH_MS } from '../../base/limits.ts';
import { GetLeaderboard, type LeaderboardRanking, WatchLeaderboard } from '../../contract/leaderboard.ts';
import type { PathOf, QueryOf } from '../../contract/operation.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { boardView } from '../../views/entityViews.ts';
import type { ApiKey } from '../authentication/apiKeys.ts';
import {
  defaultDay,
  groupView,
  isOfOwnGroup,
  type LocatedRanking,
  locateRanking,
  namesUser,
  pageOf,
  type RankingRead,
} from '../leaderboards/leaderboardHandlers.ts';
import { createParameterReader, givenInPath, givenInQuery } from '../request/parameters.ts';
import { invalid } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';
import { createParameterCheck } from '../request/unknownNames.ts';
import type { RankingPages } from './rankingPages.ts';

const readPath = createParameterReader(GetLeaderboard.path);
const readQuery = createParameterReader(GetLeaderboard.query);
const checkParameters = createParameterCheck({ ...WatchLeaderboard, query: GetLeaderboard.query });

const NOBODY: readonly LeaderboardRanking[] = [];

interface Shown {
  rules: Rules;
  located: LocatedRanking;
  page: readonly LeaderboardRanking[];
  day: number;
  text: string;
}

/**
 * The answer of `GET /leaderboards/{key}` with one query, made from the shared ranking, and only again if
 * something has changed.
 */
export class WatchedLeaderboard {
  readonly #service: Service;
  readonly #pages: RankingPages;
  readonly #key: ApiKey;
  readonly #path: PathOf<typeof GetLeaderboard>;
  readonly #query: QueryOf<typeof GetLeaderboard>;
  #shown: Shown | null = null;
  #locatedMs = Number.NEGATIVE_INFINITY;

  /** @throws ServiceError `invalid` */
  constructor(service: Service, pages: RankingPages, key: ApiKey, board: string, query: string) {
    this.#service = service;
    this.#pages = pages;
    this.#key = key;
    this.#path = readPath(givenInPath(['key'], [board]));
    const given = givenInQuery(query);
    checkParameters(given);
    this.#query = readQuery(given);
    if (this.#query.userIds !== undefined)
      throw invalid('userIds cannot be watched: read GET /leaderboards/{key}');
  }

  /** The user of the key if the answer depends on it, else empty. */
  readerOf(rules: Rules): string {
    return isOfOwnGroup(this.#call(rules)) ? this.#key.userId! : '';
  }

  #call(rules: Rules): RankingRead {
    return { rules, path: this.#path, query: this.#query, key: this.#key };
  }

  async read(rules: Rules): Promise<string> {
    const service = this.#service;
    const ageMsMax = this.#shown === null ? 0 : LIVE_READ_INTERVAL_MS / 2;
    let located = await this.#locate(rules);
    let page = await this.#pageOf(rules, located, ageMsMax);
    if (this.#shown !== null && page !== this.#shown.page && located === this.#shown.located) {
      // The user may have moved to another group.
      located = await this.#locateAgain(rules);
      page = await this.#pageOf(rules, located, ageMsMax);
    }
    const day = defaultDay(rules, service.clock.now());
    const shown = this.#shown;
    if (
      shown?.rules === rules &&
      shown.page === page &&
      shown.day === day &&
      isSameRun(shown.located, located)
    ) {
      this.#shown = { ...shown, located };
      return shown.text;
    }
    const { board, ...run } = located.run;
    const rankings = sliceOf(page, pageOf(this.#query), this.#query.userId, board.maxParticipants);
    const league = groupView(located, namesUser(this.#call(rules)));
    const text = JSON.stringify({ ...boardView(rules, board, run, day), ...league, rankings });
    this.#shown = { rules, located, page, day, text };
    return text;
  }

  async #pageOf(rules: Rules, { run, group }: LocatedRanking, ageMsMax: number): Promise<Shown['page']> {
    return group === null ? NOBODY : this.#pages.read(this.#service, rules, run, group, ageMsMax);
  }

  /**
   * The ranking of a user is located again now and then: the date of the user's zone decides the run. A user
   * without a group may join one with any event.
   */
  async #locate(rules: Rules): Promise<LocatedRanking> {
    const shown = this.#shown;
    const isOfUser = namesUser(this.#call(rules));
    const isFresh = shown?.rules === rules && monotonicMs() - this.#locatedMs < LIVE_REFRESH_MS;
    const hasGroup = shown !== null && shown.located.group !== null;
    const isSameDay = shown?.day === defaultDay(rules, this.#service.clock.now());
    return isOfUser && isFresh && isSameDay && hasGroup ? shown.located : this.#locateAgain(rules);
  }

  async #locateAgain(rules: Rules): Promise<LocatedRanking> {
    const located = await locateRanking(this.#service, this.#call(rules));
    this.#locatedMs = monotonicMs();
    return located;
  }
}

function isSameRun(one: LocatedRanking, other: LocatedRanking): boolean {
  return (
    one.group === other.group && one.run.start === other.run.start && one.run.isOver === other.run.isOver
  );
}

/**
 * `offset` counts from the top, or from the rank of the user; a user without a rank has no neighbours either.
 */
function sliceOf(
  page: readonly LeaderboardRanking[],
  { offset, limit }: { offset: number; limit: number },
  userId: string | undefined,
  places: number,
): LeaderboardRanking[] {
  const start = userId === undefined ? 0 : page.findIndex((place) => place.userId === userId);
  if (start < 0) return [];
  const first = start + offset;
  return page.slice(Math.max(0, first), Math.max(0, Math.min(places, first + limit)));
}
