import { expect, test } from 'vitest';
import { healthText, rawRequest, sendRaw, statuses } from '../support/rawHttp.ts';
import { useServer } from '../support/useServer.ts';

/** Connections on which no request comes, or one that cannot be parsed. The server waits for more, then closes. */

const MANY = Array.from({ length: 200 }, (_, i) => `X-${i}: v\r\n`).join('');

const server = useServer();

/** The builds of uWebSockets.js for some versions of Node say why they close; the others are silent. */
const isRefusal = (received: string): boolean =>
  received === '' || [400, 431].includes(statuses(received)[0]!);

test('a request is closed if it has NUL in a header, no header, 200 headers or no end, and delays no other', async () => {
  const silent = ['Host: x\r\nX-A: b\0c\r\n', 'Host: x\r\nX-\0A: b\r\n', `Host: x\r\n${MANY}`];
  const unfinished = ['', healthText('').slice(0, -2)];
  const texts = [...[...silent, ''].map(healthText), ...unfinished];
  const closed = Promise.all(texts.map((text) => sendRaw(server.url, text)));
  expect(statuses(await sendRaw(server.url, healthText('Host: x\r\nConnection: close\r\n')))).toEqual([200]);
  expect((await closed).filter((received) => !isRefusal(received))).toEqual([]);
});

test.each(['GET', 'HEAD'])('a connection on which nothing follows a %s is closed', async (method) => {
  const received = await sendRaw(server.url, rawRequest(method, '/healthz', {}, null));
  expect(statuses(received)).toEqual([200]);
});
