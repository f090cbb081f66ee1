import { ServiceError } from '../../base/errors.ts';
import { LIVE_HEARTBEAT_INTERVAL_MS } from '../../base/limits.ts';
import type { HttpContext } from '../request/respond.ts';
import { responseText } from '../request/responseText.ts';
import type { LiveSubscriber } from './liveReads.ts';
import { NewestFirst } from './newestFirst.ts';

/** A line that clients skip. */
const COMMENT = ':\n\n';
/** How long a browser waits before it connects again. */
const RETRY_MS = 1_000;

/** A subscriber by server-sent events. Answers 200 with the first state; before it, the response may still carry an error. */
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
    const message = reason instanceof ServiceError ? reason.message : 'Internal error';
    this.#write(`event: error\ndata: ${JSON.stringify({ error: message })}\n\n`);
    this.#context.end();
  }

  /** The client went. */
  gone(): void {
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
  }

  #open(): void {
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
      res.write(`retry: ${RETRY_MS}\n\n`);
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
