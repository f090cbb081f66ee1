import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { chromiumProgram, launchBrowser, openTab } from '../support/consoleBrowser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** The built client in a page of another origin, whose backend signs tokens. */

const SECRET = 'the-secret-of-this-installation-0123';
const CLIENT = join(packageRoot(), 'clients/typescript/dist');

const APP = `<!doctype html><title>App</title><script type="module">
  import { createClient } from '/index.js';
  globalThis.createClient = createClient;
</script>`;

let tokens = 0;
let page: Server;
let server: TestServer;
let browser: Browser;

/** The first token has expired already. */
const sign = (): Promise<string> =>
  new SignJWT({ scope: 'read events' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('ada')
    .setExpirationTime(tokens++ === 0 ? '-1s' : '1h')
    .sign(Buffer.from(SECRET));

beforeAll(async () => {
  page = createServer(async (request, response) => {
    const path = request.url!;
    if (path === '/token') response.end(await sign());
    else if (path.endsWith('.js'))
      response.setHeader('Content-Type', 'text/javascript').end(await readFile(join(CLIENT, path)));
    else response.setHeader('Content-Type', 'text/html').end(APP);
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  server = await startTestServer({
    config: 'test/support/application.yaml',
    env: { LAUREL_USER_TOKEN_SECRET: SECRET, LAUREL_CORS_ORIGINS: originOf(page) },
  });
  if (chromiumProgram) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
  await new Promise((resolve) => page.close(resolve));
});

const originOf = (from: Server): string => `http://127.0.0.1:${(from.address() as AddressInfo).port}`;

test.skipIf(!chromiumProgram)('a page renews its token unnoticed, records events and watches', async () => {
  const { page: tab } = await openTab(browser);
  await tab.goto(originOf(page));
  const seen = await tab.evaluate(async (url) => {
    // biome-ignore lint/suspicious/noExplicitAny: the compiler checks its types in client.test.ts
    const { createClient } = globalThis as any;
    const getToken = async (): Promise<string> => (await fetch('/token')).text();
    const laurel = createClient({ url, getToken });
    const event = (value: number) =>
      laurel.recordEvents({ path: { key: 'lessons' }, body: { user: { id: 'ada' }, value } });
    const { total } = await event(1);
    const scores: number[] = [];
    await new Promise<void>((resolve) => {
      const stop = laurel.watchLeaderboard('lessons', {
        onChange: ({ rankings }: { rankings: { value: number }[] }) => {
          scores.push(rankings[0]!.value);
          if (scores.length === 1) void event(2);
          if (scores.at(-1) !== 3) return;
          stop();
          resolve();
        },
      });
    });
    const refused = await laurel
      .getUser({ path: { id: 'bob' } })
      .catch((error: { code: string }) => error.code);
    return { total, scores, refused };
  }, server.url);
  expect(seen).toEqual({ total: 1, scores: [1, 3], refused: 'forbidden' });
  expect(tokens).toBe(2);
});
