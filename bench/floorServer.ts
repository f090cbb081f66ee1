import uWS from 'uWebSockets.js';
import { Redis } from 'ioredis';

/**
 * The floor: a server that reads the JSON body and makes one trivial script call, with the same libraries and
 * the same Redis. No service with these parts that calls Redis for each request can be faster.
 */
const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true });
redis.defineCommand('bump', { lua: "return redis.call('INCR', KEYS[1])", numberOfKeys: 1 });
const bump = (redis as unknown as { bump(key: string): Promise<number> }).bump.bind(redis);

uWS
  .App()
  .post('/*', (res) => {
    let aborted = false;
    res.onAborted(() => {
      aborted = true;
    });
    let text = '';
    res.onData((chunk, isLast) => {
      text += Buffer.from(chunk).toString();
      if (!isLast) return;
      const { user } = JSON.parse(text) as { user: { id: string } };
      void bump(`floor:${user.id}`).then((total) => {
        if (aborted) return;
        res.cork(() => {
          res
            .writeStatus('201 Created')
            .writeHeader('Content-Type', 'application/json')
            .end(JSON.stringify({ total }));
        });
      });
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    process.send?.({ ready: true, url: `http://127.0.0.1:${uWS.us_socket_local_port(socket)}` });
  });

process.on('disconnect', () => process.exit(0));
