import type { Clock } from '../../base/clock.ts';
import { eachInTurn } from '../../base/eachInTurn.ts';
import { ServiceError } from '../../base/errors.ts';
import { adminEventFingerprint } from '../../base/ids.ts';
import { IDEMPOTENCY_WINDOW_SECONDS_MIN } from '../../base/keyLimits.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { Author } from '../../db/access/audit.ts';
import {
  decideHeldEvents,
  type HeldEventRow,
  listApproving,
  lockHeldEvent,
  UNDECIDED,
} from '../../db/history/heldEventRows.ts';
import { findUsedKeys } from '../../db/history/usedKeyRows.ts';
import { type Pool, type PoolClient, transaction } from '../../db/pool.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { RulesStore } from '../calls/rulesStore.ts';
import type { LateEvents } from '../events/lateEvents.ts';
import type { LateReads } from '../events/lateHistory.ts';
import { recordByAdmin } from '../events/recordByAdmin.ts';
import { closeHeldEvent, type DecidedEvent, decidedAlready } from './heldEvent.ts';

/** Events that a server approves at once: each has a connection to PostgreSQL meanwhile. */
const APPROVALS_AT_ONCE_MAX = 3;
const APPROVALS_WAITING_MAX = 1_000;

/** How long the script surely knows an approval, with any window of idempotency keys. */
const KNOWN_MS = (IDEMPOTENCY_WINDOW_SECONDS_MIN * 1_000) / 2;

interface ApprovalDependencies {
  pool: Pool;
  clock: Clock;
  lateEvents: LateEvents;
  history: LateReads;
  metrics: Metrics;
}

/**
 * Approves held events. An approved event takes the way of late events, with its own timestamp.
 *
 * ```
 *   held ──begin──► approving ──finish──► approved
 *     ▲                 │
 *     └─── refused ─────┘
 * ```
 *
 * An event that is being approved cannot be rejected and does not expire. If the process ends, the next
 * approval of the event finishes it, or a worker (finishApprovals). The event is recorded once: whoever
 * finishes has its row locked and asks the history first, and the script knows recent approvals.
 */
export class Approvals {
  readonly #deps: ApprovalDependencies;
  readonly #semaphore = new Semaphore(APPROVALS_AT_ONCE_MAX, APPROVALS_WAITING_MAX);

  constructor(deps: ApprovalDependencies) {
    this.#deps = deps;
  }

  /** Approves events of a tenant. @returns what has become of each, in the same order */
  async approve(
    rules: Rules,
    ids: readonly string[],
    reason: string,
    { actor, actorName = '', now }: Author,
  ): Promise<DecidedEvent[]> {
    const decision = { status: 'approving', decidedAt: new Date(now), reason, actor, actorName } as const;
    await decideHeldEvents(this.#deps.pool, rules.tenant, { ids, from: 'held' }, decision);
    const decided: DecidedEvent[] = [];
    for (const id of ids) decided.push(await this.finish(rules, id));
    return decided;
  }

  /**
   * Records an event that is being approved. If the rules refuse it, it is held again.
   * @throws ServiceError `unavailable`; the event is still being approved
   */
  finish(rules: Rules, id: string): Promise<DecidedEvent> {
    return this.#semaphore.run(() =>
      transaction(this.#deps.pool, async (client) => {
        const held = await lockHeldEvent(client, rules.tenant, id);
        if (held?.status !== 'approving') return decidedAlready(id, held, 'approved');
        const refusal = await this.#record(rules, client, held);
        if (refusal !== null) {
          await decideHeldEvents(client, rules.tenant, { ids: [id], from: 'approving' }, UNDECIDED);
          return { id, status: 'held', error: refusal.message };
        }
        await closeHeldEvent(client, rules, { ...held, status: 'approved' });
        return { id, status: 'approved' };
      }),
    );
  }

  /** @returns why the rules refuse the event; null if it is recorded */
  async #record(rules: Rules, client: PoolClient, held: HeldEventRow): Promise<ServiceError | null> {
    const { history, clock } = this.#deps;
    const { tenant } = rules;
    const { userId, metric, eventId } = held;
    const fingerprint = adminEventFingerprint(tenant, eventId);
    const key = { userId, metric, fingerprint, isOfPresentId: true };
    const isInHistory = async () => (await findUsedKeys(client, tenant, [key]))[0] !== null;
    const isRecent = clock.now() - held.decidedAt!.getTime() < KNOWN_MS;
    if (await (isRecent ? isInHistory() : history.readUser({ tenant, userId }, isInHistory))) return null;
    try {
      await this.#send(rules, held);
      return null;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error;
      // An attempt that did not end may have recorded the event before the user was blocked, for example.
      return (await history.readUser({ tenant, userId }, isInHistory)) ? null : error;
    }
  }

  /** @throws ServiceError if the rules refuse the event */
  async #send(rules: Rules, held: HeldEventRow): Promise<void> {
    const { userId, value, attributes, happenedAt, eventId } = held;
    const metric = rules.findByNo('metrics', held.metric);
    if (metric === null) throw new ServiceError('notFound', 'The metric of the event was deleted');
    const request = { user: { id: userId }, value, attributes, timestamp: happenedAt.toISOString() };
    await recordByAdmin(this.#deps, rules, metric, request, { id: eventId, undoes: null });
  }
}

/** Time after which a worker finishes an approval whose server may have ended. */
const APPROVAL_MS_MAX = 60_000;
/** Approvals that one run of a worker finishes. */
const APPROVALS_PER_RUN_MAX = 1_000;

interface FinishDependencies {
  pool: Pool;
  rulesStore: RulesStore;
  approvals: Approvals;
  log: Log;
}

/** Finishes approvals that a server has begun and not finished. @param now ms */
export async function finishApprovals(
  { pool, rulesStore, approvals, log }: FinishDependencies,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  await eachInTurn(
    await listApproving(pool, new Date(now - APPROVAL_MS_MAX), APPROVALS_PER_RUN_MAX),
    signal,
    async ({ tenant, eventId }) => {
      const { status, error } = await approvals.finish(await rulesStore.load(tenant), eventId);
      log.info({ tenant, eventId, status, error }, 'an approval is finished');
    },
    ({ tenant, eventId }, error) => log.warn({ tenant, eventId, error }, 'an approval has to wait'),
  );
}
