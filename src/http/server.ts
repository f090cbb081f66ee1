import type uWS from 'uWebSockets.js';
import { DurationHistogram } from '../base/durations.ts';
import type { Metrics } from '../base/metrics.ts';
import { packageVersion } from '../base/packageRoot.ts';
import { portTaken } from '../base/portHolder.ts';
import { ADMIN_BASE, APPLICATION_BASES, createOpenApi } from '../contract/openApi.ts';
import type { Method } from '../contract/operation.ts';
import { DEFAULT_TENANT } from '../db/configuration/loadConfig.ts';
import { findRedisFault } from '../engine/availability/storeFaults.ts';
import { PREFERENCES_PATH } from '../notifications/messages/preferenceLinks.ts';
import { keys } from '../redis/keys/redisKeys.ts';
import { ADMIN_ROUTES } from './admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from './application/routes.ts';
import { addConsole } from './console/console.ts';
import { documentFiles } from './documentation/documentPages.ts';
import { redirectToSite, sendSiteFile } from './documentation/sitePages.ts';
import { KnownPaths } from './knownPaths.ts';
import { watchLeaderboardBySocket } from './live/liveLeaderboards.ts';
import { serveMcp } from './mcp/mcp.ts';
import type { Route } from './request/endpoint.ts';
import { RouteTimes } from './request/requests.ts';
import { createHandler, type Handler, type HttpContext, TRY_AGAIN } from './request/respond.ts';
import type { Service } from './request/service.ts';
import { changePreferences, showPreferences } from './users/preferencesPage.ts';
import { loadUws } from './uws.ts';

interface HttpServer {
  port: number;
  /** Stops listening and ends live reads. Other connections stay open for the requests under way. */
  quiet(): void;
  close(): void;
}

/**
 * Starts the HTTP server.
 * @param showsMetrics whether this port answers `/metrics`, too
 * @throws Error that names the process that has the port
 */
export async function listen(
  service: Service,
  { host, port, showsMetrics }: { host: string; port: number; showsMetrics: boolean },
): Promise<HttpServer> {
  const { App, us_listen_socket_close, us_socket_local_port } = loadUws();
  const app = App();
  const known = new KnownPaths();
  const routeOf = createRoutes(service.metrics);
  const add = (method: Method | 'head', path: string, handle: Handler): void => {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const route = routeOf(method, path);
    app[method === 'delete' ? 'del' : method](pattern, (res, req) => handle(res, req, route));
    known.add(method.toUpperCase(), path);
  };
  const addAll = (base: string, routes: Route[]): void => {
    for (const { method, path, operation, serve } of routes) {
      const handle = serve(service);
      add(method, base + path, handle);
      const isStream = operation.contentType === 'text/event-stream';
      if (method === 'get' && !isStream) add('head', base + path, handle);
    }
  };

  for (const base of APPLICATION_BASES) {
    // Before the route of the same path, which answers requests without an upgrade.
    const route = routeOf('get', `${base}/leaderboards/{key}/live`);
    app.ws(`${base}/leaderboards/:key/live`, watchLeaderboardBySocket(service, route));
    addAll(base, APPLICATION_ROUTES);
    if (service.cors.isOn) app.options(`${base}/*`, (res, req) => service.cors.preflight(res, req));
  }
  addAll(ADMIN_BASE, ADMIN_ROUTES);

  const openApi = JSON.stringify(createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, packageVersion()));
  const addBoth = (path: string, handle: Handler): void => {
    add('get', path, handle);
    add('head', path, handle);
  };
  const addPage = (path: string, answer: (context: HttpContext) => Promise<void> | void): void =>
    addBoth(path, createHandler(service, answer));
  addPage('/openapi.json', (context) => context.send(200, openApi));
  for (const { path, body, headers } of documentFiles(packageVersion()))
    addPage(path, (context) => context.sendFile(body, headers));
  addPage('/docs', redirectToSite);
  addBoth('/docs/*', createHandler(service, sendSiteFile));
  add('post', '/mcp', serveMcp(service));
  addConsole(add, service);
  addBoth(`${PREFERENCES_PATH}/{token}`, showPreferences(service));
  add('post', `${PREFERENCES_PATH}/{token}`, changePreferences(service));
  addPage('/healthz', (context) => context.send(200, '{"status":"ok"}'));
  addPage('/readyz', (context) => showReadiness(service, context));
  if (showsMetrics) {
    addPage('/metrics', async (context) => {
      context.send(200, await service.metrics.page(), service.metrics.registry.contentType);
    });
  }
  const unknown = routeOf('any', 'unknown');
  const refuse = createHandler(service, (_context, req) => {
    throw known.refusal(req.getMethod().toUpperCase(), req.getUrl());
  });
  app.any('/*', (res, req) => refuse(res, req, unknown));

  const socket = await openPort(app, host, port);
  const quiet = (): void => {
    us_listen_socket_close(socket);
    service.live.close();
  };
  return { port: us_socket_local_port(socket), quiet, close: () => app.close() };
}

const READY = '{"status":"ready"}';
/** After a restore: without PostgreSQL, events with new idempotency keys are refused. */
const READY_WITH_COLD_KEYS = '{"status":"ready","idempotencyKeys":"in PostgreSQL"}';

/** Answers 503 with the fault while this server should get no requests. */
async function showReadiness(service: Service, context: HttpContext): Promise<void> {
  const { rulesStore, requests, redis, cells } = service;
  const hasRules = rulesStore.get(DEFAULT_TENANT) !== undefined;
  if (!hasRules) rulesStore.load(DEFAULT_TENANT).catch(() => {});
  const fault = requests.isDraining ? 'stopping' : await findRedisFault(redis, cells);
  const isReady = fault === null && hasRules;
  const coldTenants = isReady ? await redis.scard(keys.coldKeys).catch(() => 0) : 0;
  if (isReady) context.send(200, coldTenants === 0 ? READY : READY_WITH_COLD_KEYS);
  else context.send(503, JSON.stringify({ status: fault ?? 'starting' }), undefined, TRY_AGAIN);
}

/** Makes routes, whose times `/metrics` shows. */
function createRoutes(metrics: Metrics): (method: string, path: string) => RouteTimes {
  const times = new DurationHistogram(
    metrics.registry,
    'laurel_http_request_seconds',
    'Time from the request line to the head of the answer, by route and class of the status',
  );
  return (method, path) => new RouteTimes(times, method.toUpperCase(), path);
}

/**
 * The port is this process's alone: without that, Linux would share its connections out between two
 * installations.
 */
async function openPort(app: uWS.TemplatedApp, host: string, port: number): Promise<uWS.us_listen_socket> {
  const listenExclusively = app.listen.bind(app) as unknown as ExclusiveListen;
  const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => {
    listenExclusively(host, port, LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket) return socket;
  throw await portTaken(host, port);
}

/**
 * LIBUS_LISTEN_EXCLUSIVE_PORT: the type declarations of uWebSockets.js have it in an enum that does not exist
 * at run time.
 */
const LISTEN_EXCLUSIVE_PORT = 1;

/**
 * The form of `listen` that takes host and options together is missing from the type declarations of
 * uWebSockets.js.
 */
type ExclusiveListen = (
  host: string,
  port: number,
  options: number,
  done: (socket: uWS.us_listen_socket | false) => void,
) => void;
