import type { Redis } from 'ioredis';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { allCells, type Cells, cellOf, cellsOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Pool } from '../../db/pool.ts';
import { isPostgresOutage } from '../../db/postgresAvailability.ts';
import { prepared, type Rows } from '../../db/rows.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { Scripts } from '../../redis/scripts/scripts.ts';
import { OutboxSearch } from '../../redis/state/outboxSearch.ts';
import { waitForEntry, waitForRelay } from '../../redis/state/relayProgress.ts';

interface HistoryDependencies {
  pool: Pool;
  redis: Redis;
  cells: Cells;
  waitMsMax: number;
}

/** Reads of PostgreSQL that wait until the relay has written what they are about. */
export class History {
  readonly #deps: HistoryDependencies;
  readonly #scripts: Scripts;
  /** By cell. */
  readonly #searches: OutboxSearch[];

  constructor(deps: HistoryDependencies) {
    this.#deps = deps;
    const { redis, cells } = deps;
    this.#scripts = new Scripts(redis, cells);
    this.#searches = allCells(cells).map((cell) => new OutboxSearch(redis, this.#scripts, cell));
  }

  /**
   * Reads once the relay has passed everything that has happened to the tenant until now.
   * @throws ServiceError `unavailable` when that takes too long, or PostgreSQL does not answer
   */
  async read<T>(tenant: number, read: (rows: Rows) => Promise<T>): Promise<T> {
    const { cells, waitMsMax } = this.#deps;
    await waitForRelay(this.#scripts, cellsOf(tenant, cells), waitMsMax);
    return read(this.final);
  }

  /**
   * Reads rows of one user once the relay has passed everything that has happened to the user until now. It
   * does not wait for others.
   * @throws ServiceError `unavailable` when that takes too long, or PostgreSQL does not answer
   */
  async readUser<T>(user: UserKey, read: (rows: Rows) => Promise<T>): Promise<T> {
    const { cells, waitMsMax } = this.#deps;
    const cell = cellOf(user.tenant, user.userId, cells);
    const last = await this.#searches[cell]!.find(user);
    if (last !== null) await waitForEntry(this.#scripts, { cell, last }, waitMsMax);
    return read(this.final);
  }

  /**
   * Reads rows that do not change any more, without waiting for the relay.
   * @throws ServiceError `unavailable` when PostgreSQL does not answer
   */
  readonly final: Rows = { query: (statement) => this.#query(prepared(this.#deps.pool), statement) };

  /** The same for statements of any text, which connections do not keep. */
  readonly rare: Rows = { query: (statement) => this.#query(this.#deps.pool, statement) };

  async #query<T extends QueryResultRow>(rows: Rows, statement: QueryConfig): Promise<QueryResult<T>> {
    try {
      return await rows.query(statement);
    } catch (error) {
      if (!isPostgresOutage(error)) throw error;
      throw new ServiceError('unavailable', 'The history is not available; try again');
    }
  }
}
