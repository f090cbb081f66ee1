import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/client.ts';
import { Relay } from '../../workers/relay/relay.ts';
import { CELLS } from './recorder.ts';

/**
 * A relay in a process of its own, so that its CPU time can be told from that of the load. It obeys messages: `drain` empties the
 * outboxes, `start` relays until `stop`. Each is answered with the CPU time (µs) that the process has used since its start.
 */
const log = createLog('bench', 'warn');
const pool = createPool(process.env.DATABASE_URL!, log);
const redis = connectRedis(process.env.REDIS_URL!, log);
await whenReady(redis);
let relay = createRelay();

function createRelay(): Relay {
  return new Relay({ pool, redis, clock: systemClock, log, cells: CELLS });
}

const ORDERS: Record<string, () => Promise<void>> = {
  drain: async () => {
    while ((await relay.runOnce()) > 0);
  },
  start: async () => relay.start(),
  stop: async () => {
    await relay.stop();
    relay = createRelay();
  },
};

process.on('message', (order: string) => {
  void ORDERS[order]!().then(() => {
    const { user, system } = process.cpuUsage();
    process.send!({ cpu_us: user + system });
  });
});
process.on('disconnect', () => process.exit());
process.send!({ cpu_us: 0 });
