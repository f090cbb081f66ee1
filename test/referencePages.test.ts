import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

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

test('the reference and all its parts come from the service itself', async () => {
  const { status, headers, text } = await get('/docs');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/html/);
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
  const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  expect(parts.length).toBeGreaterThan(4);
  for (const path of parts) {
    expect(path).toMatch(/^\/docs\//);
    const part = await get(path);
    expect(part.status).toBe(200);
    expect(part.headers.get('content-type')).toMatch(/^(text\/css|text\/javascript|image\/png)/);
    expect(part.text.length).toBeGreaterThan(100);
  }
  expect((await get('/docs/reference.js')).text).toContain("url: '/openapi.json'");
  expect((await get('/docs/nothing.js')).status).toBe(404);
});
