import { didYouMean } from './closest.ts';
import { type Oidc, oidc } from './envOidc.ts';
import { type Fcm, fcm, type MailAddress, mailFrom, smtpUrl } from './envSenders.ts';
import { type UserTokenKeys, userTokenKeys } from './envTokens.ts';
import {
  flag,
  headerName,
  instant,
  integer,
  keyText,
  origins,
  pace,
  type Variables,
  webUrl,
} from './envValues.ts';
import { HELD_EVENTS_DAYS, HELD_EVENTS_DAYS_MAX } from './guardLimits.ts';
import { IDEMPOTENCY_HOT_DAYS, IDEMPOTENCY_HOT_DAYS_MAX } from './keyLimits.ts';
import {
  EMAILS_AT_ONCE,
  HISTORY_WAIT_MS_MAX,
  POSTGRES_CONNECTIONS_MIN,
  PUSHES_AT_ONCE,
  SLOW_REQUEST_MS,
  STORE_WAIT_MS,
  WEBHOOKS_AT_ONCE,
} from './limits.ts';
import { PRINTABLE_ASCII } from './text.ts';

/**
 * All settings that the process reads from its environment, checked once at start. docs/operations.md lists
 * the variables.
 */
export interface Env {
  port: number;
  /** Address to listen on. null: all addresses for `server`, 127.0.0.1 for `npm start`. */
  host: string | null;
  /** null only for `start`, which starts its own stores. */
  redisUrl: string | null;
  databaseUrl: string | null;
  /** Connections to PostgreSQL that this process opens at most. null: the default of its role. */
  postgresConnections: number | null;
  /** Replicas of Redis that must have a change before it is answered. */
  redisWaitReplicas: number;
  dataDir: string;
  /** Plain admin key to accept. null: the first start makes one. */
  adminKey: string | null;
  /** Configuration file that the first start applies; `none` for an empty configuration. */
  configFile: string | null;
  /** Number of cells, fixed by the first start. null: the fixed number, or the default. */
  cells: number | null;
  /** Number of cells of each tenant, fixed by the first start. null: the fixed number, or 1. */
  spread: number | null;
  testClock: boolean;
  /** Instant (ms) at which the test clock of a new installation begins. null: the machine's time. */
  testClockStart: number | null;
  /** Origins of web pages that may call the Application API; "*" allows any. */
  corsOrigins: string[];
  /** How long a session of the console lasts. */
  consoleSessionHours: number;
  /** Whether an admin key opens a session of the console. */
  consoleKeySignIn: boolean;
  /** The identity provider through which people sign in to the console; null for none. */
  oidc: Oidc | null;
  /** Longest wait of a server for a reply of Redis, and for a connection to PostgreSQL, in milliseconds. */
  storeWaitMs: number;
  /** Longest wait of a read of history for the relay, in milliseconds. */
  historyWaitMs: number;
  /** Key of the environment that this installation is. */
  environment: string;
  /** Port of a worker's `/healthz`, `/readyz` and `/metrics`; null for none. */
  workerPort: number | null;
  /** Whether to start on a Redis that can lose acknowledged changes. */
  allowUnsafeRedis: boolean;
  /** How long a stopping server continues to serve while `/readyz` answers 503. */
  drainSeconds: number;
  /** Time to the head of the answer (ms) from which a request is logged as slow. */
  slowRequestMs: number;
  /** Days for which Redis keeps idempotency keys that do not run out. */
  idempotencyHotDays: number;
  /** Days after which held events expire that nobody has decided on. */
  heldEventsDays: number;
  /** What verifies the tokens of users. */
  userTokens: UserTokenKeys;
  /** Requests per second and key; 0 for no limit. */
  requestsPerSecond: { admin: number; application: number };
  /** Invalid keys per minute that are checked for one address. */
  failedAuthenticationsPerMinute: number;
  /** Whether to take the client's address from X-Forwarded-For. */
  trustProxy: boolean;
  /** Separate port for `/metrics`; the API's port then does not serve it. null: no separate port. */
  metricsPort: number | null;
  logLevel: string;
  /** null: no traces. */
  traces: Traces | null;
  /** Whether webhooks may be delivered to private, loopback and link-local addresses. */
  webhookAllowPrivate: boolean;
  /** Name of the header that holds the plain signature of a webhook. */
  webhookSignatureHeader: string;
  /**
   * URL at which users reach this installation, without a slash at the end. null: emails contain no links to
   * it.
   */
  publicUrl: string | null;
  /** null: emails are written to files. */
  smtpUrl: string | null;
  mailFrom: MailAddress;
  /** null: push notifications are not sent. */
  fcm: Fcm | null;
  /**
   * By channel: deliveries that one worker makes at once, and that all workers start per second (null: no
   * limit).
   */
  deliveries: Record<'webhooks' | 'email' | 'push', { atOnce: number; perSecond: number | null }>;
}

