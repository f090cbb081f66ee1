import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Cells } from '../../../src/base/cells.ts';
import { readEnv } from '../../../src/base/env.ts';
import { createLog } from '../../../src/base/log.ts';
import { WEBHOOK_EVENTS } from '../../../src/contract/webhooks.ts';
import type { Pool } from '../../../src/db/pool.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { webhookWork } from '../../../workers/jobs/deliveryWork.ts';
import { LaterError, type Work } from '../../../workers/jobs/jobs.ts';
import type { Receiver } from '../../support/receiver.ts';
import { SERVER_ENV } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import type { Answer } from '../service.ts';

/** Settings of whoever delivers to receivers on this machine. */
export const WEBHOOK_ENV = { LAUREL_WEBHOOK_ALLOW_PRIVATE: '1' };
/** In worlds with faults, one of so many requests is refused. */
const REFUSED_EVERY = 9;

interface WebhookStores {
  pool: Pool;
  redis: Redis;
  cells: Cells;
}

type Call = (method: 'POST', path: string, body?: unknown) => Promise<Answer>;

/** A delivery that was accepted. */
export interface Delivered {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all types
  body: any;
}

/** A webhook with all types, which gets its deliveries when the world asks for them. */
export class WorldWebhook {
  readonly #id: string;
  readonly #call: Call;
  readonly #work: Work<{ webhook: string }>;
  #now = 0;
  readonly #bodies = new Map<string, string>();
  readonly #refused = new Set<string>();
  /** Accepted, and not asked for yet. */
  #accepted: Delivered[] = [];
  /** What receivers may not get. */
  readonly #faults: string[] = [];
  #requests = 0;

  private constructor(id: string, call: Call, stores: WebhookStores) {
    this.#id = id;
    this.#call = call;
    const clock = { now: () => this.#now };
    const { redis, cells } = stores;
    const engine = createEngine({ redis, clock, cells });
    const log = createLog('test', 'silent');
    const env = readEnv({ ...SERVER_ENV, ...WEBHOOK_ENV });
    this.#work = webhookWork({ ...engine, ...stores, clock, log, tracing: null }, env);
  }

  /** @param hasFaults whether the receiver refuses some requests, and may get a delivery again */
  static async create(
    call: Call,
    receiver: Receiver,
    { path, hasFaults, ...stores }: WebhookStores & { path: string; hasFaults: boolean },
  ): Promise<WorldWebhook> {
    const webhook = { name: path, url: receiver.url + path, events: WEBHOOK_EVENTS };
    const { status, body } = await call('POST', '/admin/v1/webhooks', [webhook]);
    if (status !== 201) throw new Error(JSON.stringify(body));
    const created = new WorldWebhook(body.created[0].id, call, stores);
    receiver.on(path, ({ headers, text }, response) => {
      response.statusCode = created.#accepts(String(headers['webhook-id']), text, hasFaults) ? 200 : 500;
      response.end();
    });
    return created;
  }

  #accepts(id: string, text: string, hasFaults: boolean): boolean {
    const known = this.#bodies.get(id);
    if (known !== undefined && known !== text) this.#faults.push(`${id} has another body: ${text}`);
    this.#bodies.set(id, text);
    this.#requests++;
    if (hasFaults && this.#requests % REFUSED_EVERY === 0) {
      this.#refused.add(id);
      return false;
    }
    const isAgain = known !== undefined && !this.#refused.delete(id);
    if (isAgain && !hasFaults) this.#faults.push(`${id} comes again`);
    if (!isAgain) {
      const { type, ...body } = JSON.parse(text);
      this.#accepted.push({ type, body });
    }
    return true;
  }

  /** Delivers all that is due, as a worker does. What was refused is delivered again at once, with its id. */
  async deliver(now: number): Promise<{ delivered: Delivered[]; faults: string[] }> {
    this.#now = now;
    await this.#deliverDue();
    while (this.#refused.size > 0) {
      for (const id of this.#refused)
        await this.#call('POST', `/admin/v1/webhooks/${this.#id}/deliveries/${id}/redeliver`);
      await this.#deliverDue();
    }
    const delivered = this.#accepted;
    this.#accepted = [];
    return { delivered, faults: this.#faults.splice(0) };
  }

  async #deliverDue(): Promise<void> {
    const job = { data: { webhook: this.#id } } as Job<{ webhook: string }>;
    const { signal } = new AbortController();
    await until(() =>
      this.#work.run(job, signal, signal).then(
        () => true,
        (error) => {
          if (error instanceof LaterError) return false;
          throw error;
        },
      ),
    );
  }
}
