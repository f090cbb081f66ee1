import type { Span, Tracing } from '../../src/base/spans.ts';
import type { TraceOf } from '../../src/notifications/planning/deliveriesOf.ts';
import type { DecodedEntry } from './toHistory.ts';

/** The spans of a transaction of the relay: one for each entry that a traced request has caused. */
export class RelaySpans {
  readonly #spans: Span[] = [];
  readonly #contexts = new Map<string, string>();

  constructor(tracing: Tracing, entries: readonly DecodedEntry[]) {
    for (const { entry } of entries) {
      if (entry.trace === undefined) continue;
      const attributes = { 'laurel.tenant': entry.tenant, 'laurel.changes': entry.changes.length };
      const span = tracing.begin('relay', { kind: 'consumer', parent: entry.trace, attributes });
      this.#spans.push(span);
      for (const { change } of entry.changes)
        this.#contexts.set(`${entry.tenant}:${change.userId}`, span.context);
    }
  }

  readonly traceOf: TraceOf = (tenant, userId) => this.#contexts.get(`${tenant}:${userId}`);

  end(failure?: unknown): void {
    for (const span of this.#spans) span.end(failure);
  }
}
