import type { Env } from '../base/env.ts';
import type { Log } from '../base/log.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { Tracing } from '../base/spans.ts';
import { Approvals } from '../engine/heldEvents/approvals.ts';
import { Holds } from '../engine/heldEvents/holdStores.ts';
import { KeptHistories } from '../engine/keptHistory/keptHistories.ts';
import { Admission, LastUses } from '../http/authentication/admission.ts';
import { ApiKeys } from '../http/authentication/apiKeys.ts';
import { FollowedKeys } from '../http/authentication/followedKeys.ts';
import { Tenants } from '../http/authentication/tenants.ts';
import { UserTokens } from '../http/authentication/userTokens.ts';
import { SingleSignOn } from '../http/oidc/singleSignOn.ts';
import { Cors } from '../http/request/cors.ts';
import { LiveReads } from '../http/request/liveReads.ts';
import { Requests } from '../http/request/requests.ts';
import { ErrorResponder } from '../http/request/respond.ts';
import type { Service, StartedParts } from '../http/request/service.ts';
import { createMailer } from '../notifications/messages/mailer.ts';
import { PreferenceLinks } from '../notifications/messages/preferenceLinks.ts';
import type { ConnectedStores } from './serverStores.ts';

/**
 * Batches that a server processes at once: enough to keep Redis busy, few enough to leave room for single
 * events.
 */
const BATCHES_AT_ONCE_MAX = 4;
/** Batches that wait. More are refused with 503 before anything is recorded. */
const BATCHES_WAITING_MAX = 100;

/** Trials read the history with one connection. Calls for a slice of users wait for each other. */
const TRIALS_AT_ONCE_MAX = 1;
const TRIALS_WAITING_MAX = 20;

/** The keys, and what verifies tokens, kept up to date from now on. */
export async function followKeys(env: Env, { pool, redis }: ConnectedStores, log: Log) {
  const apiKeys = new ApiKeys();
  const userTokens = new UserTokens(env.userTokens);
  const followedKeys = new FollowedKeys({ apiKeys, userTokens, pool, redis, log });
  await followedKeys.follow();
  return { apiKeys, userTokens, followedKeys };
}

export async function createService(
  env: Env,
  log: Log,
  { userTokens, ...started }: StartedParts & { userTokens: UserTokens },
  tracing: Tracing | null | undefined,
): Promise<Service> {
  const { apiKeys, pool } = started;
  return {
    ...started,
    log,
    errors: new ErrorResponder(log, started.metrics),
    keptHistories: new KeptHistories(started),
    approvals: new Approvals(started),
    admission: new Admission(apiKeys, new LastUses(pool, log), userTokens, env),
    consoleSessionSeconds: env.consoleSessionHours * 3_600,
    consoleKeySignIn: env.consoleKeySignIn,
    singleSignOn: env.oidc && new SingleSignOn(env.oidc, log, started.metrics),
    batches: new Semaphore(BATCHES_AT_ONCE_MAX, BATCHES_WAITING_MAX),
    holds: new Holds(),
    trials: new Semaphore(TRIALS_AT_ONCE_MAX, TRIALS_WAITING_MAX),
    requests: new Requests(log, env.slowRequestMs, tracing),
    cors: new Cors(env.corsOrigins),
    links: await PreferenceLinks.open(pool, env.publicUrl),
    openMailer: () => createMailer(env, 1),
    tenants: new Tenants(started),
    live: new LiveReads(),
    environment: env.environment,
  };
}
