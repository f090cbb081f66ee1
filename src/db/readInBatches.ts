import type { QueryResultRow } from 'pg';
import type { PoolClient } from './pool.ts';

/**
 * Reads the rows of a query a batch at a time, through a cursor of the transaction that `client` is in: memory stays bounded,
 * and all that is read is of the moment at which the transaction began (if it is `repeatable read`).
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
