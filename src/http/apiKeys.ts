import { ServiceError } from '../base/errors.ts';
import { sha256 } from '../base/ids.ts';

export interface ApiKey {
  id: string;
  /** Safe to show and log. */
  prefix: string;
  kind: 'admin' | 'application';
  /** Number of the tenant it is bound to; null for any. */
  tenant: number | null;
}

const ACCEPTED_KEYS_MAX = 10_000;

/** Known keys by their SHA-256; a key that was accepted once is not hashed again. */
export class ApiKeys {
  readonly #byHash = new Map<string, ApiKey>();
  readonly #accepted = new Map<string, ApiKey>();

  replace(keys: { sha256: Buffer; key: ApiKey }[]): void {
    this.#byHash.clear();
    this.#accepted.clear();
    for (const { sha256: hash, key } of keys) this.#byHash.set(hash.toString('hex'), key);
  }

  /** @throws ServiceError `unauthorized` */
  authenticate(presented: string): ApiKey {
    const accepted = this.#accepted.get(presented);
    if (accepted !== undefined) return accepted;
    if (presented === '') throw new ServiceError('unauthorized', 'The X-API-KEY header is missing');
    const key = this.#byHash.get(sha256(presented).toString('hex'));
    if (key === undefined) throw new ServiceError('unauthorized', 'The X-API-KEY header does not hold a valid key');
    if (this.#accepted.size < ACCEPTED_KEYS_MAX) this.#accepted.set(presented, key);
    return key;
  }
}
