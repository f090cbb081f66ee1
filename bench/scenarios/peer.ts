import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { monotonicMs } from '../../src/base/clock.ts';
import { Ledger } from '../load/ledger.ts';
import { runLoad } from '../load/wrk.ts';
import { EVENTS_QUEUE } from '../peers/bullmq/queue.ts';
import { PEERS, type Peer } from '../peers/peers.ts';
import type { Group, Scenario } from '../scenario.ts';
import { countUnits } from './closedLoop.ts';
import { usualEvents } from './requests.ts';

/** Stores of their own, so that no peer is slowed by laurel's data. */
const GROUP: Group = { name: 'peers', servers: 0 };
const POLL_MS = 20;

/** Full events of the usual users, evaluated by a peer. */
const peerScenario = ({ folder, name, title, measures, hasWorker }: Peer): Scenario => ({
  name,
  title,
  measures,
  group: GROUP,
  isRemote: false,
  setUp: async (target) => {
    const traffic = await usualEvents(target);
    const { bench } = target;
    const server = await bench.startProgram(`peers/${folder}/server.js`);
    const worker = hasWorker ? await bench.startProgram(`peers/${folder}/worker.js`) : null;
    const jobs = hasWorker ? new JobCount(bench.redisUrl) : null;
    const ledger = new Ledger(target.prefix);
    return {
      processes: () => ({ server: [server.pid], worker: worker === null ? [] : [worker.pid] }),
      run: async () => {
        const { sent, seconds, ...latencies } = await runLoad({ urls: [server.url], traffic });
        ledger.add(traffic, sent);
        const startMs = monotonicMs();
        await jobs?.whenDone();
        const waited_s = (monotonicMs() - startMs) / 1e3;
        return { units: countUnits(sent, traffic), seconds: seconds + waited_s, ...latencies };
      },
      check: () => ledger.check((id) => readTotal(server.url, id)),
      close: async () => {
        await jobs?.close();
        await Promise.all([server.stop(), worker?.stop()]);
      },
    };
  },
});

/** Jobs of events that have not been evaluated yet. */
class JobCount {
  readonly #queue: Queue;
  readonly #connection: Redis;

  constructor(redisUrl: string) {
    this.#connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
    this.#queue = new Queue(EVENTS_QUEUE, { connection: this.#connection });
  }

  /** @throws Error if a job has failed */
  async whenDone(): Promise<void> {
    for (;;) {
      const { failed, ...open } = await this.#queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
      if (failed) throw new Error(`${failed} jobs have failed`);
      if (Object.values(open).every((count) => count === 0)) return;
      await sleep(POLL_MS);
    }
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#connection.disconnect();
  }
}

async function readTotal(url: string, userId: string): Promise<number> {
  const response = await fetch(`${url}/users/${userId}/total`);
  return ((await response.json()) as { total: number }).total;
}

export const peerScenarios: Scenario[] = PEERS.map(peerScenario);
