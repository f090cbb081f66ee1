import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVERY_KIND } from '../support/everyKind.ts';
import { Pools } from '../support/fuzz/pools.ts';
import { type FuzzRequest, makeRequest } from '../support/fuzz/requests.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { readSeed } from '../support/random.ts';
import { RawConnection, type RawReply, rawRequest } from '../support/rawHttp.ts';
import { departure } from '../support/responseCheck.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { useDirectory } from '../support/useDirectory.ts';

/**
 * Requests of all kinds over all routes, with keys and tenants that are valid: whatever comes, the server
 * answers as its contract says, without a 500, and lives on. LAUREL_FUZZ_REQUESTS sets their number.
 */
const SEED = readSeed('fuzz', 20_261_121);
const REQUESTS = Number(process.env.LAUREL_FUZZ_REQUESTS ?? 1_000);
const CONNECTIONS = 8;
/** Requests between two looks at what exists and at how much memory the server takes. */
const ROUND = 1_000;
/** How long to wait for an answer to a head that is no HTTP: uWebSockets.js may wait for more of it. */
const ODD_MS_MAX = 1_000;
const MEMORY_GROWTH_MAX = 1.3;
const MEMORY_SLACK_BYTES = 64 * 1024 * 1024;

const CONFIG = { ...EVERY_KIND, metrics: [...EVERY_KIND.metrics, { key: 'minutes', name: 'Minutes' }] };

const dataDir = useDirectory();
let installation: Installation;
let pools: Pools;
let port: number;
let serverPid: number;

beforeAll(async () => {
  installation = await startInstallation(dataDir, { LAUREL_CONFIG: 'none', LOG_LEVEL: 'error' });
  port = Number(new URL(installation.url).port);
  serverPid = await installation.pidOf('server');
  pools = new Pools(installation.url);
  await pools.fill(CONFIG);
});
afterAll(() => installation?.stop());

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${serverPid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;
}

/** The server is the one that was started, and records an event. */
async function assertAlive(): Promise<void> {
  expect(await installation.pidOf('server')).toBe(serverPid);
  const reply = await callApi(
    `${installation.url}/v1/users/alive`,
    'PUT',
    { name: 'Alive' },
    { 'Tenant-ID': 'two' },
  );
  expect(reply).toMatchObject({ status: 200, body: { id: 'alive' } });
}

/** Refused by the HTTP parser before any route sees it, so no contract describes the answer. */
const OF_PARSER = new Set([400, 431, 505]);

/** What is wrong with an answer; null when it is as it should be. */
function faultOf({ method, path, isOddHead }: FuzzRequest, reply: RawReply | null): string | null {
  if (reply === null) return isOddHead ? null : 'the connection was closed without an answer';
  const { status, headers, body } = reply;
  if (status >= 500 && status !== 503 && !(isOddHead && OF_PARSER.has(status)))
    return `answered ${status}: ${body}`;
  if (!/^content-type: application\/json/im.test(headers)) {
    const isOther = /^content-type: (text\/(event-stream|csv)|application\/yaml)/im.test(headers);
    return isOther || status === 204 || (isOddHead && OF_PARSER.has(status)) ? null : `no JSON: ${headers}`;
  }
  return departure(method, path, status, JSON.parse(body));
}

/** Requests whose every byte matters: the longer parts of a URL, headers and a body in one segment. */
function samples(): Buffer[] {
  const headers = { 'X-API-KEY': API_KEY, 'Tenant-ID': 'one', 'Content-Type': 'application/json' };
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const event = { user: { id: 'user-1' }, value: 0 };
  return [
    rawRequest('POST', '/v1/metrics/lessons/event', headers, json(event)),
    rawRequest(
      'POST',
      '/admin/v1/metrics/events?results=true',
      headers,
      json([{ key: 'lessons', ...event }]),
    ),
    rawRequest('PUT', '/v1/users/user-1', headers, json({ name: 'Zoë 🎉' })),
    rawRequest('GET', '/v1/users/user-1/points/xp?awards=5', headers, null),
    rawRequest('PATCH', '/admin/v1/settings', headers, json({ experimentation: { controlRatio: 0 } })),
  ];
}

test('a request that is cut in two at any byte is answered like a whole one', async () => {
  for (const [index, sample] of samples().entries()) {
    const connection = new RawConnection(port);
    const whole = await connection.send([sample]);
    expect(whole!.status, `sample ${index}: ${whole!.body}`).toBeLessThan(300);
    const lineEnd = sample.indexOf('\r\n');
    for (let at = 1; at < sample.length; at++) {
      const reply = await connection.send([sample.subarray(0, at), sample.subarray(at)]);
      // uWebSockets.js refuses a request whose first segment ends within the request line, and closes.
      const isRefused = reply?.status === 505 && at <= lineEnd + 1;
      if (!isRefused) expect([index, at, reply?.status]).toEqual([index, at, whole!.status]);
    }
    connection.close();
  }
});

test(
  `${REQUESTS} requests of all kinds are answered as the contract says, and memory stays flat`,
  async () => {
    const faults: string[] = [];
    const statuses = new Map<number | 'closed', number>();
    const resident: number[] = [];
    let next = 0;
    const runClient = async (end: number): Promise<void> => {
      const connection = new RawConnection(port);
      while (next < end) {
        const number = next++;
        const request = makeRequest(SEED, number, pools);
        const reply = await connection
          .send([request.bytes], request.isOddHead ? ODD_MS_MAX : undefined)
          .catch((error: Error) => error);
        const fault =
          reply instanceof Error ? (request.isOddHead ? null : reply.message) : faultOf(request, reply);
        const status = reply instanceof Error || reply === null ? 'closed' : reply.status;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (fault !== null)
          faults.push(`request ${number}: ${fault}\n${request.bytes.toString('latin1', 0, 1_500)}`);
        if (reply instanceof Error) connection.close();
      }
      connection.close();
    };
    while (next < REQUESTS && faults.length < 20) {
      await pools.refresh();
      const end = Math.min(next + ROUND, REQUESTS);
      await Promise.all(Array.from({ length: CONNECTIONS }, () => runClient(end)));
      await assertAlive();
      resident.push(await residentBytes());
    }
    console.log(
      `fuzz: ${JSON.stringify(Object.fromEntries(statuses))}, MB: ${resident.map((bytes) => Math.round(bytes / 1e6))}`,
    );
    expect(faults.join('\n\n')).toBe('');
    const middle = resident[Math.floor(resident.length / 2)]!;
    expect(resident.at(-1)!).toBeLessThan(middle * MEMORY_GROWTH_MAX + MEMORY_SLACK_BYTES);
    expect(installation.output()).not.toMatch(/"level":(50|60)|unhandled|uncaught/i);
  },
  120_000 + REQUESTS * 100,
);

test('clients that hang up after any byte do no harm', async () => {
  for (const sample of samples()) {
    const lengths = Array.from({ length: sample.length + 1 }, (_, length) => length);
    for (const isReset of [false, true]) {
      for (let at = 0; at < lengths.length; at += CONNECTIONS) {
        const part = lengths.slice(at, at + CONNECTIONS);
        await Promise.all(
          part.map((length) => RawConnection.hangUp(port, sample.subarray(0, length), isReset)),
        );
      }
    }
  }
  await assertAlive();
  expect(installation.output()).not.toMatch(/"level":(50|60)|unhandled|uncaught/i);
});
