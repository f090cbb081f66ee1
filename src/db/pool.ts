import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { POSTGRES_CONNECT_BACKGROUND_MS_MAX, STORE_CLOSE_MS_MAX } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { isPostgresOutage } from './availability.ts';

export type { Pool, PoolClient };

/** What a single statement needs; whatever takes this works inside and outside a transaction. */
export type Queryable = Pool | PoolClient;

const CONNECTIONS_MAX = 10;
/** PostgreSQL that has not said by then that it gave up a statement will not say anything. */
const ANSWER_MS_MAX = 1_000;
/** A process that hangs inside a transaction gives its locks back. */
const IDLE_IN_TRANSACTION_MS_MAX = 60_000;

export interface PoolOptions {
  /** Longest wait for a connection. Beyond it the database counts as down, and the caller answers so instead of waiting. */
  connectMsMax?: number;
  /** A statement that takes longer fails, whether PostgreSQL notices or does not answer at all. */
  statementMsMax?: number;
}

/** Connections are opened when first needed: creating a pool does not fail, its queries do. */
export function createPool(databaseUrl: string, log: Log, options: PoolOptions = {}): Pool {
  const { connectMsMax = POSTGRES_CONNECT_BACKGROUND_MS_MAX, statementMsMax } = options;
  const pool = new Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: connectMsMax,
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

/** Closes the pool once its connections are free. PostgreSQL that hangs is left after `STORE_CLOSE_MS_MAX`. */
export async function closePool(pool: Pool): Promise<void> {
  const timeout = new AbortController();
  const leave = sleep(STORE_CLOSE_MS_MAX, undefined, { signal: timeout.signal, ref: false }).catch(() => {});
  await Promise.race([pool.end(), leave]);
  timeout.abort();
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
    // A connection that is lost, or cannot even roll back, must not be used again.
    broken = isPostgresOutage(error);
    if (!broken) {
      await client.query('rollback').catch(() => {
        broken = true;
      });
    }
    throw error;
  } finally {
    client.release(broken);
  }
}
