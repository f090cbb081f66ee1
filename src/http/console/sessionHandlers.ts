import type { HttpRequest } from 'uWebSockets.js';
import { endSession, openSession, type SessionMaker } from '../../admin/consoleSessions.ts';
import { ServiceError } from '../../base/errors.ts';
import { SESSION_PREFIX } from '../../db/access/apiKeyRows.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { useConsoleLink } from '../../redis/state/consoleLinks.ts';
import { contextFor } from '../admin/resources.ts';
import { type ApiKey, isSession } from '../request/apiKeys.ts';
import type { Handler } from '../request/endpoint.ts';
import { readBody } from '../request/readBody.ts';
import { type ErrorResponder, openContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { presentedSession, sessionCookie } from '../request/sessionCookie.ts';

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
  JSON.stringify({ id, name, role, isOfAccount: tenant === null });

/** Browsers name the origin of the page in every POST and DELETE. */
const isOverTls = (req: HttpRequest): boolean => req.getHeader('origin').startsWith('https:');

/** GET /console/session: the session of this browser; 204 without one. */
export function showSession(service: Service): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    const session = service.apiKeys.find(presentedSession(req));
    const headers = { 'Cache-Control': 'no-store' };
    if (session === undefined) context.sendFile('', headers, 204);
    else context.send(200, sessionText(session), undefined, headers);
  };
}

/** GET /console/sign-in: the ways to sign in. */
export function showWaysIn(service: Service): Handler {
  const ways = JSON.stringify({ key: service.consoleKeySignIn, singleSignOn: service.singleSignOn !== null });
  return (res, req, route) => openContext(service.requests, route, res, req).send(200, ways);
}

/** POST /console/session: opens a session with the admin key in X-API-KEY, or with `{"link": secret}`. */
export function signIn(service: Service, errors: ErrorResponder): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    const refuse = (error: unknown): void => errors.fail(context, error);
    const isSecure = isOverTls(req);
    const onBody = async (admitted: ApiKey | Promise<ApiKey> | null, body: unknown): Promise<void> => {
      const key = await admitted;
      const maker = key === null ? await useLink(service, body) : makerOf(service, key);
      const author = contextFor(service, DEFAULT_TENANT, key ?? { prefix: SESSION_PREFIX, name: maker.name });
      const seconds = service.consoleSessionSeconds;
      const { secret, session } = await openSession(author, maker, seconds);
      context.send(201, sessionText(session), undefined, sessionCookie(secret, seconds, isSecure));
    };
    try {
      const presented = req.getHeader('x-api-key');
      const key = presented === '' ? null : service.admission.admit(res, req, presented);
      readBody(context, (body) => onBody(key, body).catch(refuse), refuse, { bytesMax: BODY_BYTES_MAX });
    } catch (error) {
      refuse(error);
    }
  };
}

async function useLink(service: Service, body: unknown): Promise<SessionMaker> {
  const link = (body as { link?: unknown } | null)?.link;
  if (link === undefined) throw new ServiceError('unauthorized', NO_MAKER);
  if (typeof link !== 'string') throw new ServiceError('invalid', 'link must be a string');
  if (!(await useConsoleLink(service.redis, link))) throw new ServiceError('forbidden', EXPIRED);
  return BY_LINK;
}

/** Else a session could be prolonged for ever. */
function makerOf(service: Service, key: ApiKey): SessionMaker {
  if (!service.consoleKeySignIn)
    throw new ServiceError('forbidden', 'Keys do not sign in here: use single sign-on');
  if (key.kind !== 'admin' || isSession(key))
    throw new ServiceError('forbidden', 'A session of the console needs an admin key');
  return { madeBy: key.id, ...NO_PERSON, name: key.name || key.prefix, role: key.role, tenant: key.tenant };
}

/** DELETE /console/session: ends the session of this browser on every server. */
export function signOut(service: Service, errors: ErrorResponder): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    const headers = sessionCookie('', 0, isOverTls(req));
    const session = service.apiKeys.find(presentedSession(req));
    const end = async (): Promise<void> => {
      if (session !== undefined) await endSession(contextFor(service, DEFAULT_TENANT, session), session.id);
      context.sendFile('', headers, 204);
    };
    end().catch((error) => errors.fail(context, error));
  };
}
