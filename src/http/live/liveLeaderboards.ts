import type { WebSocketBehavior } from 'uWebSockets.js';
import { GetLeaderboard } from '../../contract/leaderboard.ts';
import { getRankings } from '../leaderboards/leaderboardHandlers.ts';
import { createRunner, type Handler } from '../request/endpoint.ts';
import { type ErrorResponder, HttpContext } from '../request/respond.ts';
import type { RouteTimes } from '../request/routeTimes.ts';
import type { Service } from '../request/service.ts';
import { EventStream } from './eventStream.ts';
import { createWatcher } from './watch.ts';
import { type Connection, watchBySocket } from './webSocket.ts';

const watch = createWatcher(createRunner('get', '/leaderboards/{key}', GetLeaderboard, getRankings));

/**
 * GET /leaderboards/{key}/live: the answer of `GET /leaderboards/{key}` with the same query, now and whenever
 * it changes, as server-sent events. An EventSource cannot show a refusal by status, so a client that accepts
 * a stream gets it as an event.
 */
export function watchLeaderboard(service: Service, errors: ErrorResponder): Handler {
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
export function watchLeaderboardBySocket(
  service: Service,
  errors: ErrorResponder,
  route: RouteTimes,
): WebSocketBehavior<Connection> {
  return watchBySocket(service, errors, route, (res, req) => watch(service, res, req));
}
