import { expect, test } from 'vitest';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';

interface Schema {
  type?: string;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** Paths of the numbers of a schema that have no maximum. */
function unlimited(schema: Schema, path: string): string[] {
  const own = schema.type === 'integer' || schema.type === 'number' ? [schema] : [];
  return [
    ...own
      .filter(({ maximum }) => maximum === undefined || maximum > Number.MAX_SAFE_INTEGER)
      .map(() => path),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      unlimited(child, `${path}.${name}`),
    ),
    ...(schema.items ? unlimited(schema.items, `${path}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((member) => unlimited(member, path)),
  ];
}

// Numbers of a query become arguments of statements, and PostgreSQL refuses what is no bigint.
test('numbers of queries have a maximum', () => {
  const found = [...APPLICATION_ROUTES, ...ADMIN_ROUTES].flatMap(({ method, path, operation }) =>
    operation.query ? unlimited(operation.query as Schema, `${method} ${path}: query`) : [],
  );
  expect(found).toEqual([]);
});
