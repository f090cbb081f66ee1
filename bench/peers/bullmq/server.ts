import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { readTotal } from '../recordWithMulti.ts';
import { servePeer } from '../serve.ts';
import { EVENTS_QUEUE } from './queue.ts';

/** BullMQ: the server adds one job for each event; worker.ts evaluates it later. */
const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true, keyPrefix: 'bullmq:' });
const connection = new Redis(process.env.REDIS_URL!, { maxRetriesPerRequest: null });
const queue = new Queue(EVENTS_QUEUE, { connection });

servePeer({
  recordEvent: async (event) => {
    const { id } = await queue.add('event', event, {
      removeOnComplete: true,
      // BullMQ adds a job once for each id.
      ...(event.idempotencyKey !== undefined && { jobId: `${event.user.id}-${event.idempotencyKey}` }),
    });
    return { id };
  },
  readTotal: (userId) => readTotal(redis, userId),
});
