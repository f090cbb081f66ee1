import { setTimeout as sleep } from 'node:timers/promises';
import { type ApplyOptions, type ApplyReport, planConfig } from '../../admin/files/applyConfig.ts';
import { parseInstant } from '../../base/instant.ts';
import { RETRY_AFTER_SECONDS } from '../../base/limits.ts';
import type { ConfigFile } from '../../contract/configured/configFile.ts';
import type { BatchEventResult } from '../../contract/event.ts';
import type { Import, RefusedRow } from '../../contract/imports.ts';
import type { CallRefusal } from '../../contract/refusal.ts';
import type { TestClock } from '../../contract/testClock.ts';
import { emptyConfig } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';

const TRIES_MAX = 30;

export interface ClientOptions {
  url: string;
  key: string;
  /** Your own id of a tenant; null for the account. */
  tenant: string | null;
}

/**
 * The calls of commands to a running service. A failed call is tried again, because every call may be
 * repeated.
 */
export class ServiceClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor({ url, key, tenant }: ClientOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = {
      'X-API-KEY': key,
      'Content-Type': 'application/json',
      ...(tenant && { 'Tenant-ID': encodeURIComponent(tenant) }),
    };
  }

  readConfig(): Promise<ConfigFile> {
    return this.#call('GET', '/config');
  }

  /** Configured metrics and attributes, against which events are checked. */
  async readRules(): Promise<Rules> {
    const { metrics, attributes } = await this.readConfig();
    const { config } = planConfig(
      emptyConfig(0),
      { ...(metrics && { metrics }), ...(attributes && { attributes }) },
      0,
    );
    return new Rules(config);
  }

  /** Time of the service, ms since 1970. */
  async readClock(): Promise<{ now: number; stopped: boolean }> {
    const { now, stopped } = await this.#call<TestClock>('GET', '/test-clock');
    return { now: parseInstant(now)!, stopped };
  }

  /** Does not wait for the history, because that takes far longer. Reads of history wait for it. */
  async stopClockAt(instant: number): Promise<void> {
    const body = { now: new Date(instant).toISOString(), stopped: true, awaitHistory: false };
    await this.#call('POST', '/test-clock', JSON.stringify(body));
  }

  /** @returns number of accepted events */
  async recordEvents(body: string): Promise<number> {
    return (await this.#call<{ accepted: number }>('POST', '/metrics/events', body)).accepted;
  }

  /** Records events like `recordEvents` and returns the result of each. */
  async recordEventsWithResults(body: string): Promise<BatchEventResult[]> {
    return (await this.#call<{ results: BatchEventResult[] }>('POST', '/metrics/events?results=true', body))
      .results;
  }

  /** Begins an import, or finds the one that has the id; null if another tenant has one with it. */
  async createImport(body: object): Promise<Import | null> {
    try {
      return await this.#call<Import>('POST', '/imports', JSON.stringify(body));
    } catch (error) {
      if (error instanceof RefusedCall && error.code === 'idTaken') return null;
      throw error;
    }
  }

  /** Sends the next chunk. One that the service has already changes nothing. */
  addImportChunk(id: string, body: string): Promise<Import> {
    return this.#call('POST', `/imports/${id}/chunks`, body);
  }

  readImport(id: string): Promise<Import> {
    return this.#call('GET', `/imports/${id}`);
  }

  async readRefusedRows(id: string): Promise<RefusedRow[]> {
    return (await this.#call<{ refused: RefusedRow[] }>('GET', `/imports/${id}/refused`)).refused;
  }

  applyConfig(file: ConfigFile, { dryRun, prune, adoptAs }: ApplyOptions): Promise<ApplyReport> {
    const query = new URLSearchParams({
      dryRun: String(dryRun),
      prune: String(prune),
      ...(adoptAs && { adoptAs }),
    });
    return this.#call('PUT', `/config?${query}`, JSON.stringify(file));
  }

  /** @throws Error with the service's answer, or the reason why there is none */
  async #call<T>(method: string, path: string, body?: string): Promise<T> {
    let problem = new Error();
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (tries > 0) await sleep(RETRY_AFTER_SECONDS * 1000);
      try {
        const request = { method, headers: this.#headers, ...(body !== undefined && { body }) };
        const response = await fetch(`${this.#url}/admin/v1${path}`, request);
        const text = await response.text();
        if (response.ok) return JSON.parse(text) as T;
        problem = new RefusedCall(`${this.#url} answered ${response.status}`, text);
        if (response.status !== 503) break;
      } catch (error) {
        const { cause, message } = error as Error & { cause?: Error };
        problem = new Error(`${this.#url} does not answer: ${cause?.message || message}`);
      }
    }
    throw problem;
  }
}

/** What the service answered. */
class RefusedCall extends Error {
  readonly code: CallRefusal['code'];

  constructor(what: string, text: string) {
    const { error, code } = errorIn(text);
    super(`${what}: ${error ?? text}`);
    this.code = code;
  }
}

/** The error of the service; empty for the answer of anything else, such as a proxy. */
function errorIn(text: string): { error?: string; code?: CallRefusal['code'] } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
