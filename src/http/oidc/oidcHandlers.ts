import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { endSessionsOfPerson, openSession, type SessionMaker } from '../../admin/consoleSessions.ts';
import { LOGOUT_BODY_BYTES_MAX } from '../../base/accessLimits.ts';
import { ServiceError } from '../../base/errors.ts';
import { SESSION_PREFIX } from '../../db/access/apiKeyRows.ts';
import { findActiveTenant } from '../../db/access/tenantRows.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { contextFor } from '../admin/resources.ts';
import type { Handler, Method } from '../request/endpoint.ts';
import { readText } from '../request/readBody.ts';
import { type ErrorResponder, type HttpContext, openContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { sessionCookie } from '../request/sessionCookie.ts';
import { CALLBACK_PATH } from './oidcProvider.ts';
import { type Person, ruleFor } from './person.ts';
import { returnPathOf } from './signInAttempt.ts';
import { SignInRefusal } from './signInRefusal.ts';
import type { SingleSignOn } from './singleSignOn.ts';

/** Signing in to the console through the identity provider. */

export function addSingleSignOn(
  add: (method: Method, path: string, handle: Handler) => void,
  service: Service,
  signOn: SingleSignOn,
  errors: ErrorResponder,
): void {
  add('get', '/console/oidc/sign-in', beginSignIn(service, signOn));
  add('get', CALLBACK_PATH, finishSignIn(service, signOn));
  add('post', '/console/oidc/logout', signOutAtProvider(service, signOn, errors));
}

const COMMON = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

/** Sends the browser elsewhere. */
function redirect(context: HttpContext, to: string, cookies: string[]): void {
  context.sendFile('', { ...COMMON, Location: to, 'Set-Cookie': cookies }, 303);
}

/** Back to the console, which says in words what went wrong. */
function refuseInConsole(context: HttpContext, signOn: SingleSignOn, error: unknown): void {
  const outcome = signOn.refuse(error, context.id);
  redirect(context, `/console#sign-in=${outcome}`, [signOn.attempts.removal]);
}

/** GET /console/oidc/sign-in?to=: sends the browser to the provider. */
function beginSignIn(service: Service, signOn: SingleSignOn): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    const returnPath = returnPathOf(req);
    const begin = async (): Promise<void> => {
      const random = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const attempt = { ...random, returnPath };
      const { href } = await signOn.provider.signInUrl(attempt);
      redirect(context, href, [await signOn.attempts.seal(attempt)]);
    };
    begin().catch((error) => refuseInConsole(context, signOn, error));
  };
}

/** GET /console/oidc/callback: the browser comes back from the provider, and gets a session. */
function finishSignIn(service: Service, signOn: SingleSignOn): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    const cookies = req.getHeader('cookie');
    const query = req.getQuery() ?? '';
    const finish = async (): Promise<void> => {
      const attempt = await signOn.attempts.open(cookies);
      const person = await signOn.provider.identify(query, attempt);
      const maker = await makerOf(service, signOn, person);
      const author = { prefix: `${SESSION_PREFIX}:${person.subject}`, name: person.name };
      const seconds = service.consoleSessionSeconds;
      const { secret } = await openSession(contextFor(service, DEFAULT_TENANT, author), maker, seconds);
      signOn.countOpened();
      const { 'Set-Cookie': cookie } = sessionCookie(secret, seconds, signOn.isSecure);
      redirect(context, attempt.returnPath, [cookie, signOn.attempts.removal]);
    };
    finish().catch((error) => refuseInConsole(context, signOn, error));
  };
}

/** @throws SignInRefusal if the person has no role, or one in a tenant that is not active */
async function makerOf({ pool }: Service, { settings }: SingleSignOn, person: Person): Promise<SessionMaker> {
  const { role, tenantId } = ruleFor(person, settings.rules);
  const { subject, providerSession, name } = person;
  const tenant = tenantId === null ? null : await findActiveTenant(pool, tenantId);
  if (tenantId !== null && (tenant === null || tenant === DEFAULT_TENANT))
    throw new SignInRefusal('no-role', `LAUREL_OIDC_ROLES names the tenant ${tenantId}, which is not active`);
  return { madeBy: null, subject, providerSession, name, role, tenant };
}

/** POST /console/oidc/logout: the provider reports that a person has signed out there. */
function signOutAtProvider(service: Service, signOn: SingleSignOn, errors: ErrorResponder): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    const refuse = (error: unknown): void => errors.fail(context, error);
    const end = async (body: string): Promise<void> => {
      const token = new URLSearchParams(body).get('logout_token');
      if (token === null) throw new ServiceError('malformed', 'body must be a form with logout_token');
      const { subject, providerSession } = await signOn.provider.readSignOut(token);
      const author = { prefix: 'oidc', name: 'Sign-out at the identity provider' };
      await endSessionsOfPerson(contextFor(service, DEFAULT_TENANT, author), subject, providerSession);
      context.sendFile('', COMMON);
    };
    readText(context, (body) => end(body).catch(refuse), refuse, { bytesMax: LOGOUT_BODY_BYTES_MAX });
  };
}
