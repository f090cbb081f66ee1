import { Agent, request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../src/server/startServer.ts';
import { RawConnection, rawRequest } from '../support/rawHttp.ts';
import { API_KEY, startAnotherServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const CONNECTIONS = 50;

const staying = useServer();
let leaving: RunningServer;

beforeAll(async () => {
  leaving = await startAnotherServer(staying, { LAUREL_DRAIN_SECONDS: '1' });
});

/** One event on the agent's connection. */
function send(url: string, agent: Agent, userId: string): Promise<{ status: number; closes: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-API-KEY': API_KEY, 'Content-Type': 'application/json' };
    const call = request(
      `${url}/v1/metrics/lessons/event`,
      { method: 'POST', agent, headers },
      (response) => {
        response.resume();
        response.on('end', () =>
          resolve({ status: response.statusCode!, closes: response.headers.connection === 'close' }),
        );
      },
    );
    call.on('error', reject);
    call.end(JSON.stringify({ user: { id: userId }, value: 1 }));
  });
}

test('a server that stops under load fails no request of clients that go elsewhere when their connection is closed', async () => {
  let recorded = 0;
  let moved = 0;
  const stopped = new AbortController();
  const clients = Array.from({ length: CONNECTIONS }, async (_, i) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let url = leaving.url;
    while (!stopped.signal.aborted) {
      const { status, closes } = await send(url, agent, `drain-${i}`);
      expect(status).toBe(201);
      recorded++;
      if (closes) {
        expect(url).toBe(leaving.url);
        url = staying.url;
        moved++;
      }
    }
    agent.destroy();
  });
  await until(() => recorded > 10 * CONNECTIONS);
  const drained = leaving.drain();
  await until(async () => (await fetch(`${leaving.url}/readyz`)).status === 503);
  expect((await fetch(`${leaving.url}/healthz`)).status).toBe(200);
  await drained;
  await leaving.stop();
  stopped.abort();
  await Promise.all(clients);
  expect(moved).toBe(CONNECTIONS);
  const totals = await Promise.all(
    clients.map(
      async (_, i) => (await staying.call('GET', `/v1/users/drain-${i}/metrics/lessons`)).body.current,
    ),
  );
  expect(totals.reduce((sum, total) => sum + total, 0)).toBe(recorded);
});

test('a request that has arrived is answered, although the server stops before it reads it', async () => {
  const other = await startAnotherServer(staying, { LAUREL_HISTORY_WAIT_MS: '500' });
  await staying.record('unread');
  const path = '/v1/users/unread/points/xp?awards=11';
  const connection = new RawConnection(Number(new URL(other.url).port));
  const read = () => connection.send([rawRequest('GET', path, { 'X-API-KEY': API_KEY }, null)]);
  // No relay runs, so the answer comes after this wait.
  const refusal = { status: 503, body: expect.stringContaining('history') };
  expect(await read()).toMatchObject(refusal);
  const answer = read();
  await other.stop();
  expect(await answer).toMatchObject(refusal);
});
