import { createOpenApi } from '../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import { comment, keyOf, objectText, type Schema, typeText } from './typeText.ts';

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

interface Described {
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Described>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const JSON_TYPE = 'application/json';
/** Which configured keys stand in the path of the Application API after this part. */
const KEYS: Record<string, string> = {
  metrics: 'metrics',
  achievements: 'achievements',
  points: 'points',
  leaderboards: 'leaderboards',
  challenges: 'challenges',
};

/**
 * The source of the client's types and of its table of operations, from the OpenAPI document of this version.
 * Generators from npm need the compiler API of TypeScript 5, which newer compilers do not have.
 */
export function generateClient(): string {
  const document = createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, '') as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) =>
      item[method] === undefined ? [] : [{ path, method, described: item[method] }],
    ),
  );
  // A stream is read by `watchLeaderboard` of the client.
  const called = operations.filter(({ described }) => outputOf(described) !== null);
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeText(schema)};`,
  );
  const methods = called.map(({ path, described }) => {
    const { operationId, summary } = described;
    return `${comment(summary, '  ')}  ${operationId}: { input: ${inputOf(path, described)}; output: ${outputOf(described)} };`;
  });
  const rows = called.map(({ path, method, described: { operationId, parameters } }) => {
    const paging = ['cursor', 'skip'].find((name) => parameters.some((known) => known.name === name));
    const row = [method.toUpperCase(), path, ...(paging ? [paging] : [])];
    return `  ${operationId}: ${JSON.stringify(row)},`;
  });
  return `// Generated from the OpenAPI document by npm run build. Do not edit.
import type { KeyOf, ValuesOf } from './keys.js';

${types.join('\n\n')}

/** Every operation: what it takes and what it answers. */
export interface Operations {
${methods.join('\n')}
}

/** Method, path, and the parameter that names the next page if there are pages. */
export const OPERATIONS: { readonly [K in keyof Operations]: readonly [string, string, string?] } = {
${rows.join('\n')}
};
`;
}

function inputOf(path: string, { parameters, requestBody }: Described): string {
  const parts: string[] = [];
  for (const [place, name] of [
    ['path', 'path'],
    ['query', 'query'],
    ['header', 'headers'],
  ] as const) {
    const given = parameters.filter((parameter) => parameter.in === place);
    if (given.length === 0) continue;
    const schema: Schema = {
      type: 'object',
      properties: Object.fromEntries(
        given.map(({ name: key, description, schema: value }) => [
          key,
          { ...value, ...(description && { description }) },
        ]),
      ),
      required: given.filter(({ required }) => required).map(({ name: key }) => key),
    };
    const isRequired = schema.required!.length > 0;
    parts.push(
      `${name}${isRequired ? '' : '?'}: ${objectText(schema, '    ', (key) => (place === 'path' ? keyType(path, key) : undefined))}`,
    );
  }
  const body = requestBody?.content[JSON_TYPE]?.schema;
  if (body !== undefined) parts.push(`body${requestBody!.required ? '' : '?'}: ${typeText(body, '    ')}`);
  return parts.length === 0 ? 'Record<never, never>' : `{ ${parts.join('; ')} }`;
}

/** Keys of the configuration are typed by what laurel types has written. */
function keyType(path: string, name: string): string | undefined {
  const kind = KEYS[path.split('/').at(path.split('/').indexOf('{key}') - 1) ?? ''];
  return name === 'key' && kind !== undefined ? keyOf(kind) : undefined;
}

/** The type of the answer; null for a stream. */
function outputOf({ responses }: Described): string | null {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const schemas = answers.map(([, { content }]) => content?.[JSON_TYPE]?.schema);
  if (schemas.some((schema) => schema === undefined)) return null;
  return [...new Set(schemas.map((schema) => typeText(schema!, '    ')))].join(' | ');
}
