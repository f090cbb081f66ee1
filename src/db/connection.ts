import { Client } from 'pg';
import { assertTakesWrites, type Primary } from './primary.ts';

type OnConnect = (error: Error | undefined) => void;
type Query = (...args: unknown[]) => unknown;

/**
 * The class of the connections of a pool: to the host that takes writes, if there are several, and without
 * prepared statements that outlive a transaction, if PgBouncer gives connections to transactions.
 */
export function connectionClass(primary: Primary | null, isPooled: boolean): typeof Client {
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
