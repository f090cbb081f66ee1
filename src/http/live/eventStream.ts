import { ServiceError } from '../../base/errors.ts';
import type { LiveSubscriber } from '../request/liveReads.ts';
import { type HttpContext, responseText } from '../request/respond.ts';
import { NewestFirst } from './newestFirst.ts';

/**
 * Time between two heartbeats on an event stream. uWebSockets.js closes silent connections after 10 s,
 * proxies after 30 to 60 s.
 */
const LIVE_HEARTBEAT_INTERVAL_MS = 5_000;

/** A line that clients skip. */
const COMMENT = ':\n\n';
/**
 * How long a browser waits before it connects again; longer after a refusal that a repetition does not
 * change.
 */
const RETRY_MS = 1_000;
const REFUSED_RETRY_MS = 60_000;

/** A subscriber by server-sent events. Answers 200 with the first state or with a refusal. */
export class EventStream implements LiveSubscriber {
  readonly #context: HttpContext;
  readonly #states = new NewestFirst((text) => this.#write(`data: ${text}\n\n`));
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(context: HttpContext) {
    this.#context = context;
  }

  push(text: string): void {
    if (this.#context.over) return;
    if (this.#heartbeat === null) this.#open();
    this.#states.offer(text);
  }

  end(reason: unknown): void {
    this.gone();
    if (this.#context.over) return;
    this.#endWith(reason instanceof ServiceError ? reason.message : 'Internal error');
  }

  refuse({ status, message }: { status: number; message: string }): void {
    if (this.#context.over) return;
    this.#open(status < 500 ? REFUSED_RETRY_MS : RETRY_MS);
    this.gone();
    this.#endWith(message);
  }

  #endWith(message: string): void {
    this.#write(`event: error\ndata: ${JSON.stringify({ error: message })}\n\n`);
    this.#context.end();
  }

  /** The client went. */
  gone(): void {
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
  }

  #open(retryMs = RETRY_MS): void {
    const { res } = this.#context;
    this.#heartbeat = setInterval(() => {
      if (this.#states.isFree) this.#write(COMMENT);
    }, LIVE_HEARTBEAT_INTERVAL_MS);
    res.onWritable(() => {
      // What uWebSockets.js holds back goes out with the next write, so there has to be one.
      if (this.#write(COMMENT)) this.#states.drained();
      return true;
    });
    res.cork(() => {
      this.#context.writeHead(200, 'text/event-stream');
      // Proxies must neither store nor buffer a stream.
      res.writeHeader('Cache-Control', 'no-store').writeHeader('X-Accel-Buffering', 'no');
      res.write(`retry: ${retryMs}\n\n`);
    });
  }

  /** Answers whether the client takes more. */
  #write(text: string): boolean {
    const { res } = this.#context;
    let isDrained = true;
    res.cork(() => {
      isDrained = res.write(responseText(text));
    });
    return isDrained;
  }
}
