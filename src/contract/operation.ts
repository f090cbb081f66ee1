import Type from 'typebox';

/** Chapters of the reference page, in its order. */
export const TAGS = {
  Events: 'Report what users do. The answer carries everything that changed.',
  Users: 'Profiles and notification preferences.',
  Metrics: 'Totals of what a user did.',
  Achievements: 'What users can complete, and have.',
  Streaks: 'Periods in a row in which the conditions were met.',
  Points: 'Points systems, their levels, boosts and awards.',
  Leaderboards: 'Rankings of users, run by run.',
  Attributes: 'What is known of users and events beyond the fixed fields.',
  Webhooks: 'Where to report what happens.',
  Notifications: 'Templates of emails and push notifications, and what became of those that fell due.',
  Tenants: 'Customers of yours, each with users and a configuration of their own.',
  Keys: 'Admin keys, and application keys of single users.',
  Configuration: 'Streak, settings and the configuration as a whole; who changed what.',
  'Test clock': 'Moves the time of the service, for trying streaks and runs. Only with `LAUREL_TEST_CLOCK=1`.',
} as const;

/**
 * Which keys may make a call besides admin keys, which may make every call: none (`admin`), application keys of the user
 * that the path or the body names (`ownUser`), application keys of any user (`anyUser`).
 */
export type Access = 'admin' | 'ownUser' | 'anyUser';

/**
 * What a route takes and answers. Requests are validated with it, handlers and views are typed by it, and the OpenAPI
 * document is generated from it. Method and path stand in the table of routes.
 */
export interface Operation {
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  access: Access;
  /** Of the account as a whole: Tenant-ID is ignored. Everything else is of one tenant. */
  isOfAccount?: boolean;
  /** Without Tenant-ID it is about the account itself, also with multi-tenancy. */
  mayBeOfAccount?: boolean;
  /** One property for each part that the path names. */
  path?: Type.TObject;
  /** Parameters are optional when their schema is, or has a default; a list is a parameter that is repeated. */
  query?: Type.TObject;
  headers?: Type.TObject;
  request?: Type.TSchema;
  /** Where the usual limit of a body is too small. */
  bodyBytesMax?: number;
  /** By status, successes only. */
  responses: Record<number, Type.TSchema>;
  /** Of the responses; application/json by default. An event stream carries what the schema describes in every event. */
  contentType?: 'text/event-stream';
  /** A resource that the path or the body names may not exist: 404. */
  mayMiss?: boolean;
}

/** Keeps the exact types of an operation. */
export const operation = <const O extends Operation>(definition: O): O => definition;

type StaticOr<T, Otherwise> = T extends Type.TSchema ? Type.Static<T> : Otherwise;
type Nothing = Record<never, never>;

export type PathOf<O extends Operation> = StaticOr<O['path'], Nothing>;
export type QueryOf<O extends Operation> = StaticOr<O['query'], Nothing>;
export type RequestOf<O extends Operation> = StaticOr<O['request'], undefined>;
export type ResponseOf<O extends Operation> = Type.Static<O['responses'][keyof O['responses']] & Type.TSchema>;

/** Body of every error. */
export const ErrorBody = Type.Object(
  { error: Type.String({ description: 'Names the field at fault and what would be right.' }) },
  { $id: 'ErrorBody' },
);

/** Statuses of the errors that an operation can answer with. */
export function errorStatuses({ path, query, headers, request, mayMiss, isOfAccount }: Operation): number[] {
  const statuses = [401, 403, 429, 503];
  if (path || query || request) statuses.push(400);
  // The tenant may be missing, too.
  if (mayMiss || !isOfAccount) statuses.push(404);
  if (request) statuses.push(413, 415);
  if (path || query || headers || request || !isOfAccount) statuses.push(422);
  return statuses.sort();
}
