import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as keysFetch } from 'jose';
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
import {
  PROVIDER_CALLS_AT_ONCE_MAX,
  PROVIDER_CALLS_WAITING_MAX,
  PROVIDER_CLOCK_SKEW_SECONDS,
  PROVIDER_SECONDS_MAX,
  PROVIDER_VALID_SECONDS,
} from '../../base/accessLimits.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { Oidc } from '../../base/envOidc.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import { readableKeys } from '../tokens/readableKeys.ts';
import { type ProviderSignOut, readLogoutToken } from './logoutToken.ts';
import { type Person, personOf } from './person.ts';
import type { SignInAttempt } from './signInAttempt.ts';
import { ProviderAway } from './signInRefusal.ts';

/** What the provider says of itself, until `validMs` of the monotonic clock. */
interface Discovered {
  configuration: Configuration;
  keys: JWTVerifyGetKey;
  validMs: number;
}

export const CALLBACK_PATH = '/console/oidc/callback';

/**
 * The identity provider. What it says of itself is read when it is needed, so that laurel starts without it
 * and goes on once it is back.
 */
export class OidcProvider {
  readonly #settings: Oidc;
  readonly #calls = new Semaphore(PROVIDER_CALLS_AT_ONCE_MAX, PROVIDER_CALLS_WAITING_MAX);
  readonly #discoveries = new SingleFlight<'', Discovered>();
  #discovered: Discovered | null = null;

  constructor(settings: Oidc) {
    this.#settings = settings;
  }

  /** Reads what the provider says of itself, unless it is known. @throws ProviderAway */
  async discover(): Promise<Discovered> {
    if (this.#discovered !== null && this.#discovered.validMs > monotonicMs()) return this.#discovered;
    const read = (): Promise<Discovered> => discoverProvider(this.#settings);
    this.#discovered = await this.#discoveries.run('', read).catch((error) => {
      throw new ProviderAway(error);
    });
    return this.#discovered;
  }

  /** Where a browser signs in. */
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
  if (jwks_uri === undefined) throw new Error('the provider names no jwks_uri');
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
