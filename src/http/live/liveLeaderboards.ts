import type { HttpRequest, HttpResponse, WebSocketBehavior } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import { GetLeaderboard } from '../../contract/leaderboard.ts';
import { presentedKey, withKey } from '../authentication/admission.ts';
import type { ApiKey } from '../authentication/apiKeys.ts';
import { namingTenant, readTenantId } from '../authentication/tenants.ts';
import { getRankings } from '../leaderboards/leaderboardHandlers.ts';
import { createRunner, type Runner } from '../request/endpoint.ts';
import type { Watch } from '../request/liveReads.ts';
import { decodePathPart } from '../request/parameters.ts';
import type { RouteTimes } from '../request/requests.ts';
import { type Handler, HttpContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { EventStream } from './eventStream.ts';
import { RankingPages } from './rankingPages.ts';
import { WatchedLeaderboard } from './watchedLeaderboard.ts';
import { type Connection, watchBySocket } from './webSocket.ts';

const watch = createWatcher(createRunner(GetLeaderboard, getRankings));

/**
 * GET /leaderboards/{key}/live: the answer of `GET /leaderboards/{key}` with the same query, now and whenever
 * it changes, as server-sent events. An EventSource cannot show a refusal by status, so a client that accepts
 * a stream gets it as an event.
 */
export function watchLeaderboard(service: Service): Handler {
  const { errors } = service;
  return (res, req, route) => {
    let unsubscribe: (() => void) | null = null;
    const context = new HttpContext(service.requests, route, res, req, () => {
      events.gone();
      unsubscribe?.();
    });
    service.cors.admit(context, req);
    const events = new EventStream(context);
    const acceptsEvents = req.getHeader('accept').includes('text/event-stream');
    const refuse = (error: unknown): void => {
      if (acceptsEvents) events.refuse(errors.describe(context, error));
      else errors.fail(context, error);
    };
    try {
      service.live.subscribe(watch(service, res, req), events).then((end) => {
        unsubscribe = end;
        if (context.over) end();
      }, refuse);
    } catch (error) {
      refuse(error);
    }
  };
}

/** The same over a WebSocket. Every state is one text message. */
export function watchLeaderboardBySocket(service: Service, route: RouteTimes): WebSocketBehavior<Connection> {
  return watchBySocket(service, route, (res, req) => watch(service, res, req));
}

/**
 * Makes watches of leaderboards. Beside the query of `GET /leaderboards/{key}` there may be `access_token` or
 * `apiKey`, and `tenantId`, since browsers give neither a WebSocket nor an EventSource headers. No admin key
 * may stand there, for addresses end up in logs. The function throws ServiceError `unauthorized` or
 * `forbidden`; `read` rejects with them for a token that is new, and as `Tenants.rulesFor` does.
 */
function createWatcher(admit: Runner): (service: Service, res: HttpResponse, req: HttpRequest) => Watch {
  return (service, res, req) => {
    const query = new URLSearchParams(req.getQuery() ?? '');
    const shown = query.get('access_token') ?? query.get('apiKey');
    const tenantId = query.get('tenantId') ?? readTenantId(req);
    query.delete('access_token');
    query.delete('apiKey');
    query.delete('tenantId');
    const presented = shown ?? presentedKey(req);
    const path = [decodePathPart(req.getParameter(0))];
    const text = query.toString();
    const key = withKey(service.admission.admit(res, req, presented), req, (known) => {
      if (shown !== null && known.kind !== 'application') {
        throw new ServiceError(
          'unauthorized',
          'apiKey must be an application key; send an admin key in X-API-KEY',
        );
      }
      admit(known, path, text);
      return known;
    });
    let reader: ApiKey | null = null;
    let watched: WatchedLeaderboard | null = null;
    const watch: Watch = {
      name: '',
      keyId: null,
      tenant: null,
      read: async () => {
        reader = await key;
        let rules = await service.tenants.rulesFor(reader, namingTenant(tenantId));
        if (watched === null) {
          rules = (await service.rulesStore.loadNewer(rules)) ?? rules;
          watched = new WatchedLeaderboard(service, pagesOf(service), reader, path[0]!, text);
        }
        watch.keyId = reader.kind === 'application' ? reader.id : null;
        watch.tenant = rules.tenant;
        watch.name ||= JSON.stringify([rules.tenant, path, text, watched.readerOf(rules)]);
        return watched.read(rules);
      },
      assertValid: () => reader && service.admission.assertValid(reader, presented),
    };
    return watch;
  };
}

const pages = new WeakMap<Service, RankingPages>();

/** All watches of a server share them. */
function pagesOf(service: Service): RankingPages {
  let known = pages.get(service);
  if (known === undefined) {
    known = new RankingPages();
    pages.set(service, known);
  }
  return known;
}
