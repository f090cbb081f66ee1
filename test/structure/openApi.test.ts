import type Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { exampleOf } from '../../src/contract/examples.ts';
import { createOpenApi } from '../../src/contract/openApi.ts';
import { errorStatuses, type Operation } from '../../src/contract/operation.ts';
import { unknownFields } from '../../src/contract/unknownFields.ts';
import { createValidator } from '../../src/contract/validator.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import { namesInPath } from '../../src/http/request/endpoint.ts';

const ROUTES = [...APPLICATION_ROUTES, ...ADMIN_ROUTES];
const described = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at many depths
const document: any = createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, '1.2.3');

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' ? [child as string] : references(child),
  );
}

describe('the table of contents', () => {
  test.each(described)('%s describes each part of its path', (_name, { path, operation }) => {
    expect(Object.keys(operation.path?.properties ?? {})).toEqual(namesInPath(path));
  });

  test('names every function once', () => {
    const names = ROUTES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain('');
  });
});

describe('the OpenAPI document', () => {
  test('holds every route, with its statuses', () => {
    const shown = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map(([method, { operationId, responses }]) => [
          method,
          path,
          operationId,
          Object.keys(responses).map(Number),
        ]),
    );
    const expected = [
      ...APPLICATION_ROUTES.map((route) => ({ ...route, base: '/v1' })),
      ...ADMIN_ROUTES.map((route) => ({ ...route, base: '/admin/v1' })),
    ].map(({ base, method, path, name, operation }) => [
      method,
      base + path,
      name,
      [...Object.keys(operation.responses).map(Number), ...errorStatuses(operation)].sort(),
    ]);
    expect(shown.sort()).toEqual(expected.sort());
  });

  test('contains everything that it refers to', () => {
    const found = references(document);
    expect(found.length).toBeGreaterThan(50);
    for (const reference of found) {
      const target = reference
        .slice(2)
        .split('/')
        .reduce((value, part) => value?.[part], document);
      expect(target, reference).toBeTypeOf('object');
    }
  });

  test('says which keys may call', () => {
    const { post } = document.paths['/v1/metrics/{key}/event'];
    expect(post.security).toEqual([{ AdminKey: [] }, { ApplicationKey: [] }, { UserToken: [] }]);
    expect(post.parameters).toMatchObject([
      { name: 'key', in: 'path', required: true },
      { name: 'strict', in: 'query', required: false },
      { name: 'Idempotency-Key', in: 'header', required: false },
      { name: 'Prefer', in: 'header', required: false },
    ]);
    const clock = document.paths['/admin/v1/test-clock'];
    expect(clock).toMatchObject({ get: { security: [{ AdminKey: [] }] } });
    expect(document.components.securitySchemes.AdminKey).toMatchObject({ in: 'header', name: 'X-API-KEY' });
  });

  test('names paths from the root of one server, so that no client puts two bases together', () => {
    expect(document.servers).toHaveLength(1);
    expect(document.servers[0].url).toBe('/');
    for (const [path, item] of Object.entries<object>(document.paths)) {
      expect(path).toMatch(/^\/(admin\/)?v1\//);
      expect(item).not.toHaveProperty('servers');
    }
  });

  test('names operations in one way: a verb and a noun, after `admin` in the Admin API', () => {
    for (const [path, item] of Object.entries<object>(document.paths)) {
      for (const { operationId } of Object.values(item).filter((part) => 'operationId' in part)) {
        expect(operationId).toMatch(
          path.startsWith('/admin/') ? /^admin([A-Z][a-z]+){2,}$/ : /^[a-z]+([A-Z][a-z]+)+$/,
        );
      }
    }
  });

  test('answers a recorded event with one schema, and a held one with another', () => {
    const { responses } = document.paths['/v1/metrics/{key}/event'].post;
    const schemaOf = (status: number) => responses[status].content['application/json'].schema;
    const refOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    expect(schemaOf(201)).toEqual(refOf('EventResponse'));
    expect(schemaOf(202)).toEqual({ anyOf: [refOf('EventResponse'), refOf('HeldEventResponse')] });
  });

  test('describes the configuration file as JSON and as YAML, taken and answered', () => {
    const { put, get } = document.paths['/admin/v1/config'];
    for (const content of [put.requestBody.content, get.responses[200].content]) {
      expect(Object.keys(content)).toEqual(['application/json', 'application/yaml']);
      for (const { schema } of Object.values<{ schema: object }>(content)) {
        expect(schema).toEqual({ $ref: '#/components/schemas/Config' });
      }
    }
    expect(document.components.schemas.Config.properties).toHaveProperty('achievements');
  });

  const schemasOf = ({ request, shownRequest = request, responses }: Operation) => ({
    ...(shownRequest && { request: shownRequest }),
    ...responses,
  });
  test.each(
    ROUTES.filter(({ operation }) => !operation.contentType).flatMap(({ name, operation }) =>
      Object.entries<Type.TSchema>(schemasOf(operation)).map(
        ([part, schema]) => [name, part, schema] as const,
      ),
    ),
  )('has a valid example: %s, %s', (_name, _part, schema) => {
    const example = exampleOf(schema);
    expect(createValidator(schema)(example)).toBe(example);
    expect([...unknownFields(schema, example)]).toEqual([]);
  });

  test('shows an example of every request and response, but of streams and CSV', () => {
    const operations = Object.values<object>(document.paths).flatMap((item) =>
      Object.values(item).filter((part) => 'operationId' in part),
    );
    const bodies = operations.flatMap(({ requestBody, responses }) => [
      requestBody,
      ...Object.values(responses),
    ]);
    const medias = bodies.flatMap((body) => Object.entries<object>(body?.content ?? {}));
    expect(medias.length).toBeGreaterThan(ROUTES.length);
    for (const [type, media] of medias) {
      if (type !== 'text/event-stream' && type !== 'text/csv') expect(media).toHaveProperty('example');
    }
  });

  test('has the version of the service and only tags in use', () => {
    expect(document.info).toMatchObject({ title: 'laurel', version: '1.2.3' });
    const used = new Set(ROUTES.map(({ operation }) => operation.tag));
    expect(document.tags.map(({ name }: { name: string }) => name).sort()).toEqual([...used].sort());
  });
});
