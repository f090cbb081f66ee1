import type { HttpRequest } from 'uWebSockets.js';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { endSessionsOfPerson, openSession, type SessionMaker } from '../../admin/access/consoleSessions.ts';
import { LOGOUT_BODY_BYTES_MAX } from '../../base/accessLimits.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Method } from '../../contract/operation.ts';
import { SESSION_PREFIX } from '../../db/access/apiKeyRows.ts';
import { findActiveTenant } from '../../db/access/tenantRows.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { sessionCookie } from '../authentication/sessionCookie.ts';
import { CALLBACK_PATH } from '../oidc/oidcProvider.ts';
import { type Person, ruleFor } from '../oidc/person.ts';
import { returnPathOf } from '../oidc/signInAttempt.ts';
import { SignInRefusal } from '../oidc/signInRefusal.ts';
import type { SingleSignOn } from '../oidc/singleSignOn.ts';
import { contextFor } from '../request/adminContext.ts';
import { bodyOf, parseText } from '../request/readBody.ts';
import { createHandler, type Handler, type HttpContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';

/** Signing in to the console through the identity provider. */

export function addSingleSignOn(
  add: (method: Method, path: string, handle: Handler) => void,
  service: Service,
  signOn: SingleSignOn,
): void {
  add('get', '/console/oidc/sign-in', beginSignIn(service, signOn));
  add('get', CALLBACK_PATH, finishSignIn(service, signOn));
  add('post', '/console/oidc/logout', signOutAtProvider(service, signOn));
}

const COMMON = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

function redirect(context: HttpContext, to: string, cookies: string[]): void {
  context.sendFile('', { ...COMMON, Location: to, 'Set-Cookie': cookies }, 303);
}

/** Back to the console, which says in words what went wrong. */
const refuseInConsole =
  (signOn: SingleSignOn) =>
  (context: HttpContext, error: unknown): void => {
    const outcome = signOn.refuse(error, context.id);
    redirect(context, `/console#sign-in=${outcome}`, [signOn.attempts.removal]);
  };

/** GET /console/oidc/sign-in?to=: sends the browser to the provider. */
function beginSignIn(service: Service, signOn: SingleSignOn): Handler {
  const begin = async (context: HttpContext, req: HttpRequest): Promise<void> => {
    const returnPath = returnPathOf(req);
    const random = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const attempt = { ...random, returnPath };
    const { href } = await signOn.provider.signInUrl(attempt);
    redirect(context, href, [await signOn.attempts.seal(attempt)]);
  };
  return createHandler(service, begin, refuseInConsole(signOn));
}

/** GET /console/oidc/callback: the browser comes back from the provider, and gets a session. */
function finishSignIn(service: Service, signOn: SingleSignOn): Handler {
  const finish = async (context: HttpContext, req: HttpRequest): Promise<void> => {
    const query = req.getQuery() ?? '';
    const attempt = await signOn.attempts.open(req.getHeader('cookie'));
    const person = await signOn.provider.identify(query, attempt);
    const maker = await makerOf(service, signOn, person);
    const author = { prefix: `${SESSION_PREFIX}:${person.subject}`, name: person.name };
    const seconds = service.consoleSessionSeconds;
    const { secret } = await openSession(contextFor(service, DEFAULT_TENANT, author), maker, seconds);
    signOn.countOpened();
    const { 'Set-Cookie': cookie } = sessionCookie(secret, seconds, signOn.isSecure);
    redirect(context, attempt.returnPath, [cookie, signOn.attempts.removal]);
  };
  return createHandler(service, finish, refuseInConsole(signOn));
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
function signOutAtProvider(service: Service, signOn: SingleSignOn): Handler {
  return createHandler(service, async (context) => {
    const body = await bodyOf(context, parseText, LOGOUT_BODY_BYTES_MAX);
    const token = new URLSearchParams(body).get('logout_token');
    if (token === null) throw new ServiceError('malformed', 'body must be a form with logout_token');
    const { subject, providerSession } = await signOn.provider.readSignOut(token);
    const author = { prefix: 'oidc', name: 'Sign-out at the identity provider' };
    await endSessionsOfPerson(contextFor(service, DEFAULT_TENANT, author), subject, providerSession);
    context.sendFile('', COMMON);
  });
}
