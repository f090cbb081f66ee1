import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import type { Child } from '../bench.ts';
import type { Traffic } from '../load/traffic.ts';
import type { Running } from '../scenario.ts';
import type { Target } from '../target.ts';
import { runOnce } from './closedLoop.ts';
import { usualEvents } from './requests.ts';

const POLL_MS = 20;
/** Rare enough to cost little beside the load. */
const WATCH_MS = 250;
/** Instead of the number of a round. */
const WARM_UP = -1;

/**
 * Traffic while a worker relays its events. The worker runs in these rounds only. Each time, it first relays
 * a load that does not count: V8 has not compiled the code of a new process yet, which would cost twice as
 * much for each event as the work itself.
 */
export async function besideWorker(target: Target, traffic: Traffic): Promise<Running> {
  const { bench, ledger } = target;
  const database = new pg.Client({ connectionString: bench.databaseUrl });
  await database.connect();
  database.on('error', () => {});
  let worker: Child | null = null;
  let [sentBefore, relayedBefore] = [0, 0];
  return {
    processes: () => ({ worker: worker === null ? [] : [worker.pid] }),
    begin: async () => {
      worker = await bench.start('worker');
      await runOnce(target, traffic, WARM_UP);
      await whenRelayed(target);
      relayedBefore = await countEvents(database);
      sentBefore = ledger.events;
    },
    run: async (round) => {
      const load = runOnce(target, traffic, round);
      const [result, relayLag_s] = await Promise.all([load, watchLag(target, load)]);
      await whenRelayed(target);
      return { ...result, relayLag_s };
    },
    end: async () => {
      await worker?.stop();
      const relayed = (await countEvents(database)) - relayedBefore;
      const sent = ledger.events - sentBefore;
      if (relayed !== sent) throw new Error(`${sent} events were sent, ${relayed} are in PostgreSQL`);
    },
    check: () => target.check(),
    close: async () => {
      await Promise.all([worker?.stop(), database.end()]);
    },
  };
}

export const eventsBesideWorker = async (target: Target): Promise<Running> =>
  besideWorker(target, await usualEvents(target));

/** Age of the oldest change that waited for the relay while the load ran, s. */
async function watchLag({ bench }: Target, load: Promise<unknown>): Promise<number> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  load.then(end, end);
  let lag_s = 0;
  while (!isOver) {
    const { oldestMs } = await bench.lag();
    if (oldestMs !== null) lag_s = Math.max(lag_s, (systemClock.now() - oldestMs) / 1e3);
    await sleep(WATCH_MS);
  }
  return lag_s;
}

async function whenRelayed({ bench }: Target): Promise<void> {
  while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
}

async function countEvents(database: pg.Client): Promise<number> {
  const { rows } = await database.query('select count(*)::int as events from event_history');
  return rows[0].events;
}
