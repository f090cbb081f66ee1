import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { readTotal, recordWithMulti } from '../recordWithMulti.ts';
import type { PeerEvent } from '../serve.ts';

/** Fastify and ioredis: one read and one MULTI for each event. */
const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true, keyPrefix: 'fastify:' });
const app = Fastify();

const event = {
  type: 'object',
  required: ['user', 'value'],
  properties: {
    user: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        email: { type: 'string' },
        tz: { type: 'string' },
      },
    },
    value: { type: 'number' },
  },
};

app.post<{ Body: PeerEvent }>(
  '/v1/metrics/:metric/event',
  { schema: { body: event } },
  async (request, reply) => {
    reply.code(201);
    return recordWithMulti(redis, request.body);
  },
);
app.get<{ Params: { id: string } }>('/users/:id/total', async ({ params }) => ({
  total: await readTotal(redis, params.id),
}));

process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true, url: await app.listen({ host: '127.0.0.1', port: 0 }) });