/** How requests are chosen to be traced. */
export interface Traces {
  sampler: string;
  /** Share of the traces that begin here, 0 to 1, for the samplers by ratio. */
  ratio: number;
}

const ADMIN_KEY_CHARS_MIN = 16;
const REQUESTS_PER_SECOND_MAX = 1_000_000;
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Traces are sent if their receiver is known. */
function traces(source: Variables): Traces | null {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    OTEL_SDK_DISABLED,
    OTEL_TRACES_EXPORTER,
  } = source;
  const sampler = source.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  if (!SAMPLERS.includes(sampler))
    throw new Error(`OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}`);
  const ratio = Number(source.OTEL_TRACES_SAMPLER_ARG || 1);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const isOff = OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none';
  return isOff || !(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
    ? null
    : { sampler, ratio };
}

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

function hotDays(source: Variables): number {
  return integer(source, 'LAUREL_IDEMPOTENCY_HOT_DAYS', IDEMPOTENCY_HOT_DAYS, 1, IDEMPOTENCY_HOT_DAYS_MAX);
}

function keySignIn(source: Variables): boolean {
  const isOn = flag(source, 'LAUREL_CONSOLE_KEY_SIGN_IN', '1');
  if (!isOn && !source.LAUREL_OIDC_ISSUER)
    throw new Error('LAUREL_CONSOLE_KEY_SIGN_IN=0 needs LAUREL_OIDC_ISSUER: else nobody could sign in');
  return isOn;
}

