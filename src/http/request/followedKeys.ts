import type { Redis } from 'ioredis';
import type { Log } from '../../base/log.ts';
import { type AcceptedKey, listAcceptedKeys, listAcceptedKeysById } from '../../db/access/apiKeyRows.ts';
import { listSecretsById, listUserTokenSecrets } from '../../db/access/userTokenSecretRows.ts';
import type { Pool } from '../../db/pool.ts';
import { connectSubscriber, publish } from '../../redis/connection/redisClient.ts';
import { keys as redisKeys } from '../../redis/state/redisKeys.ts';
import type { UserTokens } from '../tokens/userTokens.ts';
import type { ApiKeys } from './apiKeys.ts';

const RETRY_MS = 1_000;

export interface FollowedKeysOptions {
  apiKeys: ApiKeys;
  userTokens: UserTokens;
  pool: Pool;
  redis: Redis;
  log: Log;
}

/** Keeps keys, sessions and secrets of tenants in memory up to date, whichever server changes them. */
export class FollowedKeys {
  readonly #apiKeys: ApiKeys;
  readonly #userTokens: UserTokens;
  readonly #pool: Pool;
  readonly #redis: Redis;
  readonly #log: Log;
  readonly #subscriber: Redis;
  #closed = false;

  constructor({ apiKeys, userTokens, pool, redis, log }: FollowedKeysOptions) {
    this.#apiKeys = apiKeys;
    this.#userTokens = userTokens;
    this.#pool = pool;
    this.#redis = redis;
    this.#log = log;
    this.#subscriber = connectSubscriber(redis);
  }

  /** Loads all keys now and after each reconnection, and single keys when a server publishes a change. */
  async follow(): Promise<void> {
    this.#subscriber.on('message', (_channel: string, ids: string) => void this.#loadSome(ids.split(',')));
    await this.#subscriber.subscribe(redisKeys.keyChanges);
    await this.#load();
    this.#subscriber.on('ready', () => void this.#loadUntilDone());
  }

  /** Loads these keys before it returns, and tells the other servers to do the same. */
  async reload(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#take(ids);
    // A server that misses the message loads all keys when its connection is back.
    await publish(this.#redis, redisKeys.keyChanges, ids.join(',')).catch((error: Error) => {
      this.#log.warn({ error: error.message }, 'could not tell the other servers of changed keys');
    });
  }

  close(): void {
    this.#closed = true;
    this.#subscriber.disconnect();
  }

  async #take(ids: string[]): Promise<void> {
    const [keys, secrets] = await Promise.all([
      listAcceptedKeysById(this.#pool, ids),
      listSecretsById(this.#pool, ids),
    ]);
    this.#apiKeys.update(ids, keys.map(toKnown));
    this.#userTokens.updateSecrets(ids, secrets);
  }

  async #load(): Promise<void> {
    const [keys, secrets] = await Promise.all([
      listAcceptedKeys(this.#pool),
      listUserTokenSecrets(this.#pool),
    ]);
    this.#apiKeys.replace(keys.map(toKnown));
    this.#userTokens.replaceSecrets(secrets);
  }

  async #loadSome(ids: string[]): Promise<void> {
    await this.#take(ids).catch(() => this.#loadUntilDone());
  }

  async #loadUntilDone(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#load();
        return;
      } catch (error) {
        this.#log.warn({ error: (error as Error).message }, 'could not load the keys');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }
}

const toKnown = ({ sha256, ...key }: AcceptedKey) => ({ sha256, key });
