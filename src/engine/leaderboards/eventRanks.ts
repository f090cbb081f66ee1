import { LRUCache } from 'lru-cache';
import { type Cells, cellsOf } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { BoardChange, Outcome } from '../../redis/scripts/outcome.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { scoreOf } from '../../rules/rankingOrder.ts';
import type { Rules } from '../../rules/rules.ts';
import { HeldRanking } from './heldRanking.ts';

/** Greatest age of the scores of other cells. */
const RANKS_AGE_MS_MAX = 1_000;
/** Rankings whose scores a server holds; each takes 8 bytes a rank and cell. */
const RANKINGS_HELD_MAX = 200;

/** Changes of ranks by one script call in a cell. `sentMs` is when it was sent, monotonic. */
export interface RankedCall {
  rules: Rules;
  cell: number;
  sentMs: number;
}

/**
 * Ranks among all users, for tenants that are spread over cells. A script knows only the ranking of its cell:
 * it gives the rank there, to which the users with better scores in the other cells are added. Users in other
 * cells with an equal score count as better, unless equal scores share a rank. Their scores are at most
 * `RANKS_AGE_MS_MAX` old, and are read only while events need them.
 */
export class EventRanks {
  readonly #scripts: Scripts;
  readonly #cells: Cells;
  readonly #held = new LRUCache<string, HeldRanking>({ max: RANKINGS_HELD_MAX });

  constructor(scripts: Scripts, cells: Cells) {
    this.#scripts = scripts;
    this.#cells = cells;
  }

  /**
   * Calls `done` when the ranks of an answer are those of the tenant, at once if possible. The answer has no
   * ranks if the other cells cannot be read: what it reports has happened.
   */
  whenMerged(call: RankedCall, outcome: Outcome, done: () => void): void {
    const merging = 'boards' in outcome ? this.merge(call, outcome.boards) : null;
    if (merging === null) {
      forgetUnranked(outcome);
      done();
    } else {
      void merging
        .then(
          () => forgetUnranked(outcome),
          () => 'boards' in outcome && outcome.boards.splice(0),
        )
        .then(done);
    }
  }

  /**
   * Replaces ranks and thresholds of a cell by those of the tenant.
   * @returns null if that is done; a promise if scores must be read first
   */
  merge(call: RankedCall, changes: readonly BoardChange[]): Promise<void> | null {
    const { rules } = call;
    if (this.#cells.spread === 1 || changes.length === 0) return null;
    const known = changes.filter(({ board }) => rules.findByNo('leaderboards', board) !== null);
    const isAged = (held: HeldRanking, ageMsMax: number) => monotonicMs() - held.readMs > ageMsMax;
    const rankings = new Set(known.flatMap((change) => this.#rankingsOf(rules, change)));
    const old = [...rankings].filter((held) => isAged(held, RANKS_AGE_MS_MAX));
    const merge = (): void => {
      for (const change of known) this.#mergeOne(call, change);
    };
    if (old.length > 0) return Promise.all(old.map((held) => held.refresh())).then(merge);
    merge();
    // Busy rankings are refreshed early, so that no event waits for it.
    for (const held of rankings) if (isAged(held, RANKS_AGE_MS_MAX / 2)) held.refresh().catch(() => {});
    return null;
  }

  #rankingsOf(rules: Rules, { board, run, group, leftGroup }: BoardChange): HeldRanking[] {
    const groups = leftGroup === undefined ? [group] : [group, leftGroup];
    return groups.map((name) => this.#rankingOf(rules, board, run, name));
  }

  #rankingOf(rules: Rules, board: number, run: number, group: string): HeldRanking {
    const { maxParticipants } = rules.byNo('leaderboards', board);
    const name = `${rules.tenant}:${board}:${run}:${maxParticipants}:${group}`;
    let held = this.#held.get(name);
    if (held === undefined) {
      const { tenant } = rules;
      const inCells = cellsOf(tenant, this.#cells).map((cell) => ({
        cell,
        ranking: keys.board(tenant, cell, board, run, group),
        arrivals: keys.arrivals(tenant, cell),
      }));
      held = new HeldRanking(this.#scripts, inCells, maxParticipants);
      this.#held.set(name, held);
    }
    return held;
  }

  #mergeOne({ rules, cell, sentMs }: RankedCall, change: BoardChange): void {
    const board = rules.byNo('leaderboards', change.board);
    const { rank, previousRank } = change;
    const score = scoreOf(board, change.value);
    const previous = previousRank === null ? null : scoreOf(board, change.previousValue!);
    const [now, left = now] = this.#rankingsOf(rules, change) as [HeldRanking, HeldRanking?];
    left.apply(cell, { from: previous, to: null }, sentMs);
    now.apply(cell, { from: null, to: rank === null ? null : score }, sentMs);
    const isShared = board.ties === 'shared';
    change.rank = rank && within(board, rank + now.countInOthers(cell, score, isShared));
    change.previousRank =
      previousRank && within(board, previousRank + left.countInOthers(cell, previous!, isShared));
    const { threshold } = now;
    change.threshold = threshold === null ? 0 : scoreOf(board, threshold);
  }
}

const within = ({ maxParticipants }: Leaderboard, rank: number): number | null =>
  rank > maxParticipants ? null : rank;

/** A rank in a cell may be none among all users. */
function forgetUnranked(outcome: Outcome): void {
  if (!('boards' in outcome)) return;
  outcome.boards = outcome.boards.filter(({ rank, previousRank }) => rank !== null || previousRank !== null);
}
