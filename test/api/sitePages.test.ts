import { expect, test } from 'vitest';
import { LAST, rawRequest, sendRaw } from '../support/rawHttp.ts';
import { useServer } from '../support/useServer.ts';

/** What holds with and without the site, which `npm run site` builds. */
const server = useServer();

const get = async (path: string) => {
  const response = await fetch(server.url + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('the OpenAPI document is served without a key', async () => {
  const { status, headers, text } = await get('/openapi.json');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json');
  expect(JSON.parse(text)).toMatchObject({
    openapi: '3.1.0',
    paths: { '/v1/metrics/{key}/event': { post: {} } },
  });
});

test('/docs leads to the folder, whose page is there in any case', async () => {
  const response = await fetch(`${server.url}/docs`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/']);
  const { status, headers, text } = await get('/docs/');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  expect(text).toMatch(/<h1[^>]*>Documentation/);
});

test.each(['/docs/nothing.js', '/docs/nothing', '/docs/assets/', '/docs/site.tar'])(
  '%s does not exist',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test.each(['/docs/../src/main.js', '/docs/assets/../../console/index.html', '/docs/%2e%2e/src/main.js'])(
  '%s leads out of the folder and is not found',
  async (path) => {
    const reply = await sendRaw(server.url, rawRequest('GET', path, LAST, null));
    expect(reply).toMatch(/^HTTP\/1\.1 404 /);
  },
);
