import { CELLS_DEFAULT } from './cells.ts';
import { KEY_SIGN_IN, OIDC_GROUPS_CLAIM, OIDC_SCOPE, oidc } from './envOidc.ts';
import { FCM_ENDPOINT, type Fcm, fcm, MAIL_FROM, mailFrom, smtpUrl } from './envSenders.ts';
import { jwksUrl, tokenSecrets, USER_TOKEN_SECRET_BYTES_MIN } from './envTokens.ts';
import { SAMPLER, traces } from './envTraces.ts';
import {
  flag,
  headerName,
  instant,
  integer,
  keyText,
  oneOf,
  origins,
  pace,
  settings,
  text,
  together,
  type Variables,
  variable,
  webUrl,
} from './envValues.ts';
import {
  HISTORY_WAIT_MS_MAX,
  POSTGRES_CONNECTIONS_SERVER,
  POSTGRES_CONNECTIONS_WORKER,
  STORE_WAIT_MS,
} from './limits.ts';
import { PRINTABLE_ASCII } from './text.ts';

/*
 * Every variable of the environment once, in the order of docs/operations.md, whose table is generated from
 * here. A setting is null without its variable, unless the table has a default.
 */

/** Least number of connections that cannot deadlock. */
const POSTGRES_CONNECTIONS_MIN = 4;
const ADMIN_KEY_CHARS_MIN = 16;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const PORTS = [0, 65_535] as const;
const CELLS = [1, 1_024] as const;
const DAYS = [1, 365] as const;
const PER_SECOND = [0, 1_000_000] as const;

function adminKey(source: Variables): string | null {
  const key = source.LAUREL_ADMIN_KEY || null;
  if (key !== null && key.length < ADMIN_KEY_CHARS_MIN) {
    throw new Error(`LAUREL_ADMIN_KEY must have at least ${ADMIN_KEY_CHARS_MIN} characters`);
  }
  if (key !== null && !PRINTABLE_ASCII.test(key)) {
    throw new Error('LAUREL_ADMIN_KEY must be printable ASCII: it is sent in a header');
  }
  return key;
}

function isTestClock(source: Variables): boolean {
  if (source.LAUREL_TEST_CLOCK && source.NODE_ENV === 'production')
    throw new Error('LAUREL_TEST_CLOCK is not allowed with NODE_ENV=production');
  return Boolean(source.LAUREL_TEST_CLOCK);
}

