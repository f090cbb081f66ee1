import type { Log } from '../../src/base/log.ts';
import { UnknownFormatError } from '../../src/redis/decoding/outbox.ts';
import { type ReadEntry, readEntry } from './entryWriter.ts';
import type { OutboxReader, StreamEntry } from './outboxReader.ts';

/** Entries that a worker of another version has to write, because this version does not know their format. */
export class UnknownEntries {
  readonly #byFormat = new Map<string, StreamEntry[]>();
  readonly #loggedFormats = new Set<string>();
  readonly #reader: OutboxReader;
  readonly #log: Log;

  constructor(reader: OutboxReader, log: Log) {
    this.#reader = reader;
    this.#log = log;
  }

  /** @returns null if another version has written the entry, which is then kept until `leave` */
  read(source: StreamEntry): ReadEntry | null {
    try {
      return readEntry(source);
    } catch (error) {
      if (!(error instanceof UnknownFormatError)) throw error;
      const entries = this.#byFormat.get(error.format);
      if (entries) entries.push(source);
      else this.#byFormat.set(error.format, [source]);
      return null;
    }
  }

  leaveOut(cells: ReadonlySet<number>): void {
    for (const [format, entries] of this.#byFormat) {
      this.#byFormat.set(
        format,
        entries.filter(({ cell }) => !cells.has(cell)),
      );
    }
  }

  /**
   * Leaves the kept entries to relays of another version. This relay continues with the others: rows are
   * ordered by sequence numbers, so entries may be written in any order.
   * @returns the number of entries left
   */
  async leave(): Promise<number> {
    let left = 0;
    for (const [format, entries] of this.#byFormat) {
      await this.#reader.leave(entries, format);
      this.#byFormat.delete(format);
      left += entries.length;
      if (this.#loggedFormats.has(format)) continue;
      this.#loggedFormats.add(format);
      this.#log.warn({ format }, 'outbox entries of this format are left for a worker of another version');
    }
    return left;
  }
}
