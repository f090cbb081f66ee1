import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Cells } from '../src/base/cells.ts';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { findHealthCause, type HealthCause, isSilent } from '../src/base/healthCause.ts';
import { HEALTH_LOOK_MS, OUTAGE_MS_MIN, OUTAGES_UNWRITTEN_MAX } from '../src/base/healthLimits.ts';
import { type OutageSpan, recordOutages } from '../src/db/outageRows.ts';
import type { Pool } from '../src/db/pool.ts';
import { orNull, readBacklog, readOverdue } from '../src/engine/availability/healthParts.ts';
import { findPostgresFault, findRedisFault } from '../src/engine/availability/storeFaults.ts';
import { readProcesses } from '../src/redis/state/processes.ts';

interface HealthWatchParts {
  redis: Redis;
  pool: Pool;
  cells: Cells;
  clock: Clock;
}

/**
 * Looks at the health of the service again and again and records outages. It is no schedule, because
 * schedules stop while Redis is unreachable. All workers watch: each records what it has seen, and PostgreSQL
 * merges it.
 */
export class HealthWatch {
  readonly #parts: HealthWatchParts;
  #watched: { since: number; at: number } | null = null;
  #trouble: OutageSpan | null = null;
  /** Outages that are over and not in PostgreSQL yet. */
  #unwritten: OutageSpan[] = [];

  constructor(parts: HealthWatchParts) {
    this.#parts = parts;
  }

  /** @returns ends it */
  start(): () => Promise<void> {
    const stopping = new AbortController();
    const running = this.#loop(stopping.signal);
    return () => {
      stopping.abort();
      return running;
    };
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look(systemClock.now());
      await sleep(HEALTH_LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** @param at the time of the machine, ms */
  async look(at: number): Promise<void> {
    const isPaused = this.#watched === null || at - this.#watched.at > OUTAGE_MS_MIN;
    this.#watched = { since: isPaused ? at : this.#watched!.since, at };
    if (isPaused) this.#end();
    const cause = await this.#findCause();
    if (cause !== this.#trouble?.cause) this.#end();
    if (cause !== null) this.#trouble = { cause, began: this.#trouble?.began ?? at, seen: at };
    const spans = [...this.#unwritten, ...(this.#trouble ? [this.#trouble] : [])].filter(isOutage);
    try {
      await recordOutages(this.#parts.pool, this.#watched, spans);
      this.#unwritten = [];
    } catch {
      // PostgreSQL is unreachable: the next look tries again.
    }
  }

  #end(): void {
    if (this.#trouble) this.#unwritten = [...this.#unwritten, this.#trouble].slice(-OUTAGES_UNWRITTEN_MAX);
    this.#trouble = null;
  }

  async #findCause(): Promise<HealthCause | null> {
    const { redis, pool, cells, clock } = this.#parts;
    const [ofRedis, ofPostgres] = await Promise.all([findRedisFault(redis, cells), findPostgresFault(pool)]);
    if (ofRedis !== null) return 'redis';
    if (ofPostgres !== null) return 'postgres';
    const now = clock.now();
    const [processes, outbox, overdue] = await Promise.all([
      orNull(readProcesses(redis)),
      orNull(readBacklog(redis, cells, now)),
      readOverdue(pool, now),
    ]);
    if (processes && !processes.some((one) => one.kind === 'server' && !isSilent(one))) return 'servers';
    return findHealthCause({ outbox, ...overdue });
  }
}

const isOutage = ({ began, seen }: OutageSpan): boolean => seen - began > OUTAGE_MS_MIN;
