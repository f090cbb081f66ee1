import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { fetch, type RequestInit, type Response } from 'undici';
import { freePort } from './installation.ts';

export const CLIENT = { id: 'laurel', secret: 'a secret of the test' };

/** What the provider says about a person, by the name with which the person signs in there. */
export interface ProvidedPerson {
  name?: string;
  groups?: string[];
}

export interface IdentityProvider {
  issuer: string;
  /** Signs with the key of the provider. */
  sign(claims: object, header?: object): Promise<string>;
  people: Map<string, ProvidedPerson>;
  /** Answers nothing from now on. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Environment of a server on a port that signs in at the provider. @param roles LAUREL_OIDC_ROLES */
export const signInEnv = ({ issuer }: IdentityProvider, port: number, roles: string) => ({
  PORT: String(port),
  LAUREL_PUBLIC_URL: `http://127.0.0.1:${port}`,
  LAUREL_OIDC_ISSUER: issuer,
  LAUREL_OIDC_CLIENT_ID: CLIENT.id,
  LAUREL_OIDC_CLIENT_SECRET: CLIENT.secret,
  LAUREL_OIDC_SCOPE: 'openid profile groups',
  LAUREL_OIDC_ROLES: roles,
});

/** `oidc-provider` on this machine, with its own pages for signing in and out. @param laurelUrl of the client */
export async function createIdentityProvider(laurelUrl: string): Promise<IdentityProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' };
  const people = new Map<string, ProvidedPerson>();
  const provider = createProvider(issuer, laurelUrl, jwk, people);
  let server: Server | null = null;
  return {
    issuer,
    people,
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'first', ...header })
        .sign(privateKey),
    start: async () => {
      const started = createServer(provider.callback());
      await new Promise<void>((resolve) => started.listen(port, '127.0.0.1', resolve));
      server = started;
    },
    stop: async () => {
      const stopped = server;
      server = null;
      await new Promise((resolve) => {
        if (stopped === null) return resolve(null);
        stopped.close(resolve);
        stopped.closeAllConnections();
      });
    },
  };
}

function createProvider(
  issuer: string,
  laurelUrl: string,
  jwk: JWK,
  people: Map<string, ProvidedPerson>,
): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${laurelUrl}/console/oidc/callback`],
        backchannel_logout_uri: `${laurelUrl}/console/oidc/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    features: { backchannelLogout: { enabled: true } },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 3_600, Grant: 3_600, AccessToken: 600, IdToken: 600 },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    // Nobody is asked whether laurel may know the name.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      });
      grant.addOIDCScope('openid profile groups');
      await grant.save();
      return grant;
    },
    // It refuses addresses of this machine otherwise.
    fetch: (url, options) => globalThis.fetch(url, { ...options, dispatcher: undefined } as never),
  });
}

/** A browser without a screen: it keeps cookies, and follows redirects one at a time. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Cookies of all hosts: those of the test have different names. */
  get header(): string {
    return Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ');
  }

  set(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), Cookie: this.header };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) this.#cookies.delete(name!);
      else this.#cookies.set(name!, value!);
    }
    return response;
  }

  async post(url: string, form: Record<string, string>): Promise<Response> {
    return this.fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  }
}

const locationOf = (response: Response, base: string): string =>
  new URL(response.headers.get('location')!, base).href;

/** Signs in at the provider. @returns the address at laurel to which the provider sends the browser */
export async function signInAtProvider(
  jar: CookieJar,
  laurelUrl: string,
  { issuer }: IdentityProvider,
  login: string,
  to = '',
): Promise<string> {
  const begun = await jar.fetch(`${laurelUrl}/console/oidc/sign-in${to}`);
  let url = locationOf(begun, laurelUrl);
  for (let hops = 0; url.startsWith(issuer) && hops < 10; hops++) {
    const isForm = new URL(url).pathname.startsWith('/interaction/');
    const form = { prompt: 'login', login, password: 'any' };
    url = locationOf(isForm ? await jar.post(url, form) : await jar.fetch(url), issuer);
  }
  return url;
}

/** Signs out at the provider, which reports it to laurel before it answers. */
export async function signOutAtProvider(jar: CookieJar, { issuer }: IdentityProvider): Promise<void> {
  const page = await (await jar.fetch(`${issuer}/session/end`)).text();
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(page)!;
  await jar.post(`${issuer}/session/end/confirm`, { xsrf: xsrf!, logout: 'yes' });
}
