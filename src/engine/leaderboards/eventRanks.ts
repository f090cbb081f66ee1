import { LRUCache } from 'lru-cache';
import { type Cells, cellsOf } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { BoardChange, Outcome } from '../../redis/scripts/outcome.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { scoreOf } from '../../rules/rankingOrder.ts';
import type { Rules } from '../../rules/rules.ts';
import { type CountInOthers, HeldRanking, type ScoreMove } from './heldRanking.ts';

/** Greatest age of the scores of other cells. */
const RANKS_AGE_MS_MAX = 1_000;
/** Rankings whose scores a server holds; each takes 8 bytes a rank and cell. */
const RANKINGS_HELD_MAX = 200;

/** The rules and the cell of a script call that has changed ranks. */
export interface RankedCall {
  rules: Rules;
  cell: number;
}

/** `sentMs` is when the call was sent, monotonic. */
export interface SentCall extends RankedCall {
  sentMs: number;
}

/**
 * Ranks among all users, for tenants that are spread over cells. A script knows only the ranking of its cell:
 * it gives the rank there, to which the users with better scores in the other cells are added. Users in other
 * cells with an equal score count as better; if equal scores share a rank, only for whether a rank is left.
 * Their scores are at most `RANKS_AGE_MS_MAX` old, and are read only while events need them.
 */
export class EventRanks {
  readonly #scripts: Scripts;
  readonly #cells: Cells;
  readonly #held = new LRUCache<string, HeldRanking>({ max: RANKINGS_HELD_MAX });

  constructor(scripts: Scripts, cells: Cells) {
    this.#scripts = scripts;
    this.#cells = cells;
  }

  /** Applies to the scores that are held what a call has done, before any of its answers gets ranks. */
  apply({ rules, cell, sentMs }: SentCall, outcomes: readonly Outcome[]): void {
    if (this.#cells.spread === 1) return;
    for (const outcome of outcomes) {
      if (!('boards' in outcome)) continue;
      for (const change of known(rules, outcome.boards)) {
        const [now, left = now] = this.#rankingsOf(rules, change) as [HeldRanking, HeldRanking?];
        const { from, to } = movesOf(rules, change);
        left.apply(cell, { from, to: null }, sentMs);
        now.apply(cell, { from: null, to }, sentMs);
      }
    }
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
    const ranked = known(rules, changes);
    const isAged = (held: HeldRanking, ageMsMax: number) => monotonicMs() - held.readMs > ageMsMax;
    const rankings = new Set(ranked.flatMap((change) => this.#rankingsOf(rules, change)));
    const old = [...rankings].filter((held) => isAged(held, RANKS_AGE_MS_MAX));
    const merge = (): void => {
      for (const change of ranked) this.#mergeOne(call, change);
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

  #mergeOne({ rules, cell }: RankedCall, change: BoardChange): void {
    const board = rules.byNo('leaderboards', change.board);
    const { rank, previousRank } = change;
    const { from, to } = movesOf(rules, change);
    const [now, left = now] = this.#rankingsOf(rules, change) as [HeldRanking, HeldRanking?];
    change.rank = rank && rankAmongAll(board, rank, now.countInOthers(cell, to!));
    change.previousRank = previousRank && rankAmongAll(board, previousRank, left.countInOthers(cell, from!));
    const { threshold } = now;
    change.threshold = threshold === null ? 0 : scoreOf(board, threshold);
  }
}

/** Changes of leaderboards that still exist, except leagues: their groups are in one cell. */
const known = (rules: Rules, changes: readonly BoardChange[]): BoardChange[] =>
  changes.filter(({ board }) => rules.findByNo('leaderboards', board)?.league === null);

/** The scores that left and entered the ranks of the cell. */
function movesOf(rules: Rules, change: BoardChange): ScoreMove {
  const board = rules.byNo('leaderboards', change.board);
  return {
    from: change.previousRank === null ? null : scoreOf(board, change.previousValue!),
    to: change.rank === null ? null : scoreOf(board, change.value),
  };
}

/** Null if the users of other cells leave no place, which go to those with equal scores first. */
function rankAmongAll(
  { maxParticipants, ties }: Leaderboard,
  rankInCell: number,
  { better, equal }: CountInOthers,
): number | null {
  if (rankInCell + better + equal > maxParticipants) return null;
  return rankInCell + better + (ties === 'shared' ? 0 : equal);
}

/** A rank in a cell may be none among all users. */
function forgetUnranked(outcome: Outcome): void {
  if (!('boards' in outcome)) return;
  outcome.boards = outcome.boards.filter(({ rank, previousRank }) => rank !== null || previousRank !== null);
}
