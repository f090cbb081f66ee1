import Type from 'typebox';
import { ERROR_STATUS } from '../base/errors.ts';
import type { Role } from '../base/roles.ts';
import { errorBodyOf } from './configReport.ts';
import { exampleOf } from './examples.ts';
import { type Access, errorStatuses, isBodyOptional, type Operation, roleFor, TAGS } from './operation.ts';
import { WEBHOOKS } from './webhooks.ts';

export const APPLICATION_BASES = ['/v1', '/api'];
export const ADMIN_BASE = '/admin/v1';

/** An operation with its method and its path below the base of its API. */
export interface DescribedRoute {
  method: string;
  path: string;
  name: string;
  operation: Operation;
}

type Json = Record<string, unknown>;

const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const EVENT_STREAM = 'text/event-stream';

const INTRODUCTION = `laurel is a gamification service that you host yourself. Your backend reports what its users do.
laurel answers, in the same response, with everything that changed.

**Paths** that begin with \`/v1\` are the Application API, which \`/api\` serves as well. The Admin API is below \`/admin/v1\`.

**Keys.** Every call carries a key in \`X-API-KEY\`. Admin keys may make every call that their role (\`read\`,
\`operate\`, \`admin\`) includes and belong on servers only. Application
keys (\`app_…\`) act for one user. Browsers and phones use short-lived tokens that your backend signs, in
\`Authorization: Bearer\`.

**Errors** are \`{"error": "…"}\`. The text names the field and says what would be right. A refused request changes nothing.

**Tenants.** With \`multiTenancy\`, the header \`Tenant-ID\` names the tenant of a call.

**Time** is ISO 8601. Days, weeks (from Monday) and months are those of the user's time zone.`;

const ACCESS: Record<Access, string> = {
  admin: 'Admin keys only.',
  ownUser: 'Admin keys; application keys and user tokens for their own user.',
  anyUser: 'Admin keys, application keys and user tokens.',
};

const ROLE: Record<Role, string> = {
  read: '',
  operate: 'An admin key needs the role `operate` or `admin`.',
  admin: 'An admin key needs the role `admin`.',
};

const SECURITY_SCHEMES = {
  AdminKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description: 'May make every call that its role includes.',
  },
  ApplicationKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description: '`app_…`: acts for one user.',
  },
  UserToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Signed by your backend: `sub`, `exp`, `scope` (`read` or `read events`), `tenant`, `metrics`.',
  },
};

const USER_SECURITY = Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] }));

const TENANT = {
  name: 'Tenant-ID',
  in: 'header',
  required: false,
  description:
    'The id of the tenant in your system, percent-encoded. Required with `multiTenancy`, ignored without it.',
  schema: { type: 'string' },
};

const EXPECTED_VERSION = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of an earlier answer. The call is refused with 412 if others have changed the same since then.',
  schema: { type: 'string', examples: ['"17"'] },
};

const ETag = { description: 'Version of the configuration.', schema: { type: 'string', examples: ['"17"'] } };

const STATUS_TEXT: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted. With an idempotency key: it was used before, so nothing changed.',
  400: 'The body is not JSON in UTF-8, or the path is not percent-encoded UTF-8.',
  401: 'The key or token is missing or invalid. `WWW-Authenticate` says why.',
  403: 'The key may not do this.',
  404: 'Something that the path or the body names does not exist.',
  413: 'The body is too large.',
  412: 'Others have changed the same since the version in `If-Match`. The body says what.',
  415: 'The body is compressed.',
  422: 'Something in the request is invalid.',
  429: 'Too many requests with this key, or too many invalid keys from this address. `Retry-After` says when to try again.',
  503: 'A store cannot serve now. `Retry-After` says when to try again.',
};

