import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Semaphore } from '../../base/semaphore.ts';
import type { Pool } from '../../db/pool.ts';
import type { History } from '../../engine/availability/historyReads.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Approvals } from '../../engine/heldEvents/approvals.ts';
import type { Holds } from '../../engine/heldEvents/holdStores.ts';
import type { KeptHistories } from '../../engine/keptHistory/keptHistories.ts';
import type { Mailer } from '../../notifications/messages/mailer.ts';
import type { PreferenceLinks } from '../../notifications/messages/preferenceLinks.ts';
import type { SharedClock } from '../../redis/state/sharedClock.ts';
import type { Admission } from '../authentication/admission.ts';
import type { ApiKeys } from '../authentication/apiKeys.ts';
import type { FollowedKeys } from '../authentication/followedKeys.ts';
import type { Tenants } from '../authentication/tenants.ts';
import type { SingleSignOn } from '../oidc/singleSignOn.ts';
import type { Cors } from './cors.ts';
import type { LiveReads } from './liveReads.ts';
import type { Requests } from './requests.ts';
import type { ErrorResponder } from './respond.ts';

/** Parts that exist before the others. */
export interface StartedParts extends Engine {
  /** null unless LAUREL_TEST_CLOCK=1. */
  testClock: SharedClock | null;
  metrics: Metrics;
  apiKeys: ApiKeys;
  followedKeys: FollowedKeys;
  history: History;
  /** For configuration and keys. The history is read through `history`. */
  pool: Pool;
}

/** What handlers work with, put together once by src/server. */
export interface Service extends StartedParts {
  log: Log;
  errors: ErrorResponder;
  keptHistories: KeptHistories;
  admission: Admission;
  approvals: Approvals;
  /** Limits the batches of events that are recorded at the same time. */
  batches: Semaphore;
  holds: Holds;
  /** Limits the trials that run at the same time. */
  trials: Semaphore;
  requests: Requests;
  consoleSessionSeconds: number;
  consoleKeySignIn: boolean;
  /** null: there is no identity provider. */
  singleSignOn: SingleSignOn | null;
  cors: Cors;
  /** Links of e-mails to the preferences of a user. */
  links: PreferenceLinks;
  /** Opens what sends one test email. */
  openMailer(): Mailer;
  tenants: Tenants;
  live: LiveReads;
  /** Key of the environment that this installation is. */
  environment: string;
}
