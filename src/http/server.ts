import uWS from 'uWebSockets.js';
import { ServiceError } from '../base/errors.ts';
import { packageVersion } from '../base/packageRoot.ts';
import { portTaken } from '../base/portHolder.ts';
import { ADMIN_BASE, APPLICATION_BASES, createOpenApi } from '../contract/openApi.ts';
import { DEFAULT_TENANT } from '../db/configuration.ts';
import { answers } from '../redis/client.ts';
import { ADMIN_ROUTES } from './admin/routes.ts';
import { watchLeaderboardBySocket } from './live/leaderboards.ts';
import { referencePages } from './referencePages.ts';
import type { Route } from './request/endpoint.ts';
import { ErrorResponder, Exchange } from './request/respond.ts';
import type { Service } from './request/service.ts';
import { APPLICATION_ROUTES } from './routes.ts';

export interface HttpServer {
  port: number;
  /** Stops listening and ends live reads; other connections live on, so that what was accepted can be answered. */
  quiet(): void;
  /** Closes every connection. */
  close(): void;
}

/** The only file that imports uWebSockets.js. docs/operations.md describes how to use another build. */
/** @throws Error that names the process that has the port */
export async function listen(service: Service, host: string, port: number): Promise<HttpServer> {
  const app = uWS.App();
  const errors = new ErrorResponder(service.log, service.metrics);
  const add = (base: string, routes: Route[]): void => {
    for (const { method, path, serve } of routes) {
      const pattern = base + path.replaceAll(/\{(\w+)\}/g, ':$1');
      app[method === 'delete' ? 'del' : method](pattern, serve(service, errors));
    }
  };

  for (const base of APPLICATION_BASES) {
    // Before the route of the same path, which answers those who do not ask for the upgrade.
    app.ws(`${base}/leaderboards/:key/live`, watchLeaderboardBySocket(service, errors));
    add(base, APPLICATION_ROUTES);
    if (service.cors.isOn) app.options(`${base}/*`, (res, req) => service.cors.preflight(res, req));
  }
  add(ADMIN_BASE, ADMIN_ROUTES);

  const openApi = JSON.stringify(createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, packageVersion()));
  app.get('/openapi.json', (res) => new Exchange(res).send(200, openApi));
  for (const { path, body, headers } of referencePages()) {
    app.get(path, (res) => new Exchange(res).sendFile(body, headers));
  }
  app.get('/healthz', (res) => new Exchange(res).send(200, '{"status":"ok"}'));
  app.get('/readyz', async (res) => {
    const exchange = new Exchange(res);
    const hasRules = service.rulesStore.get(DEFAULT_TENANT) !== undefined;
    if (!hasRules) service.rulesStore.load(DEFAULT_TENANT).catch(() => {});
    const ready = hasRules && (await answers(service.redis));
    exchange.send(ready ? 200 : 503, JSON.stringify({ status: ready ? 'ready' : 'store not available' }));
  });
  app.get('/metrics', async (res) => {
    const exchange = new Exchange(res);
    exchange.send(200, await service.metrics.registry.metrics(), service.metrics.registry.contentType);
  });
  app.any('/*', (res, req) => {
    errors.fail(
      new Exchange(res),
      new ServiceError('notFound', `There is no ${req.getMethod().toUpperCase()} ${req.getUrl()}`),
    );
  });

  const socket = await openPort(app, host, port);
  const quiet = (): void => {
    uWS.us_listen_socket_close(socket);
    service.live.close();
  };
  return { port: uWS.us_socket_local_port(socket), quiet, close: () => app.close() };
}

/** The port is this process's alone: without that, Linux would share its connections out between two installations. */
async function openPort(app: uWS.TemplatedApp, host: string, port: number): Promise<uWS.us_listen_socket> {
  const listenExclusively = app.listen.bind(app) as unknown as ExclusiveListen;
  const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => {
    listenExclusively(host, port, LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket) return socket;
  throw await portTaken(host, port);
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: the type declarations of uWebSockets.js have it in an enum that does not exist at run time. */
const LISTEN_EXCLUSIVE_PORT = 1;

/** The form of `listen` that takes host and options together is missing from the type declarations of uWebSockets.js. */
type ExclusiveListen = (
  host: string,
  port: number,
  options: number,
  done: (socket: uWS.us_listen_socket | false) => void,
) => void;
