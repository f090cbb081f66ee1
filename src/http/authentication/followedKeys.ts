import type { Redis } from 'ioredis';
import type { Log } from '../../base/log.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { type AcceptedKey, listAcceptedKeys, listAcceptedKeysById } from '../../db/access/apiKeyRows.ts';
import { listSecretsById, listUserTokenSecrets } from '../../db/access/userTokenSecretRows.ts';
import type { Pool } from '../../db/pool.ts';
import { connectSubscriber, publish } from '../../redis/connection/redisClient.ts';
import { keys as redisKeys } from '../../redis/keys/redisKeys.ts';
import type { ApiKeys } from './apiKeys.ts';
import type { UserTokens } from './userTokens.ts';

/** Reads of changed keys that wait for the one before. A server that falls behind loads all keys. */
const KEY_READS_WAITING_MAX = 1_000;

const RETRY_MS = 1_000;

export interface FollowedKeysOptions {
  apiKeys: ApiKeys;
  userTokens: UserTokens;
  pool: Pool;
  redis: Redis;
  log: Log;
}

/**
 * Keeps keys, sessions and secrets of tenants in memory up to date, whichever server changes them. Reads come
 * one after the other: the answer to an older one would bring back a key that was revoked since.
 */
export class FollowedKeys {
  readonly #parts: FollowedKeysOptions;
  readonly #subscriber: Redis;
  readonly #reads = new Semaphore(1, KEY_READS_WAITING_MAX);
  #isRetrying = false;
  #closed = false;

  constructor(parts: FollowedKeysOptions) {
    this.#parts = parts;
    this.#subscriber = connectSubscriber(parts.redis);
  }

  /** Loads all keys now and after each reconnection, and single keys when a server publishes a change. */
  async follow(): Promise<void> {
    const orRetry = (read: Promise<void>): void => void read.catch(() => this.#retry());
    this.#subscriber.on('message', (_channel: string, ids: string) =>
      orRetry(this.#loadSome(ids.split(','))),
    );
    await this.#subscriber.subscribe(redisKeys.keyChanges);
    await this.#loadAll();
    this.#subscriber.on('ready', () => orRetry(this.#loadAll()));
  }

  /**
   * Loads these keys before it returns, and tells all servers to do the same. If they cannot be loaded, this
   * server tries again when it gets its own message. One that misses the message loads all keys when its
   * connection is back.
   * @throws the error of PostgreSQL
   */
  async reload(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const told = publish(this.#parts.redis, redisKeys.keyChanges, ids.join(',')).catch((error: Error) => {
      this.#parts.log.warn({ error: error.message }, 'could not publish changed keys to the other servers');
    });
    await Promise.all([this.#loadSome(ids), told]);
  }

  close(): void {
    this.#closed = true;
    this.#subscriber.disconnect();
  }

  #loadSome(ids: string[]): Promise<void> {
    const { apiKeys, userTokens, pool } = this.#parts;
    return this.#reads.run(async () => {
      const [keys, secrets] = await Promise.all([
        listAcceptedKeysById(pool, ids),
        listSecretsById(pool, ids),
      ]);
      apiKeys.update(ids, keys.map(toKnown));
      userTokens.updateSecrets(ids, secrets);
    });
  }

  #loadAll(): Promise<void> {
    const { apiKeys, userTokens, pool } = this.#parts;
    return this.#reads.run(async () => {
      const [keys, secrets] = await Promise.all([listAcceptedKeys(pool), listUserTokenSecrets(pool)]);
      apiKeys.replace(keys.map(toKnown));
      userTokens.replaceSecrets(secrets);
    });
  }

  /** Loads all keys as soon as that is possible. The next attempt knows what any failed read has missed. */
  async #retry(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    while (!this.#closed) {
      try {
        await this.#loadAll();
        break;
      } catch (error) {
        this.#parts.log.warn({ error: (error as Error).message }, 'could not load the keys');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
    this.#isRetrying = false;
  }
}

const toKnown = ({ sha256, ...key }: AcceptedKey) => ({ sha256, key });
