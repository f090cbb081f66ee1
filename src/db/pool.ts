import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { POSTGRES_CONNECTIONS_SERVER, STORE_CLOSE_MS_MAX } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { atMost } from '../base/withTimeout.ts';
import { parseDatabaseUrl } from './postgresAddress.ts';
import { isPostgresOutage } from './postgresAvailability.ts';
import { assertTakesWrites, Primary } from './primary.ts';

/** Longest wait of workers and commands for a connection to PostgreSQL. */
const POSTGRES_CONNECT_BACKGROUND_MS_MAX = 5_000;

export type { Pool, PoolClient };

/** Runs single statements. A function that takes this works inside and outside a transaction. */
export type Queryable = Pool | PoolClient;

/**
 * Time beyond `statement_timeout` after which the client stops waiting for PostgreSQL to report the timeout.
 */
const ANSWER_MS_MAX = 1_000;
/** Bounds how long a process that hangs inside a transaction keeps its locks. */
const IDLE_IN_TRANSACTION_MS_MAX = 60_000;

export interface PoolOptions {
  /** Most connections at a time. */
  connectionsMax?: number;
  /** Longest wait for a connection; after it the database counts as unavailable. */
  connectMsMax?: number;
  /** A statement that takes longer fails, also if PostgreSQL does not respond. */
  statementMsMax?: number;
}

/**
 * Connections are opened when first needed, so an unavailable database fails queries, not the creation of the
 * pool.
 * @param databaseUrl as parseDatabaseUrl reads it
 */
export function createPool(databaseUrl: string, log: Log, options: PoolOptions = {}): Pool {
  const { connectMsMax = POSTGRES_CONNECT_BACKGROUND_MS_MAX, connectionsMax = POSTGRES_CONNECTIONS_SERVER } =
    options;
  const { url, hosts, isPooled } = parseDatabaseUrl(databaseUrl);
  const primary =
    hosts && new Primary(hosts, { connectionString: url, connectionTimeoutMillis: connectMsMax / 2 }, log);
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectMsMax,
    application_name: 'laurel',
    Client: connectionClass(primary, isPooled),
    ...timeouts(options, isPooled),
  });
  pool.on('error', (error) => log.warn({ error: error.message }, 'lost an idle PostgreSQL connection'));
  // The pool handles errors of idle connections only; an unhandled error of a connection in use would end the
  // process.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ error: error.message }, 'PostgreSQL connection failed'));
  });
  return pool;
}

/** PgBouncer refuses the timeouts of PostgreSQL as parameters of a connection. */
function timeouts({ statementMsMax }: PoolOptions, isPooled: boolean): PoolConfig {
  return {
    ...(!isPooled && { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX }),
    ...(statementMsMax && { query_timeout: statementMsMax + ANSWER_MS_MAX }),
    ...(statementMsMax && !isPooled && { statement_timeout: statementMsMax }),
  };
}

/** Closes the pool once its connections are free, and waits at most `STORE_CLOSE_MS_MAX` for that. */
export function closePool(pool: Pool): Promise<void> {
  return atMost(pool.end(), STORE_CLOSE_MS_MAX);
}

/**
 * Runs work on a pool of its own whose statements may take any time, such as migrations of a large
 * installation.
 */
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

/**
 * Runs `fn` between BEGIN and COMMIT on one connection. If `fn` throws, rolls back and throws the same error.
 */
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

type OnConnect = (error: Error | undefined) => void;
type Query = (...args: unknown[]) => unknown;

/**
 * The class of the connections of a pool: to the host that takes writes, if there are several, and without
 * prepared statements that outlive a transaction, if PgBouncer gives connections to transactions.
 */
function connectionClass(primary: Primary | null, isPooled: boolean): typeof Client {
  class Connection extends Client {
    constructor(...args: ConstructorParameters<typeof Client>) {
      super(...args);
      if (isPooled) this.query = unnamed(this.query.bind(this) as Query) as Client['query'];
    }

    override connect(): Promise<Client>;
    override connect(callback: OnConnect): void;
    override connect(callback?: OnConnect): Promise<Client> | undefined {
      const connected = (primary === null ? super.connect() : this.#connectTo(primary)).catch(explain);
      if (callback === undefined) return connected;
      connected.then(() => callback(undefined), callback);
      return undefined;
    }

    async #connectTo(primary: Primary): Promise<Client> {
      const host = await primary.find();
      // `pg` reads these when it connects.
      Object.assign(this, host);
      try {
        await super.connect();
        await assertTakesWrites(this);
        return this;
      } catch (error) {
        primary.forget(host);
        this.end().catch(() => {});
        throw error;
      }
    }
  }
  return Connection;
}

/** @throws an error that says what to do, if PgBouncer refuses the parameters of the connection */
function explain(error: Error): never {
  if (!/unsupported startup parameter/.test(error.message)) throw error;
  throw new Error('DATABASE_URL leads to PgBouncer: add pgbouncer=true to its parameters', { cause: error });
}

/** Queries without their names, so that PostgreSQL forgets the statement at the end of the transaction. */
function unnamed(query: Query): Query {
  return (first, ...rest) => {
    if (typeof first !== 'object' || first === null || !('name' in first)) return query(first, ...rest);
    const { name, ...config } = first;
    return query(config, ...rest);
  };
}