/** The OpenAPI 3.1 document of these routes. Schemas with an `$id` become components of that name. */
export function createOpenApi(application: DescribedRoute[], admin: DescribedRoute[], version: string): Json {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Json> = {};
  const add = (base: string, { method, path, name, operation }: DescribedRoute): void => {
    paths[base + path] ??= { parameters: [{ $ref: '#/components/parameters/Tenant' }] };
    paths[base + path]![method] = describeOperation(name, roleFor(method, operation), operation, schemas);
  };
  for (const route of application) add(APPLICATION_BASES[0]!, route);
  for (const route of admin) add(ADMIN_BASE, route);
  const webhooks = Object.fromEntries(
    WEBHOOKS.map((webhook) => [webhook.type, describeWebhook(webhook, schemas)]),
  );
  const used = new Set([...application, ...admin].map(({ operation }) => operation.tag));
  const responses = Object.fromEntries(
    Object.entries(ERROR_STATUS)
      // No operation answers the others, such as 405.
      .filter(([, status]) => status in STATUS_TEXT)
      .map(([code, status]) => [code, describeError(status, schemas)]),
  );
  const sortedSchemas = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'laurel',
      version,
      description: INTRODUCTION,
      contact: { name: 'The operator of this installation' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that answers this document.' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name as keyof typeof TAGS))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: sortedSchemas,
      responses,
      parameters: { Tenant: TENANT, ExpectedVersion: EXPECTED_VERSION },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function describeWebhook({ type, summary, payload }: (typeof WEBHOOKS)[number], schemas: Json): Json {
  return {
    post: {
      operationId: webhookOperationId(type),
      tags: ['Webhooks'],
      summary,
      description: 'A request that laurel sends to your endpoint, signed by Standard Webhooks.',
      security: [],
      requestBody: { required: true, content: contentOf(payload, schemas) },
      responses: { 200: { description: 'Received. Any 2xx will do; anything else is sent again later.' } },
    },
  };
}

/** `streak.freeze_earned` → `onStreakFreezeEarned` */
function webhookOperationId(type: string): string {
  return `on${type
    .split(/[._]/)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')}`;
}

function describeOperation(name: string, role: Role, operation: Operation, schemas: Json): Json {
  const {
    tag,
    summary,
    description,
    access,
    path,
    query,
    headers,
    request,
    shownRequest = request,
  } = operation;
  const codeOf = new Map<number, string>(
    Object.entries(ERROR_STATUS).map(([code, status]) => [status, code]),
  );
  const responses: Json = {};
  for (const [status, schema] of Object.entries(operation.responses)) {
    responses[status] = {
      description: STATUS_TEXT[Number(status)],
      ...(operation.version && { headers: { ETag } }),
      content: {
        ...contentOf(schema, schemas, operation.contentType),
        ...(operation.csv && { 'text/csv': { schema: { type: 'string' } } }),
        ...(operation.asYaml && contentOf(schema, schemas, YAML)),
      },
    };
  }
  for (const status of errorStatuses(operation)) {
    responses[status] = { $ref: `#/components/responses/${codeOf.get(status)}` };
  }
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, `${ACCESS[access]} ${ROLE[role]}`.trim()].filter(Boolean).join('\n\n'),
    security: access === 'admin' ? [{ AdminKey: [] }] : USER_SECURITY,
    parameters: [
      ...describeParameters('path', path, schemas),
      ...describeParameters('query', query, schemas),
      ...describeParameters('header', headers, schemas),
      ...(operation.version === 'checked' ? [{ $ref: '#/components/parameters/ExpectedVersion' }] : []),
    ],
    ...(shownRequest && {
      requestBody: {
        required: !isBodyOptional(operation),
        content: {
          ...contentOf(shownRequest, schemas),
          ...(operation.mayBeYaml && contentOf(shownRequest, schemas, YAML)),
        },
      },
    }),
    responses,
  };
}

function describeParameters(location: string, parameters: Type.TObject | undefined, schemas: Json): Json[] {
  return Object.entries(parameters?.properties ?? {}).map(([name, parameter]) => {
    const { description, ...schema } = reference(parameter, schemas) as Json;
    return {
      name,
      in: location,
      required: !Type.IsOptional(parameter) && !('default' in parameter),
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

function describeError(status: number, schemas: Json): Json {
  const text = STATUS_TEXT[status]!;
  const example = { ...(exampleOf(errorBodyOf(status)) as object), error: text.split(/\.( |$)/)[0] };
  return {
    description: text,
    content: { [JSON_TYPE]: { schema: reference(errorBodyOf(status), schemas), example } },
    ...(text.includes('Retry-After') && {
      headers: {
        'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
      },
    }),
    ...(text.includes('WWW-Authenticate') && {
      headers: {
        'WWW-Authenticate': { description: 'The challenge of RFC 6750.', schema: { type: 'string' } },
      },
    }),
  };
}

/** A stream has no example, because it is no value. */
const contentOf = (schema: Type.TSchema, schemas: Json, contentType = JSON_TYPE): Json => ({
  [contentType]: {
    schema: reference(schema, schemas),
    ...(contentType !== EVENT_STREAM && { example: exampleOf(schema) }),
  },
});

/** The schema as the document shows it. Schemas with a name are put into `schemas` and referred to. */
function reference(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => reference(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  // Conditions (configFields.ts) are for editors. Client generators ignore them.
  const { $id: name, allOf: _conditions, ...rest } = schema as Json & { $id?: string };
  const shown = asOpenApi(
    Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, reference(value, schemas)])),
  );
  if (name === undefined) return shown;
  schemas[name] = shown;
  return { $ref: `#/components/schemas/${name}` };
}

const ANY_KEY = '^.*$';

/** Rewrites what TypeBox expresses differently from common OpenAPI usage. The meaning stays the same. */
function asOpenApi(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  const anyProperty = (patternProperties as Json | undefined)?.[ANY_KEY];
  if (anyProperty !== undefined) return { ...rest, additionalProperties: anyProperty };
  if (Array.isArray(schema.enum))
    return { type: schema.enum.includes(null) ? ['string', 'null'] : 'string', ...schema };
  return orNull(schema) ?? schema;
}

/** Turns `anyOf` a plain schema and null into one schema with two types; null for any other schema. */
function orNull({ anyOf, ...rest }: Json): Json | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== 'null') return null;
  const [plain] = anyOf as [Json];
  if (typeof plain.type !== 'string') return null;
  return {
    ...plain,
    ...rest,
    type: [plain.type, 'null'],
    ...(Array.isArray(plain.enum) && { enum: [...plain.enum, null] }),
  };
}
