/**
 * A filter of fingerprints: it says of a fingerprint that it may be among those the filter was built of, or
 * that it is not. It takes 2.4 bytes for each, and is wrong about one in 13,000 others.
 *
 * A fingerprint has a position among all fingerprints, and so a line and, within the line, one of `TAGS`
 * tags. The filter holds the tags of each line, on average five. A chunk, one Redis key, has
 * `KEY_FILTER.lines` lines: first, for each line and for the end, how many tags of the chunk come before it;
 * then the tags; all in two bytes, the lower one first. lua/includes/keyFilter.lua reads it.
 */
const LINES = 1_024;
const TAGS = 65_536;
const TAGS_PER_LINE = 5;
const NUMBER_BYTES = 2;
/** Most tags that a chunk counts; it holds a thirteenth of them on average. */
const CHUNK_TAGS_MAX = 65_535;

/** For lua/includes/keyFilter.lua. */
export const KEY_FILTER = {
  lines: LINES,
  tags: TAGS,
  numberBytes: NUMBER_BYTES,
  head: NUMBER_BYTES * (LINES + 1),
} as const;

/** Position of a fingerprint among all, 0 to below 1, as lua/includes/keyBuckets.lua computes it. */
export function positionOf(fingerprint: string): number {
  const position = Number(fingerprint) / 2 ** 64 + 0.5;
  return position < 1 ? position : 0;
}

/** Number of lines for a number of fingerprints. */
export function linesFor(fingerprints: number): number {
  return Math.max(1, Math.ceil(fingerprints / TAGS_PER_LINE));
}

/** Number of chunks with these lines. */
export function chunksOf(lines: number): number {
  return Math.ceil(lines / LINES);
}

/** Builds the chunks of a filter, in order. */
export class FilterBuilder {
  readonly #lines: number;
  readonly #write: (chunk: number, content: Buffer) => void;
  #chunk = 0;
  /** Tags of the present chunk before the end of each line. */
  #ends = new Uint16Array(LINES);
  #tags: number[] = [];
  #last = '';

  /** @param write takes each chunk when it is complete */
  constructor(lines: number, write: (chunk: number, content: Buffer) => void) {
    this.#lines = lines;
    this.#write = write;
  }

  /** Adds a fingerprint, not lower than the one before. */
  add(fingerprint: string): void {
    if (fingerprint === this.#last) return;
    this.#last = fingerprint;
    const at = positionOf(fingerprint) * this.#lines;
    const line = Math.floor(at);
    while (Math.floor(line / LINES) > this.#chunk) this.#complete();
    if (this.#tags.length === CHUNK_TAGS_MAX) throw new Error('the fingerprints are not those of a hash');
    this.#tags.push(Math.floor((at - line) * TAGS));
    this.#ends[line % LINES] = this.#tags.length;
  }

  finish(): void {
    while (this.#chunk < chunksOf(this.#lines)) this.#complete();
  }

  #complete(): void {
    const head = new Uint16Array(LINES + 1);
    for (let line = 0; line < LINES; line++) head[line + 1] = Math.max(head[line]!, this.#ends[line]!);
    const content = Buffer.alloc(KEY_FILTER.head + NUMBER_BYTES * this.#tags.length);
    for (const [i, number] of [...head, ...this.#tags].entries())
      content.writeUInt16LE(number, NUMBER_BYTES * i);
    this.#write(this.#chunk++, content);
    this.#ends = new Uint16Array(LINES);
    this.#tags = [];
  }
}
