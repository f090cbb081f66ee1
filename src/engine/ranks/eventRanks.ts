import { LRUCache } from 'lru-cache';
import { type Cells, cellsOf } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { handled } from '../../base/handled.ts';
import { pack } from '../../redis/decoding/codec.ts';
import type { BoardChange, Changes, Outcome } from '../../redis/decoding/outcome.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { RANK_FLOOR } from '../../redis/layouts/argumentLayout.ts';
import { toRecord } from '../../redis/layouts/recordLayout.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { scoreOf } from '../../rules/rankingOrder.ts';
import type { EventOutcome } from '../calls/metricsOutcomes.ts';
import { type CountInOthers, HeldRanking, type ScoreMove } from './heldRanking.ts';

/** Greatest age of the scores of other cells. */
const RANKS_AGE_MS_MAX = 1_000;
/** Rankings whose scores a server holds; each takes 8 bytes a rank, and about half as much again. */
const RANKINGS_HELD_MAX = 200;
/** How long the scores of a ranking are refreshed after an event has needed them, for floors. */
const FLOOR_USE_MS_MAX = 10_000;
/** Floors of one script call: those of the rankings that events needed last. */
const FLOORS_MAX = 20;

interface KnownRanking {
  tenant: number;
  board: number;
  run: number;
  group: string;
  held: HeldRanking;
  /** When ranks were last asked for, monotonic. */
  neededMs: number;
}

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
  readonly #known = new LRUCache<string, KnownRanking>({ max: RANKINGS_HELD_MAX });

  constructor(scripts: Scripts, cells: Cells) {
    this.#scripts = scripts;
    this.#cells = cells;
  }

  /**
   * RANK_FLOOR records for a script call: scores that have no rank among all users. Most users are among the
   * best of their cell only, so most changes need not be reported.
   */
  floorsOf({ tenant }: Rules): Buffer | undefined {
    if (this.#cells.spread === 1) return undefined;
    const nowMs = monotonicMs();
    const floors: unknown[] = [];
    for (const { held, neededMs, ...ranking } of this.#known.values()) {
      if (ranking.tenant !== tenant || nowMs - neededMs > FLOOR_USE_MS_MAX) continue;
      const ageMs = nowMs - held.readMs;
      if (ageMs > RANKS_AGE_MS_MAX / 2) void handled(held.refresh());
      const floor = ageMs > RANKS_AGE_MS_MAX ? null : held.giveFloor();
      if (floor !== null) floors.push(...toRecord(RANK_FLOOR, { ...ranking, floor }));
      if (floors.length === FLOORS_MAX * RANK_FLOOR.size) break;
    }
    return floors.length === 0 ? undefined : pack(floors);
  }

  /** Applies to the scores that are held what a call has done, before any of its answers gets ranks. */
  apply({ rules, cell, sentMs }: SentCall, outcomes: readonly Outcome[]): void {
    if (this.#cells.spread === 1) return;
    for (const outcome of outcomes) {
      if (!('boards' in outcome)) continue;
      for (const change of known(rules, outcome.boards)) {
        const [now, left] = this.#rankingsOf(rules, change) as [KnownRanking, KnownRanking?];
        const { from, to } = movesOf(rules, change);
        left?.held.apply(cell, { from, to: null }, sentMs);
        now.held.apply(cell, { from: left ? null : from, to }, sentMs);
      }
    }
  }

  /**
   * Replaces the ranks of an answer by those of the tenant. The answer has no ranks if the other cells cannot
   * be read: what it reports has happened.
   * @returns null if that is done; a promise if scores must be read first
   */
  mergeAnswer(call: RankedCall, outcome: EventOutcome): Promise<void> | null {
    if (outcome.status === 'metrics') {
      const merging = outcome.outcomes.flatMap((one) => this.mergeAnswer(call, one) ?? []);
      return merging.length === 0 ? null : Promise.all(merging).then(() => {});
    }
    if (!('boards' in outcome)) return null;
    const merging = this.merge(call, outcome.boards);
    if (merging === null) {
      forgetUnranked(outcome);
      return null;
    }
    return merging.then(
      () => forgetUnranked(outcome),
      () => void outcome.boards.splice(0),
    );
  }

  /**
   * Replaces ranks and thresholds of a cell by those of the tenant.
   * @param sinceMs scores must have been read since then, monotonic
   * @returns null if that is done; a promise if scores must be read first
   */
  merge(
    call: RankedCall,
    changes: readonly BoardChange[],
    sinceMs = monotonicMs() - RANKS_AGE_MS_MAX,
  ): Promise<void> | null {
    const { rules } = call;
    if (this.#cells.spread === 1 || changes.length === 0) return null;
    const ranked = known(rules, changes);
    const nowMs = monotonicMs();
    const rankings = new Set(ranked.flatMap((change) => this.#rankingsOf(rules, change)));
    const old: HeldRanking[] = [];
    for (const ranking of rankings) {
      const { held } = ranking;
      ranking.neededMs = nowMs;
      if (held.readMs < sinceMs) old.push(held);
      // Busy rankings are refreshed early, so that no event waits for it.
      else if (nowMs - held.readMs > RANKS_AGE_MS_MAX / 2) void handled(held.refresh());
    }
    const merge = (): void => {
      for (const change of ranked) this.#mergeOne(call, change);
    };
    if (old.length > 0) return Promise.all(old.map((held) => refreshSince(held, sinceMs))).then(merge);
    merge();
    return null;
  }

  #rankingsOf(rules: Rules, { board, run, group, leftGroup }: BoardChange): KnownRanking[] {
    const now = this.#rankingOf(rules, board, run, group);
    return leftGroup === null ? [now] : [now, this.#rankingOf(rules, board, run, leftGroup)];
  }

  #rankingOf(rules: Rules, board: number, run: number, group: string): KnownRanking {
    const { tenant } = rules;
    const { maxParticipants } = rules.byNo('leaderboards', board);
    const name = `${tenant}:${board}:${run}:${maxParticipants}:${group}`;
    let ranking = this.#known.get(name);
    if (ranking === undefined) {
      const inCells = cellsOf(tenant, this.#cells).map((cell) => ({
        cell,
        ranking: keys.board(tenant, cell, board, run, group),
        arrivals: keys.arrivals(tenant, cell),
      }));
      const held = new HeldRanking(this.#scripts, inCells, maxParticipants);
      ranking = { tenant, board, run, group, held, neededMs: Number.NEGATIVE_INFINITY };
      this.#known.set(name, ranking);
    }
    return ranking;
  }

  #mergeOne({ rules, cell }: RankedCall, change: BoardChange): void {
    const board = rules.byNo('leaderboards', change.board);
    const { rank, previousRank } = change;
    const { from, to } = movesOf(rules, change);
    const [{ held: now }, { held: left } = { held: now }] = this.#rankingsOf(rules, change) as [
      KnownRanking,
      KnownRanking?,
    ];
    change.rank = rank && rankAmongAll(board, rank, now.countInOthers(cell, to!));
    change.previousRank = previousRank && rankAmongAll(board, previousRank, left.countInOthers(cell, from!));
    const { threshold } = now;
    change.threshold = threshold === null ? 0 : scoreOf(board, threshold);
  }
}

/** A read that is under way may have begun too early. */
async function refreshSince(held: HeldRanking, sinceMs: number): Promise<void> {
  await held.refresh();
  if (held.readMs < sinceMs) await held.refresh();
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

const isRanked = ({ rank, previousRank }: BoardChange): boolean => rank !== null || previousRank !== null;

/** A rank in a cell may be none among all users. */
function forgetUnranked(outcome: Changes): void {
  if (!outcome.boards.every(isRanked)) outcome.boards = outcome.boards.filter(isRanked);
}
