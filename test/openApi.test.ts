import { describe, expect, test } from 'vitest';
import { createOpenApi } from '../src/contract/openApi.ts';
import { errorStatuses } from '../src/contract/operation.ts';
import { unknownFields } from '../src/contract/unknownFields.ts';
import { createValidator } from '../src/contract/validator.ts';
import { ADMIN_ROUTES } from '../src/http/admin/routes.ts';
import { namesInPath } from '../src/http/request/endpoint.ts';
import { APPLICATION_ROUTES } from '../src/http/routes.ts';

const ROUTES = [...APPLICATION_ROUTES, ...ADMIN_ROUTES];
const described = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at many depths
const document: any = createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, '1.2.3');

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === '$ref' ? [child as string] : references(child)));
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
        .map(([method, { operationId, responses }]) => [method, path, operationId, Object.keys(responses).map(Number)]),
    );
    const expected = [
      ...APPLICATION_ROUTES.map((route) => ({ ...route, base: '' })),
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
    const { post } = document.paths['/metrics/{key}/event'];
    expect(document.servers).toEqual([{ url: '/v1' }, { url: '/api' }]);
    expect(post.security).toEqual([{ AdminKey: [] }, { ApplicationKey: [] }]);
    expect(post.parameters).toMatchObject([
      { name: 'key', in: 'path', required: true },
      { name: 'strict', in: 'query', required: false },
      { name: 'Idempotency-Key', in: 'header', required: false },
      { name: 'Prefer', in: 'header', required: false },
    ]);
    const clock = document.paths['/admin/v1/test-clock'];
    expect(clock).toMatchObject({ servers: [{ url: '/' }], get: { security: [{ AdminKey: [] }] } });
    expect(document.components.securitySchemes.AdminKey).toMatchObject({ in: 'header', name: 'X-API-KEY' });
  });

  test.each(
    ADMIN_ROUTES.filter(({ method, operation }) => operation.request && method !== 'patch').map(
      ({ name, operation }) => [name, operation.request!] as const,
    ),
  )('shows an example of what %s takes', (_name, request) => {
    const { examples } = request as { examples?: unknown[] };
    expect(examples).toHaveLength(1);
    expect(createValidator(request)(examples![0])).toBe(examples![0]);
    expect(unknownFields(request, examples![0])).toEqual([]);
  });

  test('has the version of the service and only tags in use', () => {
    expect(document.info).toMatchObject({ title: 'laurel', version: '1.2.3' });
    const used = new Set(ROUTES.map(({ operation }) => operation.tag));
    expect(document.tags.map(({ name }: { name: string }) => name).sort()).toEqual([...used].sort());
  });
});
