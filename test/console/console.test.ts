import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { createLink } from '../support/consoleBrowser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** What the service serves of the console, without a browser. */
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

test('the page, its parts and every address below it come from the service, under a strict policy', async () => {
  for (const path of ['/console', '/console/users/ada', '/']) {
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain('unsafe');
    const parts = [...(await response.text()).matchAll(/(?:src|href)="(\/console\/assets[^"]+)"/g)].map(
      ([, part]) => part!,
    );
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) expect((await fetch(server.url + part)).status).toBe(200);
  }
  expect((await fetch(`${server.url}/console/assets/nothing.js`)).status).toBe(404);
  expect((await fetch(`${server.url}/console`, { method: 'HEAD' })).status).toBe(200);
});

test('scripts have at most 150 kB, compressed', () => {
  const folder = join(packageRoot(), 'dist', 'console', 'assets');
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const bytes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(150_000);
});

describe('the one-time link', () => {
  const exchange = (body: unknown) =>
    fetch(`${server.url}/console/session`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  test('is exchanged once for a session', async () => {
    const link = (await createLink(server)).split('#link=')[1]!;
    const first = await exchange({ link });
    expect(first.status).toBe(201);
    const [cookie] = first.headers.get('set-cookie')!.split(';');
    const headers = { Cookie: cookie!, 'X-Requested-With': 'console' };
    expect((await fetch(`${server.url}/admin/v1/settings`, { headers })).status).toBe(200);
    const second = await exchange({ link });
    expect(second.status).toBe(403);
    expect(await second.text()).toContain('was used already or has expired');
  });

  test('is refused if it was never made, and anything else is no link', async () => {
    expect((await exchange({ link: 'guessed' })).status).toBe(403);
    expect((await exchange({ link: 7 })).status).toBe(422);
    expect((await exchange({})).status).toBe(401);
    expect((await exchange('no JSON')).status).toBe(400);
  });
});
