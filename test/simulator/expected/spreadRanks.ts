import type { Config, Leaderboard } from '../../../src/rules/config.ts';
import { differenceOf, Excused, type Expected } from '../difference.ts';

type Ranks = Readonly<Record<string, Expected | undefined>>;

/**
 * Ranks and thresholds in the answer to an event of a tenant that is spread over cells: those of other cells may be
 * a second old, so a leaderboard may be missing, or have other ranks (docs/operations.md). Groups of leagues are in one cell.
 */
export class SpreadRanks extends Excused {
  readonly #config: Config;
  readonly #ranks: Ranks;

  /** @param ranks if nothing were old, by key of the leaderboard */
  constructor(config: Config, ranks: Expected) {
    super('object', 'scores of other cells are up to a second old');
    this.#config = config;
    this.#ranks = ranks as Ranks;
  }

  override allows(value: unknown): boolean {
    if (!super.allows(value)) return false;
    const found = value as Readonly<Record<string, unknown>>;
    const isKnown = ({ key }: Leaderboard): boolean => key in found || key in this.#ranks;
    const boards = this.#config.leaderboards.filter(isKnown);
    const hasOthers = Object.keys(found).some((key) => !boards.some((board) => board.key === key));
    return !hasOthers && boards.every((board) => this.#allowsRanks(board, found[board.key]));
  }

  #allowsRanks({ key, league, maxParticipants }: Leaderboard, found: unknown): boolean {
    const expected = this.#ranks[key];
    if (league !== null) return differenceOf(found, expected, key) === null;
    if (found === undefined) return true;
    const { rank, previousRank, threshold } = found as Readonly<Record<string, unknown>>;
    const isRank = (one: unknown): boolean =>
      one === null || (Number.isInteger(one) && Number(one) >= 1 && Number(one) <= maxParticipants);
    if (!isRank(rank) || !isRank(previousRank) || (rank === null && previousRank === null)) return false;
    const open = expected && { ...(expected as object), rank, previousRank, threshold };
    return typeof threshold === 'number' && (!open || differenceOf(found, open as Expected, key) === null);
  }
}
