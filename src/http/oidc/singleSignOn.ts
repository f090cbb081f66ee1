import { Counter } from 'prom-client';
import type { Oidc } from '../../base/envOidc.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import { SparseLog } from '../../base/sparseLog.ts';
import { OidcProvider } from './oidcProvider.ts';
import { AttemptCookie } from './signInAttempt.ts';
import { type RefusedOutcome, refusalOfSignIn } from './signInRefusal.ts';

/** Signing in to the console through the identity provider: its parts, and what is counted. */
export class SingleSignOn {
  readonly settings: Oidc;
  readonly provider: OidcProvider;
  readonly attempts: AttemptCookie;
  /** Whether browsers may send cookies over TLS only. */
  readonly isSecure: boolean;
  readonly #outcomes: Counter<'outcome'>;
  readonly #refusals: SparseLog;

  constructor(settings: Oidc, log: Log, { registry }: Metrics) {
    this.settings = settings;
    this.provider = new OidcProvider(settings);
    this.isSecure = settings.publicUrl.startsWith('https:');
    this.attempts = new AttemptCookie(settings.clientSecret, this.isSecure);
    this.#outcomes = new Counter({
      name: 'laurel_single_sign_ons_total',
      help: 'Sign-ins to the console through the identity provider, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.#refusals = new SparseLog(log, 'single sign-on refused');
    this.provider.discover().catch((error) => {
      log.warn({ error: refusalOfSignIn(error).message }, 'the identity provider does not answer');
    });
  }

  countOpened(): void {
    this.#outcomes.inc({ outcome: 'opened' });
  }

  /** Counts and logs an error of a sign-in. @returns what the person is told */
  refuse(error: unknown, request: string): RefusedOutcome {
    const { outcome, message } = refusalOfSignIn(error);
    this.#outcomes.inc({ outcome });
    this.#refusals.warn({ outcome, error: message, request });
    return outcome;
  }
}
