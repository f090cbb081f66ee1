import type { HttpRequest } from 'uWebSockets.js';
import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { systemClock } from '../../base/clock.ts';
import { SignInRefusal } from './signInRefusal.ts';

export const SIGN_IN_SECONDS_MAX = 600;
/** Longest address in the console to which a sign-in returns. */
const RETURN_PATH_CHARS_MAX = 500;

/** What a sign-in remembers while the person is at the provider. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  /** Secret of PKCE, whose hash the provider has. */
  verifier: string;
  returnPath: string;
}

const NAME = 'laurel_sign_in';
const COOKIE = new RegExp(`(?:^|;)\\s*${NAME}=([^;]+)`);
const ENCRYPTION = { alg: 'dir', enc: 'A256GCM' };
const ATTRIBUTES = 'Path=/console/oidc; HttpOnly; SameSite=Lax';

/**
 * The attempt is in an encrypted cookie of the browser that began it: nobody else can finish it, every server
 * can, and an attempt that is never finished occupies nothing here. Strict would keep the cookie from the
 * provider's redirect, so it is Lax.
 */
export class AttemptCookie {
  readonly #key: Uint8Array;
  readonly #attributes: string;

  /** @param isSecure whether browsers may send it over TLS only */
  constructor(clientSecret: string, isSecure: boolean) {
    this.#key = new Uint8Array(hkdfSync('sha256', clientSecret, '', 'laurel sign-in attempt', 32));
    this.#attributes = isSecure ? `${ATTRIBUTES}; Secure` : ATTRIBUTES;
  }

  async seal(attempt: SignInAttempt): Promise<string> {
    const sealed = await new EncryptJWT({ ...attempt })
      .setProtectedHeader(ENCRYPTION)
      .setExpirationTime(new Date(systemClock.now() + SIGN_IN_SECONDS_MAX * 1_000))
      .encrypt(this.#key);
    return `${NAME}=${sealed}; ${this.#attributes}; Max-Age=${SIGN_IN_SECONDS_MAX}`;
  }

  /** @throws SignInRefusal without a valid attempt in the header `Cookie` */
  async open(cookies: string): Promise<SignInAttempt> {
    const sealed = COOKIE.exec(cookies)?.[1];
    if (sealed === undefined) throw new SignInRefusal('expired', 'this browser has not begun a sign-in');
    const currentDate = new Date(systemClock.now());
    const opened = await jwtDecrypt<SignInAttempt>(sealed, this.#key, { currentDate }).catch(() => {
      throw new SignInRefusal(
        'expired',
        'the cookie of the sign-in has expired or comes from another installation',
      );
    });
    return opened.payload;
  }

  /** Header value that removes the cookie: an attempt is finished at most once. */
  get removal(): string {
    return `${NAME}=; ${this.#attributes}; Max-Age=0`;
  }
}

/** The screen of the console that a sign-in was asked to return to; other addresses are not followed. */
export function returnPathOf(req: HttpRequest): string {
  const base = 'http://console.invalid';
  const wanted = req.getQuery('to') ?? '';
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : null;
  const path = url === null || url.origin !== base ? '' : url.pathname + url.search;
  const isScreen = /^\/console(?:[/?]|$)(?!oidc\/)/.test(path);
  return isScreen && path.length <= RETURN_PATH_CHARS_MAX ? path : '/console';
}
