import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { API_KEY } from './server.ts';
import { WAIT_MS } from './until.ts';

export interface RawReply {
  status: number;
  headers: string;
  body: string;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** A request as its bytes; names and values are written as they are. */
export function rawRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer | null,
): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === null ? '' : `Content-Length: ${body.length}\r\n`;
  const head = Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: laurel\r\n${lines.join('')}${length}\r\n`,
    'latin1',
  );
  return body === null ? head : Buffer.concat([head, body]);
}

/**
 * Sends bytes on a connection of its own, and returns all that comes back until the server closes it: at once
 * if the last request says `Connection: close`, else after about 10 s without a request.
 * @throws Error if it does not
 */
export function sendRaw(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(WAIT_MS, () => {
      reject(new Error(`the server has not closed the connection: ${received}`));
      socket.destroy();
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

/** Of the last request on a connection, which the server then closes. */
export const LAST = { Connection: 'close' };

/** A request for the health of a server, with these header lines. */
export const healthText = (headers: string): string => `GET /healthz HTTP/1.1\r\n${headers}\r\n`;

/** Status lines in what came back. */
export const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));

/** A request to record an event of value 1, as text that can be spoilt. */
export function eventText(userId: string, headers: Record<string, string> = {}): string {
  const body = Buffer.from(`{"user":{"id":"${userId}"},"value":1}`);
  return rawRequest('POST', '/v1/metrics/lessons/event', { 'X-API-KEY': API_KEY, ...headers }, body).toString(
    'latin1',
  );
}

export const gzip = (body: object): Uint8Array => new Uint8Array(gzipSync(JSON.stringify(body)));

/**
 * One connection that carries one request after the other, and is made anew when the server has closed it.
 * Not for two requests at once.
 */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends the pieces in order, each in a segment of its own.
   * @returns null when the server closed the connection without an answer
   * @throws Error when no answer comes in time
   */
  send(pieces: Buffer[], waitMs = WAIT_MS): Promise<RawReply | null> {
    const socket = this.#usable();
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const timer = setTimeout(
        () => settle(() => reject(new Error(`no answer within ${waitMs} ms`))),
        waitMs,
      );
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('close');
        how();
      };
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        const reply = parseReply(received);
        if (reply === null) return;
        // A stream of events has no end, and after an error the server closes.
        if (!/^content-length: /im.test(reply.headers) || /^connection: close/im.test(reply.headers))
          this.close();
        settle(() => resolve(reply));
      });
      socket.once('close', () => {
        this.#socket = null;
        settle(() => resolve(null));
      });
      writeAll(socket, pieces);
    });
  }

  /** Sends the first bytes of a request and goes, orderly or by a reset. */
  static hangUp(port: number, bytes: Buffer, isReset: boolean): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {}).once('close', () => resolve());
      socket.resume();
      const leave = (): unknown => (isReset ? socket.resetAndDestroy() : socket.destroy());
      socket.once('connect', () => (bytes.length === 0 ? leave() : socket.write(bytes, leave)));
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #usable(): Socket {
    if (this.#socket === null || this.#socket.destroyed) {
      this.#socket = connect(this.#port, '127.0.0.1').setNoDelay(true);
      this.#socket.on('error', () => {});
    }
    return this.#socket;
  }
}

function writeAll(socket: Socket, [piece, ...rest]: Buffer[]): void {
  if (piece === undefined || socket.destroyed) return;
  socket.write(piece, () => setImmediate(() => writeAll(socket, rest)));
}

/** null while it is not complete. */
function parseReply(received: Buffer): RawReply | null {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = received.toString('latin1', 0, end);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const bodyStart = end + HEAD_END.length;
  if (received.length < bodyStart + length) return null;
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)![1]);
  return { status, headers: head, body: received.toString('utf8', bodyStart, bodyStart + length) };
}
