import type { QueryResultRow } from 'pg';
import type { PoolClient } from './pool.ts';

/**
 * Reads the rows of a query in batches, through a cursor in the transaction of `client`, so memory stays
 * bounded. In a `repeatable read` transaction, all rows are of the moment at which the transaction began.
 */
export async function* readInBatches<T extends QueryResultRow>(
  client: PoolClient,
  query: string,
  values: unknown[],
  size: number,
): AsyncGenerator<T[]> {
  await client.query(`declare batches no scroll cursor for ${query}`, values);
  for (;;) {
    const { rows } = await client.query<T>(`fetch ${size} from batches`);
    if (rows.length > 0) yield rows;
    if (rows.length < size) break;
  }
  await client.query('close batches');
}
