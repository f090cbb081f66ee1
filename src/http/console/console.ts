import type { HttpRequest } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import { addSingleSignOn } from '../oidc/oidcHandlers.ts';
import type { Handler, Method } from '../request/endpoint.ts';
import { type ErrorResponder, type HttpContext, openContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { type ConsoleFile, createStartPage, readConsole } from './pages.ts';
import { showSession, showWaysIn, signIn, signOut } from './sessionHandlers.ts';

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
  add('get', '/console/session', showSession(service));
  add('post', '/console/session', signIn(service, errors));
  add('delete', '/console/session', signOut(service, errors));
  add('get', '/console/sign-in', showWaysIn(service));
  if (service.singleSignOn !== null) addSingleSignOn(add, service, service.singleSignOn, errors);
}

function sendFile(context: HttpContext, req: HttpRequest, { body, gzipped, headers }: ConsoleFile): void {
  const varied = { ...headers, Vary: 'Accept-Encoding' };
  if (/\bgzip\b/.test(req.getHeader('accept-encoding'))) {
    context.sendFile(gzipped, { ...varied, 'Content-Encoding': 'gzip' });
  } else context.sendFile(body, varied);
}
