import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { API_KEY } from './server.ts';

/** Sends bytes on a connection of its own, and returns all that comes back until it closes or nothing comes for `quietMs`. */
export function sendRaw(url: string, bytes: string | Buffer, quietMs = 500): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

/** Status lines in what came back. */
export const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));

/** A request to record an event of value 1, as text that can be spoilt. */
export function eventText(userId: string, headers = ''): string {
  const body = `{"user":{"id":"${userId}"},"value":1}`;
  return (
    `POST /v1/metrics/lessons/event HTTP/1.1\r\nHost: laurel\r\nX-API-KEY: ${API_KEY}\r\n${headers}` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}

export const gzip = (body: object): Uint8Array => new Uint8Array(gzipSync(JSON.stringify(body)));
