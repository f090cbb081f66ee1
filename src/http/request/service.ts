import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Semaphore } from '../../base/semaphore.ts';
import type { Pool } from '../../db/pool.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Approvals } from '../../engine/heldEvents/approvals.ts';
import type { History } from '../../engine/historyReads.ts';
import type { Mailer } from '../../notifications/messages/mailer.ts';
import type { PreferenceLinks } from '../../notifications/messages/preferenceLinks.ts';
import type { SharedClock } from '../../redis/state/sharedClock.ts';
import type { LiveReads } from '../live/liveReads.ts';
import type { SingleSignOn } from '../oidc/singleSignOn.ts';
import type { Admission } from './admission.ts';
import type { ApiKeys } from './apiKeys.ts';
import type { Cors } from './cors.ts';
import type { FollowedKeys } from './followedKeys.ts';
import type { Requests } from './requests.ts';
import type { Tenants } from './tenants.ts';

/** What handlers work with, put together once in serverRole.ts. */
export interface Service extends Engine {
  /** null unless LAUREL_TEST_CLOCK=1. */
  testClock: SharedClock | null;
  log: Log;
  metrics: Metrics;
  admission: Admission;
  approvals: Approvals;
  /** Limits the batches of events that are recorded at the same time. */
  batches: Semaphore;
  /** Limits the held events that are stored at the same time. */
  holds: Semaphore;
  apiKeys: ApiKeys;
  requests: Requests;
  /** How long a session of the console lasts. */
  consoleSessionSeconds: number;
  /** Whether an admin key opens a session of the console. */
  consoleKeySignIn: boolean;
  /** null: there is no identity provider. */
  singleSignOn: SingleSignOn | null;
  cors: Cors;
  followedKeys: FollowedKeys;
  /** Links of e-mails to the preferences of a user. */
  links: PreferenceLinks;
  /** Opens what sends one test email. */
  openMailer(): Mailer;
  tenants: Tenants;
  history: History;
  /** For configuration and keys. The history is read through `history`. */
  pool: Pool;
  live: LiveReads;
  /** Key of the environment that this installation is. */
  environment: string;
}
