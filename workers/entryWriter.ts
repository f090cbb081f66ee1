import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import type { EntryPlace, HistoryRows } from '../src/db/historyRows.ts';
import type { Partitions } from '../src/db/partitions.ts';
import type { Pool } from '../src/db/pool.ts';
import type { DeliveryRows } from '../src/db/writeDeliveries.ts';
import { writeDeadEntry, writeHistory } from '../src/db/writeHistory.ts';
import { Outlets } from '../src/engine/outlets.ts';
import { planDeliveries } from '../src/notifications/planDeliveries.ts';
import { decodeEntry, type OutboxEntry, tenantOf } from '../src/redis/outbox.ts';
import type { StreamEntry } from './outboxReader.ts';
import type { StateReader } from './stateReader.ts';
import { TenantDays } from './tenantDays.ts';
import { type DecodedEntry, toHistory } from './toHistory.ts';

/** An outbox entry with what it says, or with the reason why nobody can tell. */
export type ReadEntry = { source: StreamEntry } & ({ entry: OutboxEntry } | { reason: string });

export function readEntry(source: StreamEntry): ReadEntry {
  try {
    return { source, entry: decodeEntry(source.fields) };
  } catch (error) {
    return { source, reason: (error as Error).message };
  }
}

export interface EntryWriterParts {
  pool: Pool;
  partitions: Partitions;
  states: StateReader;
  clock: Clock;
  log: Log;
  /** Is told what has been written that is to be sent. */
  announce?: ((rows: DeliveryRows) => void) | undefined;
}

/** Writes outbox entries into PostgreSQL. Those that cannot become history are put aside, so that they block nothing. */
export class EntryWriter {
  readonly #pool: Pool;
  readonly #partitions: Partitions;
  readonly #states: StateReader;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #outlets: Outlets;
  readonly #announce: (rows: DeliveryRows) => void;
  readonly #days: TenantDays;
  /** Out of the outboxes since the last transaction. */
  #acknowledged: EntryPlace[] = [];

  constructor({ pool, partitions, states, clock, log, announce }: EntryWriterParts) {
    this.#pool = pool;
    this.#outlets = new Outlets(pool);
    this.#announce = announce ?? (() => {});
    this.#partitions = partitions;
    this.#states = states;
    this.#clock = clock;
    this.#log = log;
    this.#days = new TenantDays(pool);
  }

  /** To be told once entries that were written are out of the outboxes. */
  acknowledged(sources: readonly StreamEntry[]): void {
    for (const { shard, id } of sources) this.#acknowledged.push({ shard, entryId: id });
  }

  /**
   * After this, every entry is either in the history or among the dead ones. Writing an entry again changes nothing.
   * @param fence read before the batch was (src/db/relayFence.ts)
   * @returns how many are among the dead ones
   * @throws FencedOffError when somebody may have taken entries of it over; what PostgreSQL threw, when it could not write for
   *   reasons that will pass
   */
  async write(batch: readonly ReadEntry[], fence: string): Promise<number> {
    const readable = batch.filter((item) => 'entry' in item);
    let dead = 0;
    for (const item of batch)
      if ('reason' in item) dead += await this.#bury(item.source, tenantOf(item.source.fields), item.reason, fence);
    try {
      await this.#writeEntries(readable, fence);
    } catch (error) {
      if (!isCausedByData(error)) throw error;
      // One of them is to blame: alone, each finds out for itself.
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

  /** The states are read after the entries, so they hold what the entries did. */
  async #writeEntries(entries: readonly DecodedEntry[], fence: string): Promise<void> {
    const tenants = new Set(entries.map(({ entry }) => entry.tenant));
    const dayOf = await this.#days.load(tenants);
    const acknowledged = this.#acknowledged;
    const rows = { ...toHistory(entries, dayOf), states: await this.#states.read(entries), acknowledged };
    const rulesOf = await this.#outlets.find(tenants);
    if (rulesOf.size > 0) Object.assign(rows, planDeliveries(entries, rows, rulesOf));
    await this.#writeRows(rows, fence);
    this.#acknowledged = this.#acknowledged.slice(acknowledged.length);
    if (rulesOf.size > 0) this.#announce(rows);
  }

  async #writeRows(rows: HistoryRows, fence: string): Promise<void> {
    try {
      await writeHistory(this.#pool, this.#partitions, rows, fence);
    } catch (error) {
      if (codeOf(error) !== NO_PARTITION) throw error;
      // Somebody has dropped the partition since it was last seen.
      this.#partitions.forget();
      await writeHistory(this.#pool, this.#partitions, rows, fence);
    }
  }

  async #bury({ shard, id, fields }: StreamEntry, tenant: number | null, reason: string, fence: string): Promise<1> {
    await writeDeadEntry(this.#pool, { tenant, shard, entryId: id, reason, fields }, fence, this.#clock.now());
    this.#log.error(
      { tenant, shard, entry: id, reason },
      'an outbox entry cannot be stored; it is kept in dead_entries',
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

/** True if PostgreSQL refuses the rows because of what they hold. */
function isCausedByData(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && DATA_ERRORS.test(code);
}
