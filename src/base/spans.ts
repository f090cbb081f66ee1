export interface Span {
  /** Continues the trace in another process: the value of a `traceparent` header (W3C Trace Context). */
  readonly context: string;
  /** @param failure the error; undefined after success */
  end(failure?: unknown): void;
}

export interface SpanOptions {
  kind: 'server' | 'client' | 'consumer';
  /** `context` of the span that caused this one, maybe of another process; invalid ones are ignored. */
  parent?: string | null;
  /** `context` of further spans that this one is about. */
  links?: readonly string[];
  attributes?: Record<string, string | number>;
}

export interface Tracing {
  begin(name: string, options: SpanOptions): Span;
  /** Sends the remaining spans and closes. */
  stop(): Promise<void>;
}
