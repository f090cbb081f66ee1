import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { POSTGRES_CONNECT_BACKGROUND_MS_MAX, STORE_CLOSE_MS_MAX } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { isPostgresOutage } from './availability.ts';

export type { Pool, PoolClient };

/** Runs single statements. A function that takes this works inside and outside a transaction. */
export type Queryable = Pool | PoolClient;

const CONNECTIONS_MAX = 10;
/** Time beyond `statement_timeout` after which the client stops waiting for PostgreSQL to report the timeout. */
const ANSWER_MS_MAX = 1_000;
/** Bounds how long a process that hangs inside a transaction keeps its locks. */
const IDLE_IN_TRANSACTION_MS_MAX = 60_000;

export interface PoolOptions {
  /** Longest wait for a connection; after it the database counts as unavailable. */
  connectMsMax?: number;
  /** A statement that takes longer fails, also if PostgreSQL does not respond. */
  statementMsMax?: number;
}

/** Connections are opened when first needed, so an unavailable database fails queries, not the creation of the pool. */
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
  // The pool handles errors of idle connections only; an unhandled error of a connection in use would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ error: error.message }, 'PostgreSQL connection failed'));
  });
  return pool;
}

/** Closes the pool once its connections are free, and waits at most `STORE_CLOSE_MS_MAX` for that. */
export async function closePool(pool: Pool): Promise<void> {
  const timeout = new AbortController();
  const leave = sleep(STORE_CLOSE_MS_MAX, undefined, { signal: timeout.signal, ref: false }).catch(() => {});
  await Promise.race([pool.end(), leave]);
  timeout.abort();
}

/** Runs work on a pool of its own whose statements may take any time, such as migrations of a large installation. */
export async function withUnlimitedPool<T>(
  databaseUrl: string,
  log: Log,
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool(databaseUrl, log);
  try {
    return await work(pool);
  } finally {
    await closePool(pool);
  }
}

/** Runs `fn` between BEGIN and COMMIT on one connection. If `fn` throws, rolls back and throws the same error. */
export async function transaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    const result = await fn(client);
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that is lost or cannot roll back must not be used again.
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
