import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromiumProgram, launchBrowser, openTab, sayIfSkipped } from '../support/consoleBrowser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** What the newest official client says of itself in every call. */
const CLIENT_HEADERS = {
  'x-fern-language': 'JavaScript',
  'x-fern-runtime': 'browser',
  'x-fern-runtime-version': '156',
  'x-sdk-version': '1.0.42',
};
sayIfSkipped('test/clients/browser.test.ts');

let server: TestServer;
let page: Server;
let browser: Browser;

beforeAll(async () => {
  if (chromiumProgram === null) return;
  page = createServer((_request, response) => response.end('<!doctype html><title>app</title>')).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => page.once('listening', resolve));
  server = await startTestServer({ env: { LAUREL_CORS_ORIGINS: originOfPage() } });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  page?.close();
  await server?.stop();
});

const originOfPage = (): string => `http://127.0.0.1:${(page.address() as AddressInfo).port}`;

test.skipIf(chromiumProgram === null)(
  'a page of an allowed origin calls the API with the headers of the official client',
  async () => {
    const created = await server.call('POST', '/admin/v1/application-api-keys', [{ userId: 'browser' }]);
    const headers = {
      ...CLIENT_HEADERS,
      'X-API-KEY': created.body.created[0].key,
      'Content-Type': 'application/json',
    };
    const { page: tab } = await openTab(browser);
    await tab.goto(originOfPage());
    const answer = await tab.evaluate(
      async ({ url, headers }) => {
        const body = JSON.stringify({ user: { id: 'browser' }, value: 1 });
        const response = await fetch(`${url}/v1/metrics/lessons/event`, { method: 'POST', headers, body });
        return { status: response.status, body: await response.json() };
      },
      { url: server.url, headers },
    );
    expect(answer).toMatchObject({ status: 201, body: { total: 1 } });
  },
);
