import { expect, test } from 'vitest';
import { healthText, sendRaw, statuses, untilClosed } from '../support/rawHttp.ts';
import { useServer } from '../support/useServer.ts';

/** Requests that cannot be parsed, on which the server may wait for more before it closes the connection. */

const MANY = Array.from({ length: 200 }, (_, i) => `X-${i}: v\r\n`).join('');

const server = useServer();

/** The builds of uWebSockets.js for some versions of Node say why they close; the others are silent. */
const isRefusal = (received: string): boolean =>
  received === '' || [400, 431].includes(statuses(received)[0]!);

test('a request is closed if it has NUL in a header, no header, 200 headers or no end, and delays no other', async () => {
  const silent = ['Host: x\r\nX-A: b\0c\r\n', 'Host: x\r\nX-\0A: b\r\n', `Host: x\r\n${MANY}`];
  const unfinished = ['', healthText('').slice(0, -2)];
  const texts = [...[...silent, ''].map(healthText), ...unfinished];
  const closed = Promise.all(texts.map((text) => untilClosed(server.url, text)));
  expect(statuses(await sendRaw(server.url, healthText('Host: x\r\n')))).toEqual([200]);
  expect((await closed).filter((received) => !isRefusal(received))).toEqual([]);
});
