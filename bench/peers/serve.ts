import uWS, { type HttpResponse } from 'uWebSockets.js';

/** An event as all peers take it: the body of laurel's own route. */
export interface PeerEvent {
  user: { id: string; name?: string; email?: string; tz?: string };
  value: number;
  idempotencyKey?: string;
}

export interface PeerRoutes {
  recordEvent(event: PeerEvent): Promise<object>;
  readTotal(userId: string): Promise<number>;
}

/** Serves a peer with uWebSockets.js, and tells the benchmark when it is ready. */
export function servePeer({ recordEvent, readTotal }: PeerRoutes): void {
  uWS
    .App()
    .post('/v1/metrics/:metric/event', (res) => {
      const send = answerTo(res);
      let text = '';
      res.onData((chunk, isLast) => {
        text += Buffer.from(chunk).toString();
        if (isLast)
          recordEvent(JSON.parse(text) as PeerEvent).then((body) => send('201 Created', body), refuse(send));
      });
    })
    .get('/users/:id/total', (res, req) => {
      const send = answerTo(res);
      readTotal(req.getParameter(0)!).then((total) => send('200 OK', { total }), refuse(send));
    })
    .listen('127.0.0.1', 0, (socket) => {
      process.send?.({ ready: true, url: `http://127.0.0.1:${uWS.us_socket_local_port(socket)}` });
    });
  process.on('disconnect', () => process.exit(0));
}

type Send = (status: string, body: object) => void;

function answerTo(res: HttpResponse): Send {
  let isAborted = false;
  res.onAborted(() => {
    isAborted = true;
  });
  return (status, body) => {
    if (isAborted) return;
    res.cork(() => {
      res.writeStatus(status).writeHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    });
  };
}

const refuse =
  (send: Send) =>
  (error: Error): void => {
    process.stderr.write(`${error.stack}\n`);
    send('503 Service Unavailable', { error: 'unavailable' });
  };
