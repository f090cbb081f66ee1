import type { AdjustableClock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { sha256 } from '../../base/ids.ts';
import { PREPARED_OF_SHARD, SHARDS_AT_ONCE } from '../../base/limits.ts';
import type { Log } from '../../base/log.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { Suppression } from '../../base/suppressions.ts';
import {
  NO_TEMPLATE,
  type NotificationOutcome,
  type PendingNotification,
  postponeNotification,
  type SentTemplate,
  suppressAddress,
} from '../../db/deliveries/notificationDeliveries.ts';
import type { Pool } from '../../db/pool.ts';
import type { RulesStore } from '../../engine/calls/rulesStore.ts';
import type { ChangedUser, UserChanges } from '../../engine/users/userChanges.ts';
import { usefulUntil } from '../../rules/notices.ts';
import { userVariables, zoneOf } from '../userVariables.ts';
import type { TemplateVariables } from '../variables.ts';
import { composeEmail } from './compose.ts';
import { decide, type SentText } from './decide.ts';
import { DeadTokenError, type FcmClient, PushDelayedError, PushRefusedError } from './fcm.ts';
import { type Mailer, MailRefusedError } from './mailer.ts';
import { readNotice } from './notice.ts';
import { NotificationRows } from './notificationRows.ts';
import type { PreferenceLinks } from './preferenceLinks.ts';
import { renderTemplate } from './templates.ts';

export type CountedOutcome = NotificationOutcome['status'] | 'retried';
/**
 * Why a notification is not sent, or has failed: bad address, bad message, no rendering, no device takes it,
 * out of time.
 */
export type CountedReason = Suppression | 'refused' | 'template' | 'devices' | 'too_late';

interface Ended extends NotificationOutcome {
  counted: CountedReason | null;
}

export interface NotificationDependencies {
  pool: Pool;
  rulesStore: RulesStore;
  users: UserChanges;
  clock: AdjustableClock;
  log: Log;
  links: PreferenceLinks;
  mailer: Mailer;
  /**
   * Notifications of each channel that are being sent, or sent and not yet recorded: a crash can repeat so
   * many.
   */
  atOnce: Record<PendingNotification['channel'], number>;
  /** null if no push service is configured. */
  fcm: FcmClient | null;
  /** Counts the outcome of each attempt. `reason` is one of a small set. */
  count(channel: PendingNotification['channel'], outcome: CountedOutcome, reason: CountedReason | null): void;
}

const SENT: Ended = { status: 'sent', reason: null, counted: null };
/** Wait after the first failed attempt; it doubles after each further one. */
const FIRST_WAIT_MS = 30_000;
const WAIT_MS_MAX = 30 * 60_000;
const REASON_CHARS_MAX = 300;
const TOKEN_MARK_CHARS = 16;

/** A notification that can be sent, with everything needed to render it. */
interface Ready {
  notification: PendingNotification;
  recipient: ChangedUser;
  text: SentText;
  variables: TemplateVariables;
}

/** Sends due notifications and records their outcomes. */
export class NotificationDelivery {
  readonly #deps: NotificationDependencies;
  readonly #rows: NotificationRows;
  readonly #semaphores: Record<PendingNotification['channel'], Semaphore>;

  constructor(deps: NotificationDependencies) {
    this.#deps = deps;
    this.#semaphores = { email: semaphore(deps.atOnce.email), push: semaphore(deps.atOnce.push) };
    this.#rows = new NotificationRows(deps.pool, deps.clock);
  }

  /**
   * Sends a notification if it is pending and due. After a temporary failure it stays pending for a later
   * attempt.
   */
  async deliver(id: string): Promise<void> {
    const { unrecorded } = this.#rows;
    const notification = await this.#rows.read(id);
    if (notification === null) return;
    const ready = await this.#prepare(notification);
    if ('suppressed' in ready) return this.#suppress(notification, ready.suppressed);
    await this.#semaphores[notification.channel].run(async () => {
      if (this.#rows.unrecorded !== unrecorded)
        throw new Error('sending is stopped because outcomes cannot be recorded');
      await this.#attempt(ready);
    });
  }

  async #attempt(ready: Ready): Promise<void> {
    const { notification, text } = ready;
    notification.attempts++;
    let ended: Ended;
    try {
      ended = await (notification.channel === 'email' ? this.#sendEmail(ready) : this.#sendPush(ready));
    } catch (error) {
      return this.#postpone(ready, error as Error);
    }
    await this.#finish(notification, text, ended);
  }

  async #suppress(notification: PendingNotification, reason: Suppression): Promise<void> {
    if (reason === 'late') {
      const { id, tenant, type, channel } = notification;
      this.#deps.log.warn(
        { id, tenant, type, channel },
        'a notification was dropped because it is too late to send it',
      );
    }
    await this.#finish(notification, NO_TEMPLATE, { status: 'suppressed', reason, counted: reason });
  }

  async #finish(
    notification: PendingNotification,
    { template, variant }: SentTemplate,
    { counted, ...outcome }: Ended,
  ): Promise<void> {
    await this.#rows.finish({ notification, template, variant, ...outcome });
    this.#deps.count(notification.channel, outcome.status, counted);
  }

  /**
   * Decides by the user's present state whether to send the notification, because the state may have changed
   * since it became due.
   */
  async #prepare(notification: PendingNotification): Promise<Ready | { suppressed: Suppression }> {
    const { pool, links, fcm, clock } = this.#deps;
    const { tenant, userId, channel } = notification;
    if (channel === 'push' && fcm === null) return { suppressed: 'not_configured' };
    const recipient = await this.#read(notification);
    if (recipient === null) return { suppressed: 'unknown_user' };
    const { rules, user, now } = recipient;
    const isSkipped = clock.hasPassedOver(notification.at);
    const decided = decide(notification, { rules, user, now, isSkipped });
    if ('suppressed' in decided) return decided;
    const ofUser = userVariables(rules, userId, user, now);
    const notice = await readNotice(pool, rules, notification, { user, ofUser });
    if ('suppressed' in notice) return notice;
    const variables = { ...ofUser, ...notice, preferencesUrl: links.urlOf({ tenant, userId }) };
    return { notification, recipient, text: decided.text, variables };
  }

  async #read({ tenant, userId }: PendingNotification): Promise<ChangedUser | null> {
    const { rulesStore, users } = this.#deps;
    try {
      return await users.read(rulesStore.get(tenant) ?? (await rulesStore.load(tenant)), userId);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'notFound') return null;
      throw error;
    }
  }

  async #sendEmail({ notification, recipient, text, variables }: Ready): Promise<Ended> {
    const { pool, clock, mailer } = this.#deps;
    const to = recipient.user.email!;
    try {
      await mailer.send({
        ...composeEmail(text, variables),
        id: notification.id,
        to,
        fromName: variables.branding.appName || null,
        unsubscribeUrl: variables.preferencesUrl,
        now: clock.now(),
      });
      return SENT;
    } catch (error) {
      const reason = shorten((error as Error).message);
      if (error instanceof ServiceError) return { status: 'failed', reason, counted: 'template' };
      if (!(error instanceof MailRefusedError)) throw error;
      if (error.refused === 'message') return { status: 'failed', reason, counted: 'refused' };
      await suppressAddress(pool, notification, to, reason, clock.now());
      return { status: 'failed', reason, counted: 'rejected_email' };
    }
  }

  /**
   * Sends to every device of the user that has not received the notification. It counts as sent if one device
   * has received it.
   */
  async #sendPush({ notification, recipient, text, variables }: Ready): Promise<Ended> {
    const { id, type, facts } = notification;
    const { subject: title, body } = renderTemplate(text, variables);
    const reached = new Set(facts.reached);
    const failures: Error[] = [];
    let delayed: Error | null = null;
    for (const token of recipient.user.deviceTokens ?? []) {
      if (reached.has(markOf(token))) continue;
      try {
        await this.#deps.fcm!.send(token, { id, type, title, body });
        reached.add(markOf(token));
      } catch (error) {
        if (error instanceof DeadTokenError) await this.#forgetDevice(recipient, notification.userId, token);
        else if (!(error instanceof PushRefusedError)) delayed = longerDelay(delayed, error as Error);
        failures.push(error as Error);
      }
    }
    facts.reached = [...reached];
    if (delayed !== null) throw delayed;
    if (reached.size > 0) return SENT;
    const reason = shorten(failures.map(({ message }) => message).join('; '));
    return { status: 'failed', reason, counted: 'devices' };
  }

  async #forgetDevice({ rules }: ChangedUser, userId: string, token: string): Promise<void> {
    try {
      await this.#deps.users.forgetDevice(rules, userId, token);
    } catch (error) {
      // The user has been erased.
      if (!(error instanceof ServiceError && error.code === 'notFound')) throw error;
    }
  }

  /**
   * Schedules the next attempt, by the service's time. If it would be too late by then, the notification has
   * failed.
   */
  async #postpone({ notification, recipient: { rules, user }, text }: Ready, error: Error): Promise<void> {
    const { pool, clock, log, count } = this.#deps;
    const { id, tenant, channel, attempts, at } = notification;
    const asked = error instanceof PushDelayedError ? error.retryAfterMs : null;
    const now = clock.now();
    const dueAt = now + (asked ?? waitAfter(attempts));
    const reason = shorten(error.message);
    if (dueAt < usefulUntil(zoneOf(rules, user), at)) {
      log.warn(
        { id, tenant, channel, attempts, error: reason },
        'a notification could not be sent; it is retried',
      );
      await postponeNotification(pool, notification, reason, dueAt);
      return count(channel, 'retried', null);
    }
    log.error({ id, tenant, channel, attempts, error: reason }, 'a notification could not be sent in time');
    await this.#finish(notification, text, { status: 'failed', reason, counted: 'too_late' });
  }
}

const semaphore = (atOnce: number): Semaphore =>
  new Semaphore(atOnce, atOnce * PREPARED_OF_SHARD * SHARDS_AT_ONCE);

/** Wait before the next attempt, ms. The random part spreads notifications that failed together. */
function waitAfter(attempts: number): number {
  const wait = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return Math.round(wait * (0.75 + Math.random() / 2));
}

function longerDelay(one: Error | null, other: Error): Error {
  const delayOf = (error: Error | null): number =>
    error instanceof PushDelayedError ? (error.retryAfterMs ?? 0) : 0;
  return one !== null && delayOf(one) >= delayOf(other) ? one : other;
}

function shorten(reason: string): string {
  // Servers may answer control characters. PostgreSQL cannot store U+0000.
  return reason.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, REASON_CHARS_MAX);
}

/** A short hash that identifies a device token in the delivery log, which must not contain tokens. */
function markOf(token: string): string {
  return sha256(token).toString('hex').slice(0, TOKEN_MARK_CHARS);
}
