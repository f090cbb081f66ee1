import type { HttpRequest } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import { useConsoleLink } from '../../redis/state/consoleLinks.ts';
import type { Handler, Method } from '../request/endpoint.ts';
import { readBody } from '../request/readBody.ts';
import { type ErrorResponder, type HttpContext, openContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { type ConsoleFile, createStartPage, readConsole } from './pages.ts';

const SESSION_BODY_BYTES_MAX = 1_024;
const EXPIRED =
  'This link was used already or has expired. Sign in with an admin key, or start laurel again.';

/** Serves the console and the page at `/`. Without a build of the console, only the latter. */
export function addConsole(
  add: (method: Method | 'head', path: string, handle: Handler) => void,
  service: Service,
  errors: ErrorResponder,
): void {
  const files = readConsole();
  const stylesheet =
    files === null ? undefined : [...files.assets.keys()].find((name) => name.endsWith('.css'));
  const start = createStartPage(stylesheet);
  const send =
    (file: ConsoleFile): Handler =>
    (res, req, route) =>
      sendFile(openContext(service.requests, route, res, req), req, file);
  for (const method of ['get', 'head'] as const) {
    add(method, '/', send(start));
    if (files === null) continue;
    add(method, '/console', send(files.page));
    add(method, '/console/preview', send(files.preview));
    add(method, '/console/*', (res, req, route) => {
      const name = req.getUrl().slice('/console/'.length);
      const asset = files.assets.get(name);
      if (asset === undefined && name.startsWith('assets/')) {
        const context = openContext(service.requests, route, res, req);
        errors.fail(context, new ServiceError('notFound', `There is no /console/${name}`));
      } else send(asset ?? files.page)(res, req, route);
    });
  }
  if (files === null) service.log.warn('the console was not built: npm run build');
  add('post', '/console/session', openSession(service, errors));
  add('delete', '/console/session', endSession(service, errors));
}

function sendFile(context: HttpContext, req: HttpRequest, { body, gzipped, headers }: ConsoleFile): void {
  const varied = { ...headers, Vary: 'Accept-Encoding' };
  if (/\bgzip\b/.test(req.getHeader('accept-encoding'))) {
    context.sendFile(gzipped, { ...varied, 'Content-Encoding': 'gzip' });
  } else context.sendFile(body, varied);
}

/**
 * POST /console/session `{"link": secret}`: exchanges the link that `npm start` printed for a key of a
 * session.
 */
function openSession(service: Service, errors: ErrorResponder): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    const refuse = (error: unknown): void => errors.fail(context, error);
    const onBody = async (body: unknown): Promise<void> => {
      const link = (body as { link?: unknown } | null)?.link;
      if (typeof link !== 'string') throw new ServiceError('invalid', 'link must be a string');
      if (!(await useConsoleLink(service.redis, link))) throw new ServiceError('forbidden', EXPIRED);
      const headers = { 'Cache-Control': 'no-store' };
      context.send(201, JSON.stringify({ key: service.apiKeys.openSession() }), undefined, headers);
    };
    readBody(context, (body) => onBody(body).catch(refuse), refuse, { bytesMax: SESSION_BODY_BYTES_MAX });
  };
}

/** DELETE /console/session: ends the session whose key is in X-API-KEY. Other keys stay valid. */
function endSession(service: Service, errors: ErrorResponder): Handler {
  return (res, req, route) => {
    const context = openContext(service.requests, route, res, req);
    try {
      const presented = req.getHeader('x-api-key');
      service.admission.admit(res, req, presented);
      service.apiKeys.endSession(presented);
      context.send(204, '');
    } catch (error) {
      errors.fail(context, error);
    }
  };
}