export const VARIABLES = settings({
  port: integer('PORT', 3000, PORTS, 'port of the server'),
  host: text(
    'HOST',
    null,
    'address to listen on; by default 127.0.0.1 for `npm start`, all addresses for `npm run server`',
  ),
  /** null only for `npm start`. */
  redisUrl: text(
    'REDIS_URL',
    null,
    'Redis: `redis://…`, `rediss://…`, the path of a socket, a [cluster](#redis-cluster): `redis+cluster://host:port,host:port`, or [Sentinels](#sentinel): `redis+sentinel://host:port,host:port/name`; `npm start` runs its own without it',
  ),
  databaseUrl: text(
    'DATABASE_URL',
    null,
    'PostgreSQL: `postgres://user:password@host:port/database`; `npm start` runs its own without it',
  ),
  postgresConnections: integer(
    'LAUREL_POSTGRES_CONNECTIONS',
    null,
    [POSTGRES_CONNECTIONS_MIN, 1_000],
    `connections to PostgreSQL that one process opens at most; by default ${POSTGRES_CONNECTIONS_SERVER} for a server, half of them for reads of history, and ${POSTGRES_CONNECTIONS_WORKER} for a worker`,
  ),
  redisWaitReplicas: integer(
    'LAUREL_REDIS_WAIT_REPLICAS',
    0,
    [0, 16],
    'number of Redis replicas that must acknowledge a change before it is answered',
  ),
  dataDir: text('LAUREL_DATA_DIR', './data', 'data of the stores that `npm start` runs'),
  adminKey: variable(
    'LAUREL_ADMIN_KEY',
    adminKey,
    `an admin key to accept, at least ${ADMIN_KEY_CHARS_MIN} characters; without it the first start makes one, which only \`npm start\` prints`,
  ),
  configFile: text(
    'LAUREL_CONFIG',
    null,
    'configuration file that the first start applies, by default `demo/config.yaml`; `none` for an empty configuration',
  ),
  cells: integer(
    'LAUREL_CELLS',
    null,
    CELLS,
    'number of [cells](architecture.md#glossary); fixed by the first start',
    String(CELLS_DEFAULT),
  ),
  spread: integer(
    'LAUREL_SPREAD',
    null,
    CELLS,
    'number of cells over which [each tenant is spread](#spread-tenants), at most `LAUREL_CELLS`; fixed by the first start, changed by a restore',
    '1',
  ),
  testClock: together(isTestClock, [
    text(
      'LAUREL_TEST_CLOCK',
      null,
      '`1` enables the [test clock](time.md#the-test-clock); an instant such as `2026-01-01T00:00:00Z` also sets where it begins in a new installation',
    ),
    text('NODE_ENV', null, '`production` refuses the test clock'),
  ]),
  /** Instant (ms); null: the machine's time. */
  testClockStart: together((source) => instant(source.LAUREL_TEST_CLOCK || '1'), []),
  smtpUrl: variable(
    'SMTP_URL',
    smtpUrl,
    'mail server, such as `smtp://user:password@mail.example:587` or `smtps://…`; without it [emails](notifications.md#e-mail) are written as `.eml` files to `mail` in the data directory',
  ),
  mailFrom: variable(
    'LAUREL_MAIL_FROM',
    mailFrom,
    'sender of emails, such as `Example <hello@example.com>`; required with `SMTP_URL`',
    MAIL_FROM,
  ),
  publicUrl: variable(
    'LAUREL_PUBLIC_URL',
    webUrl,
    'URL at which users reach this installation; without it emails contain no link to the preferences, and there is no single sign-on',
  ),
  fcm: together<Fcm | null>(fcm, [
    text(
      'FCM_SERVICE_ACCOUNT',
      null,
      'JSON of a Google service account, or the path of its file; without it no [push notifications](notifications.md#push) are sent',
    ),
    text('FCM_ENDPOINT', FCM_ENDPOINT, 'another address of FCM, for tests'),
  ]),
  storeWaitMs: integer(
    'LAUREL_STORE_WAIT_MS',
    STORE_WAIT_MS,
    [STORE_WAIT_MS, 60_000],
    'longest wait of a server for an answer of Redis, and for a connection to PostgreSQL, in ms; then a request is answered 503. A longer wait suits a machine that pauses, or a slow disk',
  ),
  historyWaitMs: integer(
    'LAUREL_HISTORY_WAIT_MS',
    HISTORY_WAIT_MS_MAX,
    [0, 60_000],
    'longest wait of a [read of history](application-api.md#reads-of-history) for the relay, in ms',
  ),
  consoleSessionHours: integer(
    'LAUREL_CONSOLE_SESSION_HOURS',
    12,
    [1, 720],
    'lifetime of a [session of the console](console.md#sign-in), in hours',
  ),
  consoleKeySignIn: KEY_SIGN_IN,
  oidc: together(oidc, [
    text(
      'LAUREL_OIDC_ISSUER',
      null,
      'identity provider for [single sign-on](single-sign-on.md); needs `LAUREL_PUBLIC_URL` and `LAUREL_OIDC_ROLES`',
    ),
    text('LAUREL_OIDC_CLIENT_ID', null, 'name of laurel at the identity provider'),
    text('LAUREL_OIDC_CLIENT_SECRET', null, 'secret of laurel at the identity provider'),
    text(
      'LAUREL_OIDC_ROLES',
      null,
      '[roles of groups](single-sign-on.md#roles), such as `admins=admin,*=read`',
    ),
    text('LAUREL_OIDC_GROUPS_CLAIM', OIDC_GROUPS_CLAIM, 'claim with the groups of a person'),
    text('LAUREL_OIDC_SCOPE', OIDC_SCOPE, 'requested scopes'),
  ]),
  environment: keyText(
    'LAUREL_ENVIRONMENT',
    'production',
    'key of the environment that this installation is, as `GET /admin/v1/environments` answers it',
  ),
  corsOrigins: variable(
    'LAUREL_CORS_ORIGINS',
    origins,
    'origins of web pages that may call the Application API, separated by commas, or `*`',
  ),
  deliveries: settings({
    webhooks: pace('LAUREL_WEBHOOKS', 100, 'webhook messages'),
    email: pace('LAUREL_EMAILS', 5, 'emails, each over a connection of its own,'),
    push: pace('LAUREL_PUSHES', 20, 'push notifications'),
  }),
  webhookAllowPrivate: flag(
    'LAUREL_WEBHOOK_ALLOW_PRIVATE',
    '`1` delivers [webhooks](webhooks.md#addresses) to private, loopback and link-local addresses, too',
  ),
  webhookSignatureHeader: headerName(
    'LAUREL_WEBHOOK_SIGNATURE_HEADER',
    'x-laurel-signature',
    'name of the header with the [plain signature](webhooks.md#signatures) of a webhook',
  ),
  userTokens: settings({
    secrets: variable(
      'LAUREL_USER_TOKEN_SECRET',
      tokenSecrets,
      `secrets of at least ${USER_TOKEN_SECRET_BYTES_MIN} bytes, separated by commas, that verify [user tokens](tokens.md) signed with HS256`,
    ),
    jwks: variable(
      'LAUREL_USER_TOKEN_JWKS',
      jwksUrl,
      'URL or file of the public keys that verify user tokens signed with RS256, ES256 or EdDSA',
    ),
    audience: text(
      'LAUREL_USER_TOKEN_AUDIENCE',
      null,
      'value that `aud` of every user token must be or contain; without it `aud` is not checked',
    ),
  }),
  requestsPerSecond: settings({
    admin: integer(
      'LAUREL_ADMIN_REQUESTS_PER_SECOND',
      0,
      PER_SECOND,
      'requests per second that one server accepts with one admin key, and five times as many at once; 0 for no limit',
    ),
    application: integer(
      'LAUREL_APPLICATION_REQUESTS_PER_SECOND',
      20,
      PER_SECOND,
      'the same for one application key',
    ),
  }),
  failedAuthenticationsPerMinute: integer(
    'LAUREL_FAILED_AUTHENTICATIONS_PER_MINUTE',
    30,
    [1, 1_000_000],
    'failed authentications per minute and address that one server answers with 401; further ones get 429. Valid keys are never limited by this',
  ),
  trustProxy: flag(
    'LAUREL_TRUST_PROXY',
    '`1` takes the last entry of all `X-Forwarded-For` lines as the address of the client; only behind a proxy that sets it',
  ),
  drainSeconds: integer(
    'LAUREL_DRAIN_SECONDS',
    5,
    [0, 15],
    'after SIGTERM, a server serves on for this time, in seconds, while `/readyz` answers 503 and each answer closes its connection; 0 for `npm start`',
  ),
  workerPort: integer(
    'WORKER_PORT',
    null,
    PORTS,
    'port on which a worker serves `/healthz`, `/readyz` and `/metrics`',
  ),
  allowUnsafeRedis: flag(
    'LAUREL_ALLOW_UNSAFE_REDIS',
    '`1` starts on a Redis without `appendonly yes`, `appendfsync always` or `maxmemory-policy noeviction`, with a warning',
  ),
  metricsPort: integer(
    'METRICS_PORT',
    null,
    PORTS,
    'a port of its own for `/metrics`; then `PORT` does not answer it',
  ),
  traces: together(traces, [
    text(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      null,
      'receiver of [traces](#traces), by OTLP over HTTP, such as `http://collector:4318`; without it nothing is traced',
    ),
    text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', null, 'the same, with the whole URL'),
    SAMPLER,
    text('OTEL_TRACES_SAMPLER_ARG', '1', 'share of the traces, 0 to 1, for samplers by ratio'),
    text('OTEL_SDK_DISABLED', null, '`true` turns traces off'),
    text('OTEL_TRACES_EXPORTER', null, '`none` turns traces off'),
  ]),
  heldEventsDays: integer(
    'LAUREL_HELD_EVENTS_DAYS',
    30,
    DAYS,
    'days after which an event that a guard [holds](guards.md#review) expires. For workers',
  ),
  idempotencyHotDays: integer(
    'LAUREL_IDEMPOTENCY_HOT_DAYS',
    30,
    DAYS,
    'days for which Redis keeps [idempotency keys](sizing.md#idempotency-keys) that do not run out; about older ones PostgreSQL is asked. Each ten days more cost an event with a key a further search, about 0.3 µs of Redis. For workers',
  ),
  slowRequestMs: integer(
    'LAUREL_SLOW_REQUEST_MS',
    1_000,
    [1, 3_600_000],
    'time in ms to the head of the answer from which the log names a request as slow, at most one line a second',
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    'info',
    LOG_LEVELS,
    `${LOG_LEVELS.slice(0, -1).join(', ')} or ${LOG_LEVELS.at(-1)}`,
  ),
});
