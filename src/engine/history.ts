import type { QueryResultRow } from 'pg';
import { ServiceError } from '../base/errors.ts';
import type { Pool } from '../db/pool.ts';
import { waitForRelay } from '../redis/relayProgress.ts';
import type { Scripts } from '../redis/scripts.ts';

/** A statement that a connection keeps prepared under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs statements of a read; rows have the shape that the statement's file says. */
export type Rows = <T extends QueryResultRow>(statement: Statement, values: unknown[]) => Promise<T[]>;

/** What has happened, read from PostgreSQL such that whoever caused it finds it there. */
export class History {
  readonly #pool: Pool;
  readonly #scripts: Scripts;
  readonly #shards: number;
  readonly #waitMsMax: number;

  constructor(options: { pool: Pool; scripts: Scripts; shards: number; waitMsMax: number }) {
    this.#pool = options.pool;
    this.#scripts = options.scripts;
    this.#shards = options.shards;
    this.#waitMsMax = options.waitMsMax;
  }

  /**
   * Reads once the relay has passed everything that has happened until now (DESIGN: Durability).
   * @throws ServiceError `unavailable` when that takes too long, or PostgreSQL does not answer
   */
  async read<T>(read: (rows: Rows) => Promise<T>): Promise<T> {
    await waitForRelay(this.#scripts, this.#shards, this.#waitMsMax);
    return read(this.#rows);
  }

  /**
   * Reads what nothing that happens now changes any more, without waiting for the relay.
   * @throws ServiceError `unavailable` when PostgreSQL does not answer
   */
  readFinal<T>(read: (rows: Rows) => Promise<T>): Promise<T> {
    return read(this.#rows);
  }

  readonly #rows: Rows = async (statement, values) => {
    try {
      return (await this.#pool.query({ ...statement, values })).rows;
    } catch (error) {
      throw isOutage(error) ? new ServiceError('unavailable', 'The history is not available; try again') : error;
    }
  };
}

/** SQLSTATE classes by which PostgreSQL says that it cannot serve now; no SQLSTATE at all: it said nothing. */
const OUTAGE_CLASSES = /^(08|53|55|57)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || !SQLSTATE.test(code) || OUTAGE_CLASSES.test(code);
}
