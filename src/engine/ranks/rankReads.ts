import { Batcher } from '../../base/batcher.ts';
import { allCells, type Cells } from '../../base/cells.ts';
import { pack, unpackAll } from '../../redis/decoding/codec.ts';
import { ASKED_RANK } from '../../redis/layouts/argumentLayout.ts';
import { type RecordOf, readRecords, toRecords } from '../../redis/layouts/recordLayout.ts';
import { FOUND_RANK } from '../../redis/layouts/reportLayout.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';

/** Ranks of a cell that a server reads in one call. */
const RANKS_TOGETHER_MAX = 500;

type AskedRank = RecordOf<typeof ASKED_RANK>;
type FoundRank = RecordOf<typeof FOUND_RANK>;

/** Reads the ranks of single members of rankings. Reads of a cell are made together. */
export class RankReads {
  /** By cell. */
  readonly #reads: Batcher<AskedRank, FoundRank>[];

  constructor(scripts: Scripts, cells: Cells) {
    const options = { most: RANKS_TOGETHER_MAX, isCommon: () => true };
    this.#reads = allCells(cells).map(
      (cell) => new Batcher((members) => readRanks(scripts, cell, members), options),
    );
  }

  read(cell: number, member: AskedRank): Promise<FoundRank> {
    return this.#reads[cell]!.call(member);
  }
}

async function readRanks(
  scripts: Scripts,
  cell: number,
  members: readonly AskedRank[],
): Promise<FoundRank[]> {
  const [flat] = unpackAll(await scripts.readRanks(cell, pack(toRecords(ASKED_RANK, members))));
  return readRecords(FOUND_RANK, flat as unknown[]);
}
