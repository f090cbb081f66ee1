import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  customFetch as keysFetch,
} from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { fetch } from 'undici';
import { LOGOUT_TOKEN_SECONDS_MAX, PROVIDER_CLOCK_SKEW_SECONDS } from '../../base/accessLimits.ts';
import { monotonicMs, systemClock } from '../../base/clock.ts';
import type { Oidc } from '../../base/envOidc.ts';
import { ServiceError } from '../../base/errors.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import { readableKeys } from '../authentication/readableKeys.ts';
import { type Person, personOf } from './person.ts';
import type { SignInAttempt } from './signInAttempt.ts';
import { ProviderUnavailable } from './signInRefusal.ts';

/** Timeout of a request to the provider, and time for which its metadata is valid. */
const PROVIDER_SECONDS_MAX = 5;
const PROVIDER_VALID_SECONDS = 3_600;
/** Sign-ins and sign-outs that ask the provider at once, and that wait for this. */
const PROVIDER_CALLS_AT_ONCE_MAX = 8;
const PROVIDER_CALLS_WAITING_MAX = 100;

/** Metadata of the provider, until `validMs` of the monotonic clock. */
interface Discovered {
  configuration: Configuration;
  keys: JWTVerifyGetKey;
  validMs: number;
}

export const CALLBACK_PATH = '/console/oidc/callback';

/**
 * The identity provider. Its metadata is read when it is needed, so that laurel starts even if the provider
 * does not answer.
 */
export class OidcProvider {
  readonly #settings: Oidc;
  readonly #calls = new Semaphore(PROVIDER_CALLS_AT_ONCE_MAX, PROVIDER_CALLS_WAITING_MAX);
  readonly #discoveries = new SingleFlight<'', Discovered>();
  #discovered: Discovered | null = null;

  constructor(settings: Oidc) {
    this.#settings = settings;
  }

  /** Reads the metadata, unless it is known. @throws ProviderUnavailable */
  async discover(): Promise<Discovered> {
    if (this.#discovered !== null && this.#discovered.validMs > monotonicMs()) return this.#discovered;
    const read = (): Promise<Discovered> => discoverProvider(this.#settings);
    this.#discovered = await this.#discoveries.run('', read).catch((error) => {
      throw new ProviderUnavailable(error);
    });
    return this.#discovered;
  }

  async signInUrl({ state, nonce, verifier }: SignInAttempt): Promise<URL> {
    const { configuration } = await this.discover();
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.#settings.publicUrl + CALLBACK_PATH,
      scope: this.#settings.scope,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /**
   * Exchanges the code with which a browser comes back. Rejects with any error if the provider refuses or
   * state, nonce or signature are wrong.
   * @param query of the callback
   */
  identify(query: string, { state, nonce, verifier }: SignInAttempt): Promise<Person> {
    return this.#calls.run(async () => {
      const { configuration } = await this.discover();
      const callback = new URL(`${this.#settings.publicUrl}${CALLBACK_PATH}?${query}`);
      const tokens = await authorizationCodeGrant(configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Many providers tell the name and the groups only here.
      const more = configuration.serverMetadata().userinfo_endpoint
        ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
      return personOf({ ...more, ...claims }, this.#settings.groupsClaim);
    });
  }

  /** @throws ServiceError `malformed` if the token is not valid; other errors if the keys cannot be read */
  readSignOut(token: string): Promise<ProviderSignOut> {
    return this.#calls.run(async () => {
      const { configuration, keys } = await this.discover();
      const { issuer } = configuration.serverMetadata();
      return readLogoutToken(token, keys, { issuer, clientId: this.#settings.clientId });
    });
  }
}

/** The types of undici's and of the global `fetch` differ. */
const fetchFrom = fetch as unknown as typeof globalThis.fetch;

async function discoverProvider({ issuer, clientId, clientSecret }: Oidc): Promise<Discovered> {
  const insecure = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
  const configuration = await discovery(
    issuer,
    clientId,
    { [clockTolerance]: PROVIDER_CLOCK_SKEW_SECONDS },
    authenticationBy(clientSecret),
    {
      execute: [...insecure, enableNonRepudiationChecks],
      timeout: PROVIDER_SECONDS_MAX,
      [customFetch]: fetchFrom,
    },
  );
  const { jwks_uri } = configuration.serverMetadata();
  if (jwks_uri === undefined) throw new Error('the metadata of the provider has no jwks_uri');
  const keys = createRemoteJWKSet(new URL(jwks_uri), {
    timeoutDuration: PROVIDER_SECONDS_MAX * 1_000,
    [keysFetch]: fetchFrom,
  });
  return {
    configuration,
    keys: readableKeys(keys, 'the identity provider'),
    validMs: monotonicMs() + PROVIDER_VALID_SECONDS * 1_000,
  };
}

/** Sends the secret in a header, as by default, unless the provider takes it in the body only. */
function authenticationBy(clientSecret: string): ClientAuth {
  const basic = ClientSecretBasic(clientSecret);
  const post = ClientSecretPost(clientSecret);
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, client, body, headers);
  };
}

/** A sign-out that the provider reports (OpenID Connect Back-Channel Logout 1.0). */
export interface ProviderSignOut {
  subject: string | null;
  /** null: all sessions of the person. */
  providerSession: string | null;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Only keys of the provider sign: a shared secret could also be used by others who have it. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const wrong = (reason: string): ServiceError =>
  new ServiceError('malformed', `The logout token is refused: ${reason}`);

/**
 * Reads a logout token.
 * @param keys of the provider (readableKeys.ts)
 * @throws ServiceError `malformed` if it is not valid
 */
async function readLogoutToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, clientId }: { issuer: string; clientId: string },
): Promise<ProviderSignOut> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: LOGOUT_TOKEN_SECONDS_MAX,
    clockTolerance: PROVIDER_CLOCK_SKEW_SECONDS,
    currentDate: new Date(systemClock.now()),
  }).catch((error) => {
    throw error instanceof errors.JOSEError ? wrong(error.message) : error;
  });
  return signOutOf(payload);
}

function signOutOf({ events, nonce, sub, sid }: JWTPayload): ProviderSignOut {
  const event = typeof events === 'object' && events !== null && (events as Record<string, unknown>)[EVENT];
  if (typeof event !== 'object' || event === null) throw wrong(`events must name ${EVENT}`);
  // It tells a logout token from an ID token.
  if (nonce !== undefined) throw wrong('it must not have a nonce');
  const providerSession = typeof sid === 'string' ? sid : null;
  if (sub === undefined && providerSession === null) throw wrong('it must have sub or sid');
  return { subject: sub ?? null, providerSession };
}
