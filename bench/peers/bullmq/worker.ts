import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { recordWithMulti } from '../recordWithMulti.ts';
import type { PeerEvent } from '../serve.ts';
import { EVENTS_QUEUE } from './queue.ts';

const CONCURRENCY = 100;

const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true, keyPrefix: 'bullmq:' });
const connection = new Redis(process.env.REDIS_URL!, { maxRetriesPerRequest: null });
const worker = new Worker<PeerEvent>(EVENTS_QUEUE, ({ data }) => recordWithMulti(redis, data), {
  connection,
  concurrency: CONCURRENCY,
});
await worker.waitUntilReady();
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
