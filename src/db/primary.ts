import { Client, type ClientConfig } from 'pg';
import type { Log } from '../base/log.ts';
import { SingleFlight } from '../base/singleFlight.ts';
import type { Host } from './postgresAddress.ts';
import { isPostgresOutage } from './postgresAvailability.ts';

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

/** No host of DATABASE_URL takes writes now. */
class NoPrimaryError extends Error {
  readonly code = READ_ONLY;
}

/**
 * Finds the host that takes writes, and remembers it. If a connection to it fails, or it no longer takes
 * writes, the next connection asks all hosts at once, and the first one that takes writes is used.
 */
export class Primary {
  readonly #hosts: readonly Host[];
  readonly #config: ClientConfig;
  readonly #log: Log;
  #known: Host | null = null;
  #last: Host | null = null;
  readonly #search = new SingleFlight<'primary', Host>();

  /** @param config of the connections that ask the hosts */
  constructor(hosts: readonly Host[], config: ClientConfig, log: Log) {
    this.#hosts = hosts;
    this.#config = config;
    this.#log = log;
  }

  /** @throws NoPrimaryError if there is none; the error of a host that refuses the login */
  async find(): Promise<Host> {
    if (this.#known !== null) return this.#known;
    return this.#search.run('primary', () => this.#askAll());
  }

  forget(host: Host): void {
    if (this.#known === host) this.#known = null;
  }

  async #askAll(): Promise<Host> {
    try {
      const found = await Promise.any(this.#hosts.map((host) => this.#ask(host)));
      if (this.#last !== null && found !== this.#last)
        this.#log.warn(found, 'PostgreSQL has another primary');
      this.#known = found;
      this.#last = found;
      return found;
    } catch (failures) {
      const { errors } = failures as { errors: Error[] };
      const refusal = errors.find((error) => !isPostgresOutage(error));
      if (refusal) throw refusal;
      const reasons = errors.map(
        ({ message }, i) => `${this.#hosts[i]!.host}:${this.#hosts[i]!.port}: ${message}`,
      );
      throw new NoPrimaryError(`no host of DATABASE_URL takes writes (${reasons.join('; ')})`);
    }
  }

  async #ask(host: Host): Promise<Host> {
    const client = new Client(this.#config);
    client.on('error', () => {});
    Object.assign(client, host);
    try {
      await client.connect();
      await assertTakesWrites(client);
      return host;
    } finally {
      client.end().catch(() => {});
    }
  }
}

/** @throws NoPrimaryError on a standby, and if transactions are read-only by default */
export async function assertTakesWrites(client: Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  if (rows[0]!.transaction_read_only === 'on') throw new NoPrimaryError('it is read-only');
}
