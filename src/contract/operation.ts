import Type from 'typebox';
import type { Role } from '../base/roles.ts';
import { refusal } from './refusal.ts';
import { named, text } from './schemas.ts';

/** Chapters of the reference page, in its order. */
export const TAGS = {
  Events: 'Record what users do. The answer contains everything that changed.',
  Users: 'Profiles and notification preferences.',
  Metrics: 'Totals of event values.',
  Achievements: 'What users can complete and have completed.',
  Streaks: 'Consecutive periods in which the conditions were met.',
  Points: 'Points systems, their levels, boosts and awards.',
  Leaderboards: 'Rankings of users, run by run.',
  Challenges: 'Goals within a day, a week or another time, and the reward for them.',
  Attributes: 'Additional fields of users and events.',
  Webhooks: 'URLs that laurel reports events to.',
  Notifications: 'Templates of emails and push notifications, and the log of what was sent.',
  Analytics: 'Analytics of all users by day, week or month.',
  Tenants: 'Your customers, each with its own users and configuration.',
  Keys: 'Admin keys, and application keys for single users.',
  Configuration: 'Streak settings, settings, the whole configuration, and the audit log.',
  Imports: 'Users and events that you bring from elsewhere.',
  Operations: 'The work in the background: backlog, queues, and what was given up.',
  'Test clock': 'Moves the time of the service to test streaks and runs. Requires `LAUREL_TEST_CLOCK`.',
} as const;

/**
 * Which keys may make a call. Admin keys may make every call. `admin`: no other keys; `ownUser`: also
 * application keys of the user that the path or the body names; `anyUser`: also application keys of any user.
 */
export type Access = 'admin' | 'ownUser' | 'anyUser';

/**
 * The role that an admin key needs for an operation: what changes users is operating, what changes the
 * configuration is not.
 */
export function roleFor(method: string, { role, access }: Operation): Role {
  return role ?? (method === 'get' ? 'read' : access === 'admin' ? 'admin' : 'operate');
}

/**
 * A route: where it is, what it takes and what it answers. Requests are validated with it; handlers, views
 * and the console are typed by it. The OpenAPI document is generated from it.
 */
export interface Operation {
  /** Name in the OpenAPI document. */
  name: string;
  /** Method and path below the base of the API, with `{name}` for each parameter. */
  route: `${Uppercase<Method>} /${string}`;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  access: Access;
  /** The role that an admin key needs, where it is not the usual one (roleFor). */
  role?: Role;
  /** Clients of the published API make this call, perhaps with query parameters that laurel does not know. */
  isPublished?: boolean;
  /**
   * What the operation is about: the account, whatever `Tenant-ID` says; one tenant, the default; `either`:
   * without `Tenant-ID` the account, even with multi-tenancy.
   */
  scope?: 'account' | 'tenant' | 'either';
  /** One property for each part that the path names. */
  path?: Type.TObject;
  /** A parameter is optional if its schema is optional or has a default. A list is a repeated parameter. */
  query?: Type.TObject;
  headers?: Type.TObject;
  request?: Type.TSchema;
  /**
   * What the document shows instead of `request`, if the handler itself checks the body, to name all faults
   * at once.
   */
  shownRequest?: Type.TSchema;
  /** A body of YAML is accepted, too, and handed on as text. */
  mayBeYaml?: boolean;
  /** Replaces the usual limit of a body. */
  bodyBytesMax?: number;
  /** Schemas of successful responses by status. */
  responses: Record<number, Type.TSchema>;
  /**
   * Answer of any of these statuses to a caller who prefers `return=minimal`. The document describes it in
   * words only.
   */
  minimalResponse?: Type.TSchema;
  /** Content type of the responses, by default application/json. Every event of a stream has the schema. */
  contentType?: 'text/event-stream';
  /** The response is answered as YAML where a caller prefers that. */
  asYaml?: boolean;
  /** Name of the list in the response that is answered as CSV where a caller prefers that. */
  csv?: string;
  /**
   * The answer is about the configuration: its version is shown in `ETag`. `checked`: the operation changes
   * it, and is refused with 412 if others have changed the same since the version in `If-Match`.
   */
  version?: 'shown' | 'checked';
  /** An operation of the account answers 404, although its path names nothing. */
  mayNotExist?: boolean;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** "GET /users/{id}" → "get" and "/users/{id}". */
export function methodAndPath({ route }: Pick<Operation, 'route'>): { method: Method; path: string } {
  const [method, path] = route.split(' ') as [Uppercase<Method>, string];
  return { method: method.toLowerCase() as Method, path };
}

/** Keeps the exact types of an operation. Unless it says otherwise, it is for admin keys only. */
export const operation = <const O extends Omit<Operation, 'access'> & { access?: Access }>(
  definition: O,
): O & { access: Access } => ({ access: 'admin', ...definition });

/** Whether a request may leave out the body because no field is required. A file is never left out. */
export function isBodyOptional({ request, mayBeYaml }: Operation): boolean {
  if (!Type.IsObject(request) || mayBeYaml) return false;
  const required: readonly string[] = request.required ?? [];
  return required.length === 0;
}

type StaticOr<T, Otherwise> = T extends Type.TSchema ? Type.Static<T> : Otherwise;
type Nothing = Record<never, never>;

export type PathOf<O extends Operation> = StaticOr<O['path'], Nothing>;
export type QueryOf<O extends Operation> = StaticOr<O['query'], Nothing>;
export type RequestOf<O extends Operation> = StaticOr<O['request'], undefined>;
export type ResponseOf<O extends Operation> = Type.Static<
  O['responses'][keyof O['responses']] & Type.TSchema
>;

/** Body of every error. */
export const ErrorBody = named('ErrorBody', {
  error: text('Names the field and says what would be right.'),
  ...refusal,
});

/** Statuses of the errors that an operation can answer with. */
export function errorStatuses({
  path,
  query,
  headers,
  request,
  version,
  mayNotExist,
  scope,
  isPublished,
}: Operation): number[] {
  const statuses = [400, 401, 403, 429, 503];
  // What the path names may not exist, and neither may the tenant.
  if (path || mayNotExist || scope !== 'account') statuses.push(404);
  if (version === 'checked') statuses.push(412);
  if (request) statuses.push(413, 415);
  // Other calls refuse unknown parameters.
  if (path || query || headers || request || scope !== 'account' || !isPublished) statuses.push(422);
  return statuses.sort();
}
