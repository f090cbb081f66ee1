import { Pool, type PoolClient } from 'pg';
import type { Log } from '../base/log.ts';

export type { Pool, PoolClient };

/** What a single statement needs; whatever takes this works inside and outside a transaction. */
export type Queryable = Pool | PoolClient;

const CONNECTIONS_MAX = 10;
/** Beyond this the database counts as down, and the caller answers so instead of waiting. */
const CONNECT_MS_MAX = 5_000;
/** PostgreSQL that has not said by then that it gave up a statement will not say anything. */
const ANSWER_MS_MAX = 1_000;
/** A process that hangs inside a transaction gives its locks back. */
const IDLE_IN_TRANSACTION_MS_MAX = 60_000;

/**
 * Connections are opened when first needed: creating a pool does not fail, its queries do.
 *
 * @param statementMsMax a statement that takes longer fails, whether PostgreSQL notices or does not answer at all
 */
export function createPool(databaseUrl: string, log: Log, statementMsMax?: number): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    application_name: 'laurel',
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
    ...(statementMsMax && { statement_timeout: statementMsMax, query_timeout: statementMsMax + ANSWER_MS_MAX }),
  });
  pool.on('error', (error) => log.warn({ error: error.message }, 'lost an idle PostgreSQL connection'));
  // The pool listens to idle connections only: without this, one that breaks while in use would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ error: error.message }, 'PostgreSQL connection failed'));
  });
  return pool;
}

/** Runs `fn` between BEGIN and COMMIT on one connection; whatever it throws rolls everything back and is thrown on. */
export async function transaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    const result = await fn(client);
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that cannot even roll back must not be used again.
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
