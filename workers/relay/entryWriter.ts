import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { Log } from '../../src/base/log.ts';
import type { Tracing } from '../../src/base/spans.ts';
import type { LatestDelivery } from '../../src/db/deliveries/webhookWindows.ts';
import type { DeliveryRows } from '../../src/db/deliveries/writeDeliveries.ts';
import { writeDeadEntry } from '../../src/db/history/deadEntries.ts';
import type { EntryId } from '../../src/db/history/historyRows.ts';
import { KnownDays, KnownGoals } from '../../src/db/history/knownRows.ts';
import { type RelayRows, type WrittenBatch, writeHistory } from '../../src/db/history/writeHistory.ts';
import type { Partitions } from '../../src/db/partitions.ts';
import type { Pool } from '../../src/db/pool.ts';
import { Subscriptions } from '../../src/engine/webhooks/subscriptions.ts';
import { deliveriesOf, type TraceOf } from '../../src/notifications/planning/deliveriesOf.ts';
import { CoveredSubjects } from '../../src/notifications/webhooks/coveredSubjects.ts';
import {
  decodeEntry,
  type OutboxEntry,
  tenantOf,
  UnknownFormatError,
} from '../../src/redis/decoding/outbox.ts';
import type { Receipt } from '../../src/redis/scripts/redisReceipts.ts';
import type { StreamEntry } from './outboxReader.ts';
import { firstDaysOfRuns, reachedGoalsOf } from './reachedGoals.ts';
import type { RelayRanks } from './relayRanks.ts';
import { RelaySpans } from './relaySpans.ts';
import type { StateReader } from './stateReader.ts';
import { TenantDays } from './tenantDays.ts';
import { type DecodedEntry, toHistory } from './toHistory.ts';

/** An outbox entry, decoded or with the reason why it cannot be decoded. */
export type ReadEntry = { source: StreamEntry } & ({ entry: OutboxEntry } | { reason: string });

/** @throws UnknownFormatError */
export function readEntry(source: StreamEntry): ReadEntry {
  try {
    return { source, entry: decodeEntry(source.fields) };
  } catch (error) {
    if (error instanceof UnknownFormatError) throw error;
    return { source, reason: (error as Error).message };
  }
}

/** Takes the deliveries of a committed batch, and the latest delivery about each throttled subject. */
export type OnDeliveries = (rows: DeliveryRows, latest: readonly LatestDelivery[]) => void;

export interface EntryWriterDependencies {
  pool: Pool;
  partitions: Partitions;
  states: StateReader;
  ranks: RelayRanks;
  clock: Clock;
  log: Log;
  /** Called with the deliveries of every committed batch. */
  onDeliveries?: OnDeliveries | undefined;
  /** null unless entries are traced. */
  tracing?: Tracing | null | undefined;
}

/**
 * Writes outbox entries to PostgreSQL. Entries that cannot be written are stored as dead entries, so they do
 * not block others.
 */
export class EntryWriter {
  readonly #deps: EntryWriterDependencies;
  /** What PostgreSQL is known to contain. */
  readonly #known: { partitions: Partitions; knownDays: KnownDays; knownGoals: KnownGoals };
  readonly #subscriptions: Subscriptions;
  readonly #days: TenantDays;
  readonly #covered = new CoveredSubjects();
  /** Of the last transaction. */
  #receipt: Receipt | null = null;
  /** Token of the last transaction's receipt, once Redis has recorded it. */
  #recorded: string | null = null;
  /** Entries that have left the outboxes since the last transaction. */
  #acknowledged: EntryId[] = [];

