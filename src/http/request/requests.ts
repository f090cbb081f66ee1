import { randomBytes } from 'node:crypto';
import { REQUEST_ID_CHARS_MAX } from '../../base/limits.ts';
import type { Log } from '../../base/log.ts';
import type { Tracing } from '../../base/spans.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The requests of a server that are not answered yet, and whether their connections are to be closed. */
export class Requests {
  /** Received and not answered. */
  underWay = 0;
  /** Every answer closes its connection, so that clients go to another server before this one ends. */
  isDraining = false;
  /** Where every request is logged; null unless the level of the log is debug. */
  readonly log: Log | null;
  /** null unless requests are traced. */
  readonly tracing: Tracing | null;
  /** Begins the ids that this server makes. */
  readonly #prefix = `${randomBytes(6).toString('hex')}-`;
  #made = 0;

  constructor(log: Log, tracing: Tracing | null = null) {
    this.tracing = tracing;
    this.log = log.isLevelEnabled('debug') ? log : null;
  }

  /** The id that a client or proxy has given, if it can be logged and returned as it is, else a new one. */
  idFor(given: string): string {
    if (given !== '' && given.length <= REQUEST_ID_CHARS_MAX && VISIBLE_ASCII.test(given)) return given;
    return this.#prefix + (this.#made++).toString(36);
  }
}
