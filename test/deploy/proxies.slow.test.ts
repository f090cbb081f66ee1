import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { findOnPath } from '../../src/embedded/commands.ts';
import { freePort } from '../support/installation.ts';
import { eventText, LAST, sendRaw, statuses } from '../support/rawHttp.ts';
import { haproxyConfig } from '../support/rolling/haproxy.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** The examples of deploy/ as an operator would use them, with the ports of this test. */
const PROXIES: Record<string, (directory: string, port: number, serverPort: string) => string[]> = {
  nginx: (directory, port, serverPort) => {
    const example = readExample('nginx/laurel.conf')
      .replace('127.0.0.1:3000', `127.0.0.1:${serverPort}`)
      .replace('listen 80', `listen 127.0.0.1:${port}`)
      .replaceAll('timeout 10s', 'timeout 1s');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${directory};`,
    );
    const file = join(directory, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; pid ${directory}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')} ${example} }`,
    );
    return ['-c', file, '-p', directory];
  },
  haproxy: (directory, port, serverPort) => {
    const file = join(directory, 'haproxy.cfg');
    writeFileSync(
      file,
      haproxyConfig(port, [Number(serverPort)]).replace('http-request 10s', 'http-request 1s'),
    );
    return ['-db', '-f', file];
  },
};

const readExample = (name: string): string => readFileSync(join(packageRoot(), 'deploy', name), 'utf8');

const server = useServer({
  env: { LAUREL_TRUST_PROXY: '1', LAUREL_USER_TOKEN_SECRET: 'x'.repeat(32), LAUREL_CORS_ORIGINS: '*' },
});

const totalOf = async (userId: string): Promise<number> => {
  const { status, body } = await server.call('GET', `/v1/users/${userId}/metrics/lessons`);
  return status === 404 ? 0 : body.current;
};

for (const [name, configure] of Object.entries(PROXIES)) {
  const program = findOnPath(name);
  if (program === null)
    console.log(`${name} is not installed: its tests are skipped (apt-get install ${name})`);

  describe.skipIf(program === null)(`behind ${name}`, () => {
    let directory: string;
    let proxy: ChildProcess;
    let url: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), `laurel-test-${name}-`));
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      const args = configure(directory, port, new URL(server.url).port);
      proxy = spawn(program!, args, { stdio: 'ignore' });
      await until(async () => (await callApi(`${url}/healthz`, 'GET')).status === 200);
    });

    afterAll(async () => {
      proxy.kill('SIGTERM');
      await rm(directory, { recursive: true, force: true });
    });

    test('pipelined events are all recorded and all answered', async () => {
      const user = `${name}-pipelined`;
      const received = await sendRaw(url, eventText(user) + eventText(user) + eventText(user, LAST));
      expect(statuses(received)).toEqual([201, 201, 201]);
      expect(await totalOf(user)).toBe(3);
    });

    // HAProxy passes the version on, nginx does not.
    test('an event in HTTP/1.0 is recorded, or refused with 505', async () => {
      const user = `${name}-old`;
      const recorded = name === 'nginx';
      const received = await sendRaw(url, eventText(user).replace('HTTP/1.1', 'HTTP/1.0'));
      expect(statuses(received)).toEqual([recorded ? 201 : 505]);
      expect(await totalOf(user)).toBe(recorded ? 1 : 0);
    });

    test('a request with two different Content-Length headers does not reach laurel, nor does what follows it', async () => {
      const user = `${name}-smuggled`;
      const smuggled = eventText(user);
      const carrier =
        `POST /v1/metrics/lessons/event HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${API_KEY}\r\nContent-Length: 0\r\n` +
        `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
      expect(statuses(await sendRaw(url, carrier))).toEqual([400]);
      expect(await totalOf(user)).toBe(0);
    });

    test.each([
      ['without a Host', (text: string) => text.replace('Host: laurel\r\n', '')],
      ['with a NUL in a header', (text: string) => text.replace('laurel\r\n', 'lau\0rel\r\n')],
      [
        'with both a length and chunks',
        (text: string) => text.replace('Content-', 'Transfer-Encoding: x\r\nContent-'),
      ],
    ])('a request %s is refused or dropped, and records nothing', async (what, spoil) => {
      const user = `${name}-${what.replaceAll(' ', '-')}`;
      const received = statuses(await sendRaw(url, spoil(eventText(user, LAST))));
      expect(received.filter((status) => status < 400)).toEqual([]);
      expect(await totalOf(user)).toBe(0);
    });

    test('a client that never finishes its request is cut off', async () => {
      const started = 'POST /v1/metrics/lessons/event HTTP/1.1\r\nHost: x\r\nX-Slow: ';
      const received = await sendRaw(url, started);
      expect(received === '' || statuses(received)[0] === 408).toBe(true);
    });

    test('a client cannot choose the address by which its wrong keys are counted', async () => {
      const withWrongKey = (address: string) =>
        callApi(`${url}/v1/leaderboards`, 'GET', undefined, {
          'X-API-KEY': 'wrong',
          'X-Forwarded-For': address,
        });
      let sent = 0;
      await until(async () => (await withWrongKey(`192.0.2.${sent++ % 250}`)).status === 429);
      // Each address was named once.
      expect(sent).toBeLessThanOrEqual(250);
    });

    test('texts of callers never make an answer that the proxy refuses', async () => {
      const long = 'a'.repeat(3_900);
      const header = Buffer.from(JSON.stringify({ alg: long })).toString('base64url');
      const clientHeaders = Array.from({ length: 40 }, (_, i) => `x-sdk-${i}-${'a'.repeat(40)}`).join(',');
      const document = (await server.call('GET', '/openapi.json')).body;
      const paths: [string, Record<string, unknown>][] = Object.entries(document.paths);
      for (const [path, methods] of paths) {
        const address = url + path.replaceAll(/\{\w+\}/g, 'x');
        for (const method of [...Object.keys(methods), 'options']) {
          if (method === 'parameters') continue;
          const { status } = await fetch(address, {
            method: method.toUpperCase(),
            headers: {
              Authorization: `Bearer ${header}.e30.x`,
              'X-Request-Id': long,
              Origin: `https://${'a'.repeat(2_000)}`,
              'Access-Control-Request-Method': 'POST',
              'Access-Control-Request-Headers': clientHeaders,
            },
          });
          expect(status, `${method} ${path}`).toBeLessThan(500);
        }
      }
      const event = { user: { id: `${name}-fields` }, value: 1, [long]: 1, ['ä'.repeat(999)]: 1 };
      const { status, headers } = await callApi(`${url}/v1/metrics/lessons/event`, 'POST', event);
      expect([status, headers.get('X-Ignored-Fields')]).toEqual([201, 'a'.repeat(200)]);
      expect((await callApi(`${url}/healthz`, 'GET')).status).toBe(200);
    });

    test('HEAD leaves the connection in order', async () => {
      const both =
        'HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const received = await sendRaw(url, both);
      expect(statuses(received)).toEqual([200, 200]);
      expect(received.match(/\{"status":"ok"\}/g)).toHaveLength(1);
    });
  });
}

test.skipIf(findOnPath('haproxy') === null).each(['servers.cfg', 'compose.cfg'])(
  'HAProxy accepts its example with %s as it stands',
  (backend) => {
    const files = ['haproxy.cfg', backend].flatMap((name) => [
      '-f',
      join(packageRoot(), 'deploy/haproxy', name),
    ]);
    expect(() => execFileSync('haproxy', ['-c', ...files])).not.toThrow();
  },
);