/** @throws Error that names the variable with an invalid value */
export function readEnv(source: Variables = process.env): Env {
  const testClock = Boolean(source.LAUREL_TEST_CLOCK);
  if (testClock && source.NODE_ENV === 'production') {
    throw new Error('LAUREL_TEST_CLOCK is refused when NODE_ENV=production');
  }
  const logLevel = source.LOG_LEVEL || 'info';
  if (!LOG_LEVELS.includes(logLevel)) throw new Error(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  return {
    port: integer(source, 'PORT', 3000, 0, 65_535),
    host: source.HOST || null,
    redisUrl: source.REDIS_URL || null,
    databaseUrl: source.DATABASE_URL || null,
    postgresConnections: integer(
      source,
      'LAUREL_POSTGRES_CONNECTIONS',
      null,
      POSTGRES_CONNECTIONS_MIN,
      1_000,
    ),
    redisWaitReplicas: integer(source, 'LAUREL_REDIS_WAIT_REPLICAS', 0, 0, 16),
    dataDir: source.LAUREL_DATA_DIR || './data',
    adminKey: adminKey(source),
    configFile: source.LAUREL_CONFIG || null,
    cells: integer(source, 'LAUREL_CELLS', null, 1, 1024),
    spread: integer(source, 'LAUREL_SPREAD', null, 1, 1024),
    testClock,
    testClockStart: testClock ? instant(source.LAUREL_TEST_CLOCK!) : null,
    corsOrigins: origins(source, 'LAUREL_CORS_ORIGINS'),
    consoleSessionHours: integer(source, 'LAUREL_CONSOLE_SESSION_HOURS', 12, 1, 720),
    consoleKeySignIn: keySignIn(source),
    oidc: oidc(source),
    environment: keyText(source, 'LAUREL_ENVIRONMENT', 'production'),
    storeWaitMs: integer(source, 'LAUREL_STORE_WAIT_MS', STORE_WAIT_MS, STORE_WAIT_MS, 60_000),
    historyWaitMs: integer(source, 'LAUREL_HISTORY_WAIT_MS', HISTORY_WAIT_MS_MAX, 0, 60_000),
    workerPort: integer(source, 'WORKER_PORT', null, 0, 65_535),
    allowUnsafeRedis: flag(source, 'LAUREL_ALLOW_UNSAFE_REDIS'),
    drainSeconds: integer(source, 'LAUREL_DRAIN_SECONDS', 5, 0, 15),
    idempotencyHotDays: hotDays(source),
    heldEventsDays: integer(source, 'LAUREL_HELD_EVENTS_DAYS', HELD_EVENTS_DAYS, 1, HELD_EVENTS_DAYS_MAX),
    slowRequestMs: integer(source, 'LAUREL_SLOW_REQUEST_MS', SLOW_REQUEST_MS, 1, 3_600_000),
    userTokens: userTokenKeys(source),
    requestsPerSecond: {
      admin: integer(source, 'LAUREL_ADMIN_REQUESTS_PER_SECOND', 0, 0, REQUESTS_PER_SECOND_MAX),
      application: integer(source, 'LAUREL_APPLICATION_REQUESTS_PER_SECOND', 20, 0, REQUESTS_PER_SECOND_MAX),
    },
    failedAuthenticationsPerMinute: integer(
      source,
      'LAUREL_FAILED_AUTHENTICATIONS_PER_MINUTE',
      30,
      1,
      1_000_000,
    ),
    trustProxy: flag(source, 'LAUREL_TRUST_PROXY'),
    metricsPort: integer(source, 'METRICS_PORT', null, 0, 65_535),
    logLevel,
    traces: traces(source),
    webhookAllowPrivate: flag(source, 'LAUREL_WEBHOOK_ALLOW_PRIVATE'),
    webhookSignatureHeader: headerName(source, 'LAUREL_WEBHOOK_SIGNATURE_HEADER', 'x-laurel-signature'),
    publicUrl: webUrl(source, 'LAUREL_PUBLIC_URL'),
    smtpUrl: smtpUrl(source),
    mailFrom: mailFrom(source),
    fcm: fcm(source),
    deliveries: {
      webhooks: pace(source, 'LAUREL_WEBHOOKS', WEBHOOKS_AT_ONCE),
      email: pace(source, 'LAUREL_EMAILS', EMAILS_AT_ONCE),
      push: pace(source, 'LAUREL_PUSHES', PUSHES_AT_ONCE),
    },
  };
}

/**
 * Variables of clients and of the test suite, and those that Kubernetes sets for each service whose name
 * begins with laurel.
 */
const OTHERS = /^LAUREL_(KEY|URL|TEST_.*|(.+_)?SERVICE_(HOST|PORT)(_.+)?|(.+_)?PORT(_\d+_TCP.*)?)$/;

/**
 * One message for each variable that begins with LAUREL_ and that laurel does not read, for example because
 * it is misspelt.
 */
export function unknownVariables(source: Variables = process.env): string[] {
  const read = new Set<string>();
  const get = (target: Variables, name: string): string | undefined => {
    read.add(name);
    return target[name];
  };
  readEnv(new Proxy(source, { get }));
  return Object.keys(source)
    .filter((name) => name.startsWith('LAUREL_') && !read.has(name) && !OTHERS.test(name))
    .map((name) => `${name} is not a variable of laurel${didYouMean(name, read)}`);
}
