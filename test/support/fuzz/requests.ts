import { gzipSync } from 'node:zlib';
import { ADMIN_BASE, APPLICATION_BASES } from '../../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../../src/http/application/routes.ts';
import type { Route } from '../../../src/http/request/endpoint.ts';
import { Random } from '../random.ts';
import { rawRequest } from '../rawHttp.ts';
import type { Pools } from './pools.ts';
import { oddText, type Schema, Values } from './values.ts';

/** Every route of the OpenAPI document, under each of its bases. */
export const ROUTES: { base: string; route: Route }[] = [
  ...APPLICATION_BASES.flatMap((base) => APPLICATION_ROUTES.map((route) => ({ base, route }))),
  ...ADMIN_ROUTES.map((route) => ({ base: ADMIN_BASE, route })),
];

export interface FuzzRequest {
  method: string;
  /** Without the query. */
  path: string;
  bytes: Buffer;
  /** Too large, or no HTTP: the server may close the connection, or wait, without an answer. */
  isOddHead: boolean;
}

const HEAD_BYTES_SAFE = 3_500;
const BODY_BYTES_OVER = 5_000_000;

/**
 * The request of this number: the same seed and number make the same choices, among what `pools` hold at the
 * time.
 */
export function makeRequest(seed: number, number: number, pools: Pools): FuzzRequest {
  const random = new Random(Math.imul(seed, 0x9e3779b1) + number);
  const { base, route } = random.pick(ROUTES);
  const oddness = random.pick([0, 0, 0.02, 0.1, 0.3]);
  const values = new Values(random, pools.valuesFor(base, route), oddness);
  const { path: pathSchema, query, request } = route.operation;

  const path =
    base +
    route.path.replaceAll(/\{(\w+)\}/g, (_, name) => {
      const schema = (pathSchema as Schema | undefined)?.properties?.[name] ?? {};
      return pathPart(values.of(schema, name), random);
    });
  const headers = { ...makeHeaders(random, pools), 'Content-Type': contentType(random) };
  const body = request
    ? makeBody(values.of(request as Schema), random)
    : random.chance(0.02)
      ? Buffer.from('{}')
      : null;
  const method = random.chance(0.01)
    ? random.pick(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'BREW'])
    : route.method.toUpperCase();
  const target = path + makeQuery(query as Schema | undefined, values, random);
  const bytes = rawRequest(method, target, headers, body);
  const head = bytes.toString('latin1', 0, bytes.length - (body?.length ?? 0));
  return {
    method,
    path,
    bytes,
    isOddHead: head.length > HEAD_BYTES_SAFE || !/^[\x20-\x7e\r\n]*$/.test(head),
  };
}

function makeHeaders(random: Random, { keys, tenants }: Pools): Record<string, string> {
  const headers: Record<string, string> = {};
  const key = random.weighted<string | null>([
    [93, keys[0]!],
    [5, random.pick(keys)],
    [0.2, 'no-key'],
    [0.2, null],
  ]);
  if (key !== null) headers['X-API-KEY'] = key;
  if (random.chance(0.98)) headers['Tenant-ID'] = tenants[random.chance(0.9) ? 0 : 1]!;
  if (random.chance(0.2)) headers['Idempotency-Key'] = `key-${random.int(0, 50)}`;
  if (random.chance(0.97)) return headers;
  const odd = oddText(random)
    .replaceAll(/[\r\n]/g, '')
    .slice(0, 6_000);
  headers[random.pick(['X-API-KEY', 'Tenant-ID', 'Idempotency-Key', 'Accept', 'X', 'Origin'])] = odd;
  return headers;
}

function contentType(random: Random): string {
  return random.chance(0.95)
    ? 'application/json'
    : random.pick([
        'text/plain',
        'application/yaml',
        'multipart/form-data; boundary=x',
        'application/json; charset=latin1',
      ]);
}

/** Percent-encoded as clients do, rarely as they should not. */
function encode(text: string, random: Random): string {
  const encoded = Buffer.from(text.slice(0, 6_000))
    .toString('latin1')
    .replaceAll(/[^A-Za-z0-9_.~-]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  if (random.chance(0.99)) return encoded;
  return random.pick([`${encoded}%`, `${encoded}%ff`, `${encoded}%2`, text.replaceAll(/[\s\p{Cc}]/gu, '')]);
}

function pathPart(value: unknown, random: Random): string {
  return encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), random);
}

function makeQuery(schema: Schema | undefined, values: Values, random: Random): string {
  if (schema === undefined) return random.chance(0.05) ? `?${encode(oddText(random), random)}` : '';
  const given = values.of(schema);
  if (typeof given !== 'object' || given === null) return `?${encode(String(given), random)}`;
  const pairs = Object.entries(given).flatMap(([name, value]) => {
    const written = random.chance(0.1) ? name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`) : name;
    const texts = Array.isArray(value) ? value.slice(0, 30) : [value];
    return texts.map((text) => `${encode(written, random)}=${pathPart(text, random)}`);
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/**
 * JSON, often as it should be, else damaged: cut, bytes changed, in other encodings, too large, with numbers
 * that are none.
 */
function makeBody(value: unknown, random: Random): Buffer {
  const text = JSON.stringify(value) ?? '';
  const whole = Buffer.from(text);
  if (random.chance(0.85)) return whole;
  return random.weighted<() => Buffer>([
    [5, () => whole.subarray(0, random.int(0, whole.length))],
    [5, () => withByte(whole, random)],
    [
      3,
      () =>
        Buffer.from(
          text.replace(/\d+/, random.pick(['1e999', '-0', '01', 'NaN', '1e-400', '9'.repeat(400)])),
        ),
    ],
    [2, () => Buffer.from(text.replace('"', '"\\ud800'))],
    [2, () => Buffer.from(text.replace('{', '{"__proto__":{"x":1},"id":"first",'))],
    [1, () => Buffer.concat([Buffer.from('\ufeff'), whole])],
    [1, () => Buffer.from(text, 'utf16le')],
    [1, () => gzipSync(whole)],
    [1, () => Buffer.concat([whole, Buffer.from('{}')])],
    [1, () => Buffer.from('[{"a":'.repeat(random.int(100, 40_000)))],
    [1, () => nestedJson(random.int(1_000, 100_000))],
    [0.1, () => Buffer.concat([whole, Buffer.alloc(BODY_BYTES_OVER, ' ')])],
  ])();
}

function nestedJson(depth: number): Buffer {
  return Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

function withByte(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  if (changed.length > 0) changed[random.int(0, changed.length - 1)] = random.int(0, 255);
  return changed;
}
