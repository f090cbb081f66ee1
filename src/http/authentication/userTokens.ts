import { readFile } from 'node:fs/promises';
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  type RemoteJWKSet,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { fetch } from 'undici';
import { USER_TOKEN_BYTES_MAX, USER_TOKEN_CLOCK_SKEW_SECONDS } from '../../base/accessLimits.ts';
import { systemClock } from '../../base/clock.ts';
import type { UserTokenKeys } from '../../base/envTokens.ts';
import type { UserTokenSecret } from '../../db/access/userTokenSecretRows.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import type { ApiKey } from './apiKeys.ts';
import { readableKeys } from './readableKeys.ts';
import { expiredToken, invalidToken, readTokenClaims, refusalOfToken, refusedToken } from './tokenClaims.ts';

/** Verified tokens that a server remembers. The least recently used ones are verified again. */
const USER_TOKENS_REMEMBERED_MAX = 50_000;
/** Timeout of a read of the public keys, and shortest time between two reads. */
const USER_TOKEN_JWKS_MS_MAX = 3_000;
const USER_TOKEN_JWKS_COOLDOWN_MS = 30_000;

const PUBLIC_KEY_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** Header, claims and signature; an unsigned token has an empty last part. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
/** `{` in Base64, up to the first two characters. */
const JWT_START = 'ey';
/** Shown where a key shows its prefix. */
const TOKEN_PREFIX = 'token';

type SignedBy = Pick<UserTokenSecret, 'id' | 'tenant'>;

/**
 * Verifies the tokens that backends of customers sign for their users, and remembers the valid ones. Time is
 * the machine's: a test clock neither ends nor prolongs a token.
 */
export class UserTokens {
  readonly #installationSecrets: Uint8Array[];
  readonly #jwks: RemoteJWKSet | null;
  readonly #audience: string | null;
  /** The secrets made by the Admin API, by id. */
  readonly #secrets = new Map<string, UserTokenSecret>();
  readonly #remembered = new LRUCache<string, ApiKey>({ max: USER_TOKENS_REMEMBERED_MAX });

  constructor({ secrets, jwks, audience }: UserTokenKeys) {
    this.#installationSecrets = secrets.map((secret) => Buffer.from(secret));
    this.#jwks = jwks && createRemoteJWKSet(jwks, JWKS_OPTIONS);
    this.#audience = audience;
  }

  replaceSecrets(secrets: UserTokenSecret[]): void {
    this.updateSecrets([...this.#secrets.keys()], secrets);
  }

  /** Replaces the secrets with these ids; ids without a secret are removed. */
  updateSecrets(ids: string[], secrets: UserTokenSecret[]): void {
    const removed = ids.filter((id) => this.#secrets.delete(id));
    for (const secret of secrets) this.#secrets.set(secret.id, secret);
    if (removed.length > 0) this.#remembered.clear();
  }

  /** The key of a token that was verified before and is still valid. */
  recall(presented: string): ApiKey | undefined {
    if (!presented.startsWith(JWT_START)) return undefined;
    const key = this.#remembered.get(presented);
    return key !== undefined && key.token!.expiresMs > systemClock.now() ? key : undefined;
  }

  static isToken(presented: string): boolean {
    return presented.startsWith(JWT_START) && JWT.test(presented);
  }

  /**
   * The key that a token stands for. Rejects with ServiceError `unauthorized`, with InvalidToken if the
   * signature is wrong, with `unavailable` while the public keys cannot be read.
   */
  async verify(presented: string): Promise<ApiKey> {
    if (presented.length > USER_TOKEN_BYTES_MAX)
      throw invalidToken(`it is longer than ${USER_TOKEN_BYTES_MAX} bytes`);
    const { claims, signedBy } = await this.#verifySignature(presented).catch((error) => {
      throw refusalOfToken(error);
    });
    const { userId, role, ...grant } = readTokenClaims(claims, systemClock.now());
    const tenant = signedBy?.tenant ?? null;
    const key: ApiKey = {
      // The rates and the streams of a user are counted over all tokens of the user.
      id: JSON.stringify([TOKEN_PREFIX, tenant, grant.tenantId, userId]),
      prefix: TOKEN_PREFIX,
      kind: 'application',
      tenant,
      userId,
      role,
      name: '',
      madeBy: null,
      expires: null,
      token: { ...grant, secretId: signedBy?.id ?? null },
    };
    this.assertValid(key);
    this.#remembered.set(presented, key);
    return key;
  }

  /** @throws ServiceError `unauthorized` once a verified token has expired or its secret is deleted */
  assertValid({ token }: ApiKey): void {
    const { expiresMs, secretId } = token!;
    if (expiresMs <= systemClock.now()) throw expiredToken(expiresMs);
    if (secretId !== null && !this.#secrets.has(secretId)) throw refusedToken('its secret was deleted');
  }

  async #verifySignature(token: string): Promise<{ claims: JWTPayload; signedBy: SignedBy | null }> {
    const { alg } = decodeProtectedHeader(token);
    if (alg === 'HS256') return this.#verifyBySecret(token);
    const allowed = this.#jwks === null ? ['HS256'] : ['HS256', ...PUBLIC_KEY_ALGORITHMS];
    if (this.#jwks === null || !allowed.includes(String(alg)))
      throw invalidToken(`alg is ${alg}; this installation accepts ${allowed.join(', ')}`);
    const keys = readableKeys(this.#jwks, 'LAUREL_USER_TOKEN_JWKS');
    const { payload } = await jwtVerify(token, keys, this.#optionsFor(PUBLIC_KEY_ALGORITHMS));
    return { claims: payload, signedBy: null };
  }

  /** Tries the secrets of the installation, and those of the tenant that the token names. */
  async #verifyBySecret(token: string): Promise<{ claims: JWTPayload; signedBy: SignedBy | null }> {
    const { tenant } = decodeJwt(token);
    const candidates: { secret: Uint8Array; signedBy: SignedBy | null }[] = [
      ...this.#installationSecrets.map((secret) => ({ secret, signedBy: null })),
      ...[...this.#secrets.values()]
        .filter(({ tenant: no, customerId }) =>
          tenant === undefined ? no === DEFAULT_TENANT : customerId === tenant,
        )
        .map((signedBy) => ({ secret: Buffer.from(signedBy.secret), signedBy })),
    ];
    for (const { secret, signedBy } of candidates) {
      try {
        const { payload } = await jwtVerify(token, secret, this.#optionsFor(['HS256']));
        return { claims: payload, signedBy };
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    throw invalidToken('its signature matches no known secret');
  }

  /** `exp` is checked with the other claims. */
  #optionsFor(algorithms: string[]): JWTVerifyOptions {
    return {
      algorithms,
      ...(this.#audience !== null && { audience: this.#audience }),
      clockTolerance: USER_TOKEN_CLOCK_SKEW_SECONDS,
      currentDate: new Date(systemClock.now()),
    };
  }
}

type FetchOptions = Parameters<FetchImplementation>[1];

const JWKS_OPTIONS = {
  timeoutDuration: USER_TOKEN_JWKS_MS_MAX,
  cooldownDuration: USER_TOKEN_JWKS_COOLDOWN_MS,
  [customFetch]: async (url: string, { method, headers, signal, redirect }: FetchOptions) =>
    url.startsWith('file:')
      ? new Response(await readFile(new URL(url)))
      : ((await fetch(url, { method, headers: [...headers], signal, redirect })) as unknown as Response),
};
