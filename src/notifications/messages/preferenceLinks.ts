import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setOnce } from '../../db/installation.ts';
import type { Queryable } from '../../db/pool.ts';
import type { UserKey } from '../../db/users/userMap.ts';

/**
 * Links that give a user access to their preferences without a login. Only this installation can create them.
 */

const SECRET_BYTES = 32;
const MAC_BYTES = 16;
const TOKEN = /^([\w-]+)\.([\w-]+)$/;

export const PREFERENCES_PATH = '/preferences';

export class PreferenceLinks {
  readonly #secret: string;
  readonly #publicUrl: string | null;

  constructor(secret: string, publicUrl: string | null) {
    this.#secret = secret;
    this.#publicUrl = publicUrl;
  }

  /** Loads the installation's secret, or creates it at the first use. */
  static async open(db: Queryable, publicUrl: string | null): Promise<PreferenceLinks> {
    const secret = await setOnce(db, 'preferenceLinks', randomBytes(SECRET_BYTES).toString('base64url'));
    return new PreferenceLinks(secret, publicUrl);
  }

  /** URL of a user's preferences; null without LAUREL_PUBLIC_URL. */
  urlOf(user: UserKey): string | null {
    return this.#publicUrl === null ? null : `${this.#publicUrl}${PREFERENCES_PATH}/${this.tokenOf(user)}`;
  }

  tokenOf({ tenant, userId }: UserKey): string {
    const named = Buffer.from(`${tenant}:${userId}`).toString('base64url');
    return `${named}.${this.#mac(named).toString('base64url')}`;
  }

  /** The user of a token; null if this installation did not create the token. */
  read(token: string): UserKey | null {
    const [, named, mac] = TOKEN.exec(token) ?? [];
    if (named === undefined || mac === undefined) return null;
    const given = Buffer.from(mac, 'base64url');
    if (given.length !== MAC_BYTES || !timingSafeEqual(given, this.#mac(named))) return null;
    const text = Buffer.from(named, 'base64url').toString();
    const colon = text.indexOf(':');
    return { tenant: Number(text.slice(0, colon)), userId: text.slice(colon + 1) };
  }

  #mac(named: string): Buffer {
    return createHmac('sha256', this.#secret).update(`preferences:${named}`).digest().subarray(0, MAC_BYTES);
  }
}
