import { type Client, type ClientOptions, createClient } from './client.js';
import { LaurelError } from './errors.js';

export type SessionOptions = Pick<ClientOptions, 'url' | 'token' | 'getToken' | 'tenant'>;

/** A client, and the user for whom its tokens are. */
export class Session {
  readonly client: Client;
  readonly #options: SessionOptions;
  #userId: Promise<string> | null = null;
  #fetching: Promise<string> | null = null;

  constructor(options: SessionOptions) {
    const getToken = options.getToken && (() => this.#fetchToken(options.getToken!));
    this.#options = { ...options, ...(getToken && { getToken }) };
    this.client = createClient(this.#options);
  }

  /** The session and its client may need the first token at the same time. */
  #fetchToken(getToken: () => string | Promise<string>): Promise<string> {
    this.#fetching ??= Promise.resolve()
      .then(getToken)
      .finally(() => {
        this.#fetching = null;
      });
    return this.#fetching;
  }

  /** Rejects without a token, and with what `getToken` throws. The next call tries again. */
  userId(): Promise<string> {
    this.#userId ??= this.#readUserId().catch((error) => {
      this.#userId = null;
      throw error;
    });
    return this.#userId;
  }

  async #readUserId(): Promise<string> {
    const { token = await this.#options.getToken?.() } = this.#options;
    const userId = token === undefined ? null : subjectOf(token);
    if (userId === null) throw new LaurelError('There is no token of a user', { code: 'unauthorized' });
    this.client.setToken(token!);
    return userId;
  }
}

/** The user whom a token names; null if it is no token. laurel checks the signature, not the page. */
export function subjectOf(token: string): string | null {
  try {
    const claims = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(claims), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)).sub ?? null;
  } catch {
    return null;
  }
}
