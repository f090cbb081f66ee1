import { type Cells, cellsOf } from '../base/cells.ts';
import { ServiceError } from '../base/errors.ts';
import type { Pool } from '../db/pool.ts';
import { isPostgresOutage } from '../db/postgresAvailability.ts';
import type { Rows } from '../db/rows.ts';
import type { Scripts } from '../redis/scripts/scripts.ts';
import { waitForRelay } from '../redis/state/relayProgress.ts';

/** Reads of PostgreSQL that wait until the relay has written all earlier events. */
export class History {
  readonly #pool: Pool;
  readonly #scripts: Scripts;
  readonly #cells: Cells;
  readonly #waitMsMax: number;

  constructor(options: { pool: Pool; scripts: Scripts; cells: Cells; waitMsMax: number }) {
    this.#pool = options.pool;
    this.#scripts = options.scripts;
    this.#cells = options.cells;
    this.#waitMsMax = options.waitMsMax;
  }

  /**
   * Reads once the relay has passed everything that has happened to the tenant until now.
   * @throws ServiceError `unavailable` when that takes too long, or PostgreSQL does not answer
   */
  async read<T>(tenant: number, read: (rows: Rows) => Promise<T>): Promise<T> {
    await waitForRelay(this.#scripts, cellsOf(tenant, this.#cells), this.#waitMsMax);
    return read(this.final);
  }

  /**
   * Reads rows that do not change any more, without waiting for the relay.
   * @throws ServiceError `unavailable` when PostgreSQL does not answer
   */
  readonly final: Rows = async (statement, values) => {
    try {
      return (await this.#pool.query({ ...statement, values })).rows;
    } catch (error) {
      if (!isPostgresOutage(error)) throw error;
      throw new ServiceError('unavailable', 'The history is not available; try again');
    }
  };
}
