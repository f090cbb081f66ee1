import type Type from 'typebox';
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { createThoroughValidator, createValidator } from '../../src/contract/validator.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';

/**
 * A list with too many entries is not searched for faults: for each place of each request that may hold a
 * list, what a validation reads of a long one is counted.
 */
const ENTRIES = 20_000;
/** Lists in lists that fit into a body. */
const DEPTH = 125_000;
const READS_MAX = ENTRIES + 1_000;

interface Schema {
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

const BAD: Record<string, unknown[]> = {
  numbers: Array.from({ length: ENTRIES }, (_, i) => i),
  texts: Array.from({ length: ENTRIES }, (_, i) => `t${i}`),
  objects: Array.from({ length: ENTRIES }, () => ({})),
};

/** Bodies with a list at each place of a schema that may be one. */
function* bodies(schema: Schema, list: unknown): Generator<unknown> {
  if (schema.items) {
    yield list;
    for (const item of bodies(schema.items, list)) yield [item];
  }
  for (const [name, child] of Object.entries(schema.properties ?? {}))
    for (const value of bodies(child, list)) yield { [name]: value };
  for (const child of Object.values(schema.patternProperties ?? {}))
    for (const value of bodies(child, list)) yield { some: value };
  for (const member of schema.anyOf ?? []) yield* bodies(member, list);
}

const routes = [...APPLICATION_ROUTES, ...ADMIN_ROUTES].filter(({ operation }) => operation.request);
const requests = routes.map((route) => [`${route.method} ${route.path}`, route.operation.request!] as const);

test.each(requests)('%s reads a long list once at most', (_, schema: Type.TSchema) => {
  for (const validate of [createValidator(schema), createThoroughValidator(schema)]) {
    for (const [kind, bad] of Object.entries(BAD)) {
      let reads = 0;
      const counted = new Proxy(bad, {
        get(list, name) {
          reads++;
          return Reflect.get(list, name);
        },
      });
      for (const body of bodies(schema as Schema, counted)) {
        reads = 0;
        // The cost of a refusal is measured.
        catchOf(() => validate(body));
        expect(reads, `${kind} in ${Object.keys(body as object)[0]}`).toBeLessThan(READS_MAX);
      }
    }
  }
});

test.each(requests)('%s refuses lists in lists, as deep as a body can hold', (_, schema: Type.TSchema) => {
  let deep: unknown[] = [];
  for (let depth = 0; depth < DEPTH; depth++) deep = [deep];
  for (const validate of [createValidator(schema), createThoroughValidator(schema)]) {
    for (const body of [deep, ...bodies(schema as Schema, deep)]) {
      const error = catchOf(() => validate(body));
      if (error !== null) expect(error).toBeInstanceOf(ServiceError);
    }
  }
});

function catchOf(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return error;
  }
}
