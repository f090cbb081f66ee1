import { AdjustableClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool } from '../../src/db/pool.ts';
import { exitWithParent, reportReady } from '../../src/embedded/child.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { SharedClock } from '../../src/redis/state/sharedClock.ts';
import { Relay } from '../../workers/relay/relay.ts';
import { END_AFTER_COMMIT } from './processes.ts';

/** A relay takes over soon what a killed one has read. */
const TAKE_OVER_IDLE_MS = 500;

/** The relay of a world as a process of its own, on the stores that the environment names. */
const log = createLog('test', 'silent');
const waitReplicas = Number(process.env.LAUREL_REDIS_WAIT_REPLICAS ?? 0);
const redis = connectRedis(process.env.REDIS_URL!, log, { waitReplicas });
await whenReady(redis);
const pool = createPool(process.env.DATABASE_URL!, log);
const clock = new AdjustableClock();
await new SharedClock(clock, redis).follow();
const cells = (await readCells(pool))!;
new Relay({ pool, redis, clock, log, cells, takeOverIdleMs: TAKE_OVER_IDLE_MS }).start();
process.once(END_AFTER_COMMIT, () => {
  Scripts.prototype.acknowledge = () => {
    process.kill(process.pid, 'SIGKILL');
    return Promise.resolve(0);
  };
});
exitWithParent(() => process.exit());
reportReady();
