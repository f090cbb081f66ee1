import type { HttpRequest } from 'uWebSockets.js';
import { endSession, openSession, type SessionMaker } from '../../admin/access/consoleSessions.ts';
import { ServiceError } from '../../base/errors.ts';
import { SESSION_PREFIX } from '../../db/access/apiKeyRows.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { useConsoleLink } from '../../redis/state/consoleLinks.ts';
import { type ApiKey, isSession } from '../authentication/apiKeys.ts';
import { presentedSession, sessionCookie } from '../authentication/sessionCookie.ts';
import { contextFor } from '../request/adminContext.ts';
import { bodyOf, parseJson } from '../request/readBody.ts';
import { invalid } from '../request/refuse.ts';
import { createHandler, type Handler } from '../request/respond.ts';
import type { Service } from '../request/service.ts';

/** Signing in to the console and out of it. The secret of a session is in a cookie only. */

const BODY_BYTES_MAX = 1_024;
const EXPIRED =
  'This link was used already or has expired. Sign in with an admin key, or start laurel again.';
const NO_MAKER = 'Send an admin key in X-API-KEY, or as link the secret that npm start printed';

const NO_PERSON = { subject: null, providerSession: null };
const BY_LINK: SessionMaker = {
  madeBy: null,
  ...NO_PERSON,
  name: 'Link of npm start',
  role: 'admin',
  tenant: null,
};

/** What the console is told of its session. */
const sessionText = ({ id, name, role, tenant }: Pick<ApiKey, 'id' | 'name' | 'role' | 'tenant'>): string =>
  JSON.stringify({ id, name, role, scope: tenant === null ? 'account' : 'tenant' });

/** Browsers name the origin of the page in every POST and DELETE. */
const isOverTls = (req: HttpRequest): boolean => req.getHeader('origin').startsWith('https:');

/** GET /console/session: the session of this browser; 204 without one. */
export function showSession(service: Service): Handler {
  return createHandler(service, (context, req) => {
    const session = service.apiKeys.find(presentedSession(req));
    const headers = { 'Cache-Control': 'no-store' };
    if (session === undefined) context.sendFile('', headers, 204);
    else context.send(200, sessionText(session), undefined, headers);
  });
}

export function showWaysIn(service: Service): Handler {
  const ways = JSON.stringify({ key: service.consoleKeySignIn, singleSignOn: service.singleSignOn !== null });
  return createHandler(service, (context) => context.send(200, ways));
}

/** POST /console/session: opens a session with the admin key in X-API-KEY, or with `{"link": secret}`. */
export function signIn(service: Service): Handler {
  return createHandler(service, async (context, req) => {
    const isSecure = isOverTls(req);
    const presented = req.getHeader('x-api-key');
    const admitted = presented === '' ? null : service.admission.admit(context.res, req, presented);
    const body = await bodyOf(context, parseJson, BODY_BYTES_MAX);
    const key = await admitted;
    const maker = key === null ? await useLink(service, body) : makerOf(service, key);
    const author = contextFor(service, DEFAULT_TENANT, key ?? { prefix: SESSION_PREFIX, name: maker.name });
    const seconds = service.consoleSessionSeconds;
    const { secret, session } = await openSession(author, maker, seconds);
    context.send(201, sessionText(session), undefined, sessionCookie(secret, seconds, isSecure));
  });
}

async function useLink(service: Service, body: unknown): Promise<SessionMaker> {
  const link = (body as { link?: unknown } | null)?.link;
  if (link === undefined) throw new ServiceError('unauthorized', NO_MAKER);
  if (typeof link !== 'string') throw invalid('link must be a string');
  if (!(await useConsoleLink(service.redis, link))) throw new ServiceError('forbidden', EXPIRED);
  return BY_LINK;
}

/** Else a session could be prolonged for ever. */
function makerOf(service: Service, key: ApiKey): SessionMaker {
  if (!service.consoleKeySignIn)
    throw new ServiceError('forbidden', 'Signing in with a key is disabled: use single sign-on');
  if (key.kind !== 'admin' || isSession(key))
    throw new ServiceError('forbidden', 'A session of the console needs an admin key');
  return { madeBy: key.id, ...NO_PERSON, name: key.name || key.prefix, role: key.role, tenant: key.tenant };
}

/** DELETE /console/session: ends the session of this browser on every server. */
export function signOut(service: Service): Handler {
  return createHandler(service, async (context, req) => {
    const headers = sessionCookie('', 0, isOverTls(req));
    const session = service.apiKeys.find(presentedSession(req));
    if (session !== undefined) await endSession(contextFor(service, DEFAULT_TENANT, session), session.id);
    context.sendFile('', headers, 204);
  });
}
