import type { HttpRequest, HttpResponse, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import type { LiveReads, LiveSubscriber, Watch } from '../request/liveReads.ts';
import type { RouteTimes } from '../request/requests.ts';
import { HttpContext, responseText } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { NewestFirst } from './newestFirst.ts';

/** Unsent bytes after which a subscriber counts as stuck. The largest page is far smaller. */
const LIVE_BACKPRESSURE_BYTES_MAX = 16 * 1024 * 1024;

/** RFC 6455, section 7.4.1: try again elsewhere; what was asked for is refused. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
/** A client has nothing to say. */
const MESSAGE_BYTES_MAX = 1_024;
const IDLE_SECONDS = 60;

export interface Connection {
  watch: Watch;
  socket: WebSocketSubscriber | null;
}

class WebSocketSubscriber implements LiveSubscriber {
  readonly #ws: WebSocket<Connection>;
  readonly #states: NewestFirst;
  #unsubscribe: (() => void) | null = null;
  #isClosed = false;

  constructor(ws: WebSocket<Connection>) {
    this.#ws = ws;
    this.#states = new NewestFirst((text) => ws.send(responseText(text)) === 1);
  }

  async subscribe(live: LiveReads, watch: Watch): Promise<void> {
    try {
      this.#unsubscribe = await live.subscribe(watch, this);
      if (this.#isClosed) this.#unsubscribe();
    } catch (error) {
      this.end(error);
    }
  }

  push(text: string): void {
    if (!this.#isClosed) this.#states.offer(text);
  }

  end(reason: unknown): void {
    if (this.#isClosed) return;
    const error = reason instanceof ServiceError ? reason : new ServiceError('unavailable', 'Internal error');
    this.#ws.end(error.code === 'unavailable' ? GOING_AWAY : POLICY_VIOLATION, responseText(error.message));
  }

  drained(): void {
    if (this.#ws.getBufferedAmount() === 0) this.#states.drained();
  }

  closed(): void {
    this.#isClosed = true;
    this.#unsubscribe?.();
  }
}

/**
 * What is watched, over WebSockets. Errors after the upgrade close the connection with a code and the
 * message.
 */
export function watchBySocket(
  { live, requests, errors }: Pick<Service, 'live' | 'requests' | 'errors'>,
  route: RouteTimes,
  watchOf: (res: HttpResponse, req: HttpRequest) => Watch,
): WebSocketBehavior<Connection> {
  return {
    maxPayloadLength: MESSAGE_BYTES_MAX,
    maxBackpressure: LIVE_BACKPRESSURE_BYTES_MAX,
    idleTimeout: IDLE_SECONDS,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => {
      let watch: Watch;
      try {
        watch = watchOf(res, req);
      } catch (error) {
        errors.fail(new HttpContext(requests, route, res, req), error);
        return;
      }
      const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((name) =>
        req.getHeader(`sec-websocket-${name}`),
      ) as [string, string, string];
      res.upgrade<Connection>({ watch, socket: null }, key, protocol, extensions, context);
    },
    open: (ws) => {
      const connection = ws.getUserData();
      connection.socket = new WebSocketSubscriber(ws);
      void connection.socket.subscribe(live, connection.watch);
    },
    drain: (ws) => ws.getUserData().socket?.drained(),
    close: (ws) => ws.getUserData().socket?.closed(),
  };
}
