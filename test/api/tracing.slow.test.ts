import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import type { Tracing } from '../../src/base/spans.ts';
import { startTracing } from '../../src/base/tracing.ts';
import { startWorker } from '../../workers/start/startWorker.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

interface SentSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status: { code?: number };
  attributes: { key: string; value: { stringValue?: string } }[];
}

const stops: (() => unknown)[] = [];
async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}
afterEach(async () => {
  await stopAll();
  vi.unstubAllEnvs();
});

async function traceTo(collector: Receiver): Promise<Tracing> {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  const env = readEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const tracing = (await startTracing(env, 'test', '1.2.3'))!;
  stops.push(() => tracing.stop());
  return tracing;
}

const spansOf = (collector: Receiver): SentSpan[] =>
  collector
    .of('/v1/traces')
    .flatMap(({ body }) => body.resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);

async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  stops.push(() => receiver.close());
  return receiver;
}

test('one trace leads from the request of a caller over the script to the relay and the delivery', async () => {
  const collector = await newReceiver();
  const endpoint = await newReceiver();
  const dataDir = await mkdtemp(join(tmpdir(), 'laurel-test-traces-'));
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  const tracing = await traceTo(collector);
  const server = await startTestServer({ tracing });
  stops.push(() => server.stop());
  const { redisUrl, databaseUrl } = server;
  const env = readEnv({
    LAUREL_TEST_CLOCK: '1',
    LAUREL_WEBHOOK_ALLOW_PRIVATE: '1',
    LAUREL_DATA_DIR: dataDir,
  });
  const worker = await startWorker({ ...env, redisUrl, databaseUrl }, createLog('test', 'silent'), {
    tracing,
  });
  stops.push(() => worker.stop());
  const webhook = { name: 'Hook', url: `${endpoint.url}/hook`, events: ['streak.started'] };
  expect((await server.call('POST', '/admin/v1/webhooks', [webhook])).body.issues).toEqual([]);

  const traceId = randomBytes(16).toString('hex');
  const caller = randomBytes(8).toString('hex');
  const headers = { traceparent: `00-${traceId}-${caller}-01`, 'X-Request-Id': 'traced' };
  const reply = await server.call(
    'POST',
    '/v1/metrics/lessons/event',
    { user: { id: 'ann' }, value: 1 },
    headers,
  );
  expect(reply.status).toBe(201);
  await until(() => endpoint.of('/hook').length > 0);
  // The span of a delivery ends once its result is recorded, which is after the request: the worker waits for
  // it when it stops.
  await stopAll();

  const spans = spansOf(collector).filter((span) => span.traceId === traceId);
  const byName = new Map(spans.map((span) => [span.name, span]));
  const names = ['POST /v1/metrics/{key}/event', 'recordEvents', 'relay', 'deliver webhooks'];
  expect([...byName.keys()].sort()).toEqual([...names].sort());
  const [request, script, relay, delivery] = names.map((name) => byName.get(name)!);
  expect(request!.parentSpanId).toBe(caller);
  expect(script!.parentSpanId).toBe(request!.spanId);
  expect(relay!.parentSpanId).toBe(script!.spanId);
  expect(delivery!.parentSpanId).toBe(relay!.spanId);
  expect(request!.attributes).toContainEqual({ key: 'laurel.request_id', value: { stringValue: 'traced' } });
  const [{ resource }] = collector.of('/v1/traces')[0]!.body.resourceSpans;
  expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'laurel-test' } });
});

test('a caller that does not sample is not traced, a malformed traceparent begins a new trace', async () => {
  const collector = await newReceiver();
  const tracing = await traceTo(collector);
  const begin = (parent: string): void => tracing.begin('some work', { kind: 'server', parent }).end();
  begin(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`);
  begin(`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`);
  begin('nonsense');
  await stopAll();
  expect(spansOf(collector).map(({ parentSpanId }) => parentSpanId ?? null)).toEqual([null, null]);
});

test('a failed span says so, and a collector that is away hinders nothing', async () => {
  const collector = await newReceiver();
  const tracing = await traceTo(collector);
  tracing.begin('some work', { kind: 'server' }).end(new Error('broken'));
  await stopAll();
  expect(spansOf(collector)[0]!.status).toMatchObject({ code: 2, message: 'broken' });
  const unheard = await traceTo(collector);
  unheard.begin('some work', { kind: 'server' }).end();
  await stopAll();
});

test.each([
  ['nothing is set', {}],
  ['the SDK is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1', OTEL_SDK_DISABLED: 'true' }],
  [
    'the exporter is none',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1', OTEL_TRACES_EXPORTER: 'none' },
  ],
])('nothing is traced if %s', async (_, env) => {
  expect(await startTracing(readEnv(env), 'test', '1.2.3')).toBeNull();
});

test('an unknown sampler is refused at the start', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1' };
  expect(() => readEnv({ ...env, OTEL_TRACES_SAMPLER: 'some' })).toThrow('OTEL_TRACES_SAMPLER');
  expect(() => readEnv({ ...env, OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow('OTEL_TRACES_SAMPLER_ARG');
});
