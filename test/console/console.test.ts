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

test('scripts have at most 160 kB, compressed, and those of the first screen 80 kB', () => {
  const folder = join(packageRoot(), 'dist', 'console', 'assets');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const sizeOf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
  expect(sizeOf(scripts)).toBeLessThan(160_000);

  const needed = new Set(scripts.filter((name) => /^(index|Overview)-/.test(name)));
  for (const name of needed)
    for (const [, other] of read(name).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) needed.add(other!);
  expect(needed.size).toBeGreaterThan(2);
  expect(sizeOf(needed)).toBeLessThan(80_000);
  // Its forms come from the schemas, as JSON.
  expect(scripts.filter((name) => /~kind|typebox/i.test(read(name)))).toEqual([]);
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
