import {
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Traces } from './envTraces.ts';
import { STORE_CLOSE_MS_MAX } from './limits.ts';
import type { Span, Tracing } from './spans.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Traces that are sent by OTLP over HTTP. The exporter reads the address, headers and timeouts from the
 * environment.
 */
export function openTelemetry(traces: Traces, role: string, version: string): Tracing {
  const own = resourceFromAttributes({ 'service.name': `laurel-${role}`, 'service.version': version });
  const detected = detectResources({ detectors: [hostDetector, envDetector] });
  const provider = new TracerProvider({
    resource: defaultResource().merge(own).merge(detected),
    sampler: createSampler(traces),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('laurel', version);
  return {
    begin: (name, { kind, parent, links = [], attributes = {} }) => {
      const parentContext = readContext(parent);
      const context =
        parentContext === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parentContext);
      const linked = links.flatMap((link): Link[] => {
        const linkContext = readContext(link);
        return linkContext === null ? [] : [{ context: linkContext }];
      });
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, links: linked }, context);
      const ended: Span = {
        context: writeContext(span.spanContext()),
        end: (failure) => {
          if (failure !== undefined) {
            span.setStatus({
              code: SpanStatusCode.ERROR,
              message: failure instanceof Error ? failure.message : String(failure),
            });
          }
          span.end();
        },
      };
      return ended;
    },
    stop: () =>
      provider
        .forceFlush({ timeoutMillis: STORE_CLOSE_MS_MAX })
        .then(() => provider.shutdown())
        .catch(() => {}),
  };
}

function createSampler({ sampler, ratio }: Traces): Sampler {
  const root = sampler.endsWith('traceidratio')
    ? new TraceIdRatioBasedSampler(ratio)
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function readContext(text: string | null | undefined): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined) return null;
  const context = { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16), isRemote: true };
  return isSpanContextValid(context) ? context : null;
}

function writeContext({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
