import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { cellsOf } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { LIVE_READS_MAX, LIVE_REFRESH_MS } from '../../base/limits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { LeaderboardRanking } from '../../contract/leaderboard.ts';
import { type GroupRanking, keysOfRanking, readWholeRanking } from '../../engine/ranks/readRanking.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { ShownRun } from '../leaderboards/leaderboardHandlers.ts';
import type { Service } from '../request/service.ts';

/**
 * A read rests this many times its duration before the next one, so that a busy Redis serves events first.
 */
const REST = 3;

type Page = readonly LeaderboardRanking[];

interface Ranking {
  page: Page;
  /** Equal as long as nobody enters, moves or leaves. */
  version: string;
  names: Map<string, string | null>;
  checkedMs: number;
  refreshedMs: number;
}

/**
 * The rankings that are watched, each with all its places. Every user who enters a ranking or moves in one
 * raises the tenant's counter of arrivals, and a user who leaves makes the ranking smaller. So counter and
 * size tell whether a ranking has changed, and events do nothing for it. Names are kept, and read again every
 * `LIVE_REFRESH_MS`.
 */
export class RankingPages {
  readonly #rankings = new LRUCache<string, Ranking>({ max: LIVE_READS_MAX });
  readonly #checks = new Map<string, Promise<void>>();
  readonly #semaphore = new Semaphore(1, LIVE_READS_MAX);

  /**
   * All places of a group. The same array as long as nothing has changed.
   * @param ageMsMax how long ago the ranking may have been checked for changes
   */
  async read(service: Service, rules: Rules, run: ShownRun, group: string, ageMsMax: number): Promise<Page> {
    const ranking = { ...run, group };
    const sets = keysOfRanking(service.cells, rules.tenant, ranking);
    const name = `${sets[0]} ${run.board.maxParticipants} ${run.isOver}`;
    const sinceMs = monotonicMs() - ageMsMax;
    for (;;) {
      const known = this.#rankings.get(name);
      if (known !== undefined && known.checkedMs >= sinceMs) return known.page;
      let check = this.#checks.get(name);
      if (check === undefined) {
        check = this.#check(service, rules, ranking, sets, known)
          .then((ranking) => void this.#rankings.set(name, ranking))
          .finally(() => this.#checks.delete(name));
        this.#checks.set(name, check);
      }
      await check;
    }
  }

  async #check(
    service: Service,
    rules: Rules,
    ranking: GroupRanking,
    sets: readonly string[],
    known: Ranking | undefined,
  ): Promise<Ranking> {
    const { redis, cells } = service;
    const checkedMs = monotonicMs();
    const [arrivals, sizes] = await Promise.all([
      Promise.all(cellsOf(rules.tenant, cells).map((cell) => redis.get(keys.arrivals(rules.tenant, cell)))),
      Promise.all(sets.map((key) => redis.zcard(key))),
    ]);
    const version = `${arrivals} ${sizes}`;
    const isFresh = known !== undefined && checkedMs - known.refreshedMs < LIVE_REFRESH_MS;
    if (isFresh && known.version === version) return { ...known, checkedMs };
    const names = isFresh ? known.names : new Map<string, string | null>();
    const refreshedMs = isFresh ? known.refreshedMs : checkedMs;
    const page = await this.#inTurn(() => readWholeRanking(service, rules.tenant, ranking, names));
    const isSame = known !== undefined && JSON.stringify(known.page) === JSON.stringify(page);
    return { page: isSame ? known.page : page, version, names, checkedMs, refreshedMs };
  }

  /** One read at a time, each followed by a rest. */
  #inTurn<T>(read: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const done = this.#semaphore.run(async () => {
        const startedMs = monotonicMs();
        await read().then(resolve, reject);
        await sleep(REST * (monotonicMs() - startedMs), undefined, { ref: false });
      });
      done.catch(reject);
    });
  }
}
