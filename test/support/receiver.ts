import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that arrived. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every type
  body: any;
  /** Monotonic ms. */
  atMs: number;
}

/** How a receiver answers; by default 200. */
export type Answer = (received: Received, res: ServerResponse) => void;

export interface Receiver {
  url: string;
  received: Received[];
  /** Answers requests of this path from now on. */
  on(path: string, answer: Answer): void;
  of(path: string): Received[];
  close(): Promise<void>;
}

/** An HTTP server on this machine that remembers what it gets. */
export async function startReceiver(): Promise<Receiver> {
  const answers = new Map<string, Answer>();
  const received: Received[] = [];
  const server: Server = createServer((req, res) => {
    read(req).then(
      (text) => {
        const path = req.url!;
        const atMs = performance.now();
        const item = { path, headers: req.headers, text, body: text === '' ? null : JSON.parse(text), atMs };
        received.push(item);
        const answer = answers.get(path) ?? ((_received, response) => void response.end('ok'));
        answer(item, res);
      },
      () => {},
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    on: (path, answer) => void answers.set(path, answer),
    of: (path) => received.filter((item) => item.path === path),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