  constructor(deps: EntryWriterDependencies) {
    this.#deps = deps;
    this.#known = {
      partitions: deps.partitions,
      knownDays: new KnownDays(),
      knownGoals: new KnownGoals(),
    };
    this.#subscriptions = new Subscriptions(deps.pool);
    this.#days = new TenantDays(deps.pool);
  }

  /** The receipt of the last transaction, to be recorded in Redis. */
  get receipt(): Receipt | null {
    return this.#receipt;
  }

  /** The next transaction then does not write that Redis has recorded the last one. */
  forgetReceipt(): void {
    this.#recorded = null;
  }

  /**
   * Call this after written entries have been removed from the outboxes. `isRecorded`: whether all of them
   * have recorded the receipt.
   */
  acknowledged(sources: readonly StreamEntry[], isRecorded: boolean): void {
    this.#recorded = isRecorded && this.#receipt !== null ? this.#receipt.token : null;
    this.#receipt = null;
    for (const { cell, id } of sources) this.#acknowledged.push({ cell, entryId: id });
  }

  /**
   * Writes every entry, either to the history or as a dead entry. Writing an entry again changes nothing.
   * @param fence read before the batch was read (src/db/history/relayFence.ts)
   * @returns the number of dead entries
   * @throws FencedOffError if another relay may have taken over entries of the batch; UnknownReceiptError if
   * the batch before is missing in PostgreSQL; its error if the failure is not caused by the data
   */
  async write(batch: readonly ReadEntry[], fence: string): Promise<number> {
    const readable = batch.filter((item) => 'entry' in item);
    let dead = 0;
    for (const item of batch)
      if ('reason' in item)
        dead += await this.#bury(item.source, tenantOf(item.source.fields), item.reason, fence);
    try {
      await this.#writeEntries(readable, fence);
    } catch (error) {
      if (!isCausedByData(error)) throw error;
      // At least one entry causes the failure. Writing each entry alone finds out which.
      for (const item of readable) dead += await this.#writeOne(item, fence);
    }
    return dead;
  }

  async #writeOne(item: DecodedEntry, fence: string): Promise<number> {
    try {
      await this.#writeEntries([item], fence);
      return 0;
    } catch (error) {
      if (!isCausedByData(error)) throw error;
      return this.#bury(item.source, item.entry.tenant, (error as Error).message, fence);
    }
  }

  /** States are read after the entries, so they contain the effects of the entries. */
  async #writeEntries(entries: readonly DecodedEntry[], fence: string): Promise<void> {
    const { tracing } = this.#deps;
    const spans = tracing ? new RelaySpans(tracing, entries) : null;
    try {
      await this.#writeAll(entries, fence, spans?.traceOf);
      spans?.end();
    } catch (error) {
      spans?.end(error);
      throw error;
    }
  }

  async #writeAll(
    entries: readonly DecodedEntry[],
    fence: string,
    traceOf: TraceOf | undefined,
  ): Promise<void> {
    const { clock, ranks, states: reader, onDeliveries } = this.#deps;
    const tenants = new Set(entries.map(({ entry }) => entry.tenant));
    const dayOf = await this.#days.load(tenants);
    const acknowledged = this.#acknowledged;
    const receipt = {
      token: newId(),
      previous: this.#recorded,
      writtenAt: clock.now(),
      cells: [...new Set(entries.map(({ source }) => source.cell))],
    };
    await ranks.merge(entries);
    const history = toHistory(entries, dayOf);
    const states = await reader.read(entries);
    const rulesOf = await this.#subscriptions.find(tenants);
    const deliveries = deliveriesOf({ entries, states }, rulesOf, this.#covered, clock.now(), traceOf);
    const reachedGoals = reachedGoalsOf(entries, rulesOf);
    const firstDayOfRun = firstDaysOfRuns(rulesOf);
    const rows = { ...history, ...deliveries, reachedGoals, firstDayOfRun, states, acknowledged, receipt };
    const { latest, receiptNo } = await this.#writeRows(rows, fence);
    this.#receipt = { token: receipt.token, no: receiptNo! };
    this.#acknowledged = this.#acknowledged.slice(acknowledged.length);
    this.#covered.add(deliveries.throttledDeliveries, latest);
    if (rulesOf.size > 0) onDeliveries?.(deliveries, latest);
  }

  async #writeRows(rows: RelayRows, fence: string): Promise<WrittenBatch> {
    try {
      return await writeHistory(this.#deps.pool, this.#known, rows, fence);
    } catch (error) {
      if (codeOf(error) !== NO_PARTITION) throw error;
      // The partition has been dropped since it was last used.
      this.#known.partitions.forget();
      return writeHistory(this.#deps.pool, this.#known, rows, fence);
    }
  }

  async #bury(
    { cell, id, fields }: StreamEntry,
    tenant: number | null,
    reason: string,
    fence: string,
  ): Promise<1> {
    const { pool, clock, log } = this.#deps;
    await writeDeadEntry(pool, { tenant, cell, entryId: id, reason, fields }, fence, clock.now());
    log.error(
      { tenant, cell, entry: id, reason },
      'an outbox entry cannot be stored; it was moved to dead_entries',
    );
    return 1;
  }
}

/** SQLSTATE check_violation, which PostgreSQL also uses for "no partition of relation found for row". */
const NO_PARTITION = '23514';
/** Data exception, integrity constraint violation, program limit exceeded: the same rows would fail again. */
const DATA_ERRORS = /^(22|23|54)/;

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : null;
}

/** Whether PostgreSQL refuses the rows because of their values. */
function isCausedByData(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && DATA_ERRORS.test(code);
}

/** Number of changes of an entry; 0 if it cannot be read. */
export function changesOf(item: ReadEntry): number {
  return 'entry' in item ? item.entry.changes.length : 0;
}
