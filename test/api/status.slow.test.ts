import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { packageVersion } from '../../src/base/packageRoot.ts';
import { readCells } from '../../src/db/installation.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { PROGRAM } from '../../tools/program.ts';
import { RedisNode } from '../support/redisNode.ts';
import { type Reply, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';
import { useServer } from '../support/useServer.ts';

/** How administrators see the work in the background, and try again what was given up. */

const directory = useDirectory();
const server = useServer({ serverEach: true });
const { admin } = server;

const record = (id: string): Promise<Reply> =>
  server.call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1 });

test('the API description and --version have the version of package.json', async () => {
  expect((await server.call('GET', '/openapi.json')).body.info.version).toBe(packageVersion());
  expect(execFileSync(process.execPath, [PROGRAM, '--version'], { encoding: 'utf8' }).trim()).toBe(
    packageVersion(),
  );
});

describe('the status', () => {
  test('shows what is not yet in the history', async () => {
    expect((await admin('GET', '/status')).body).toMatchObject({
      outbox: { entries: 0, oldestSeconds: 0, relaySilentSeconds: null },
      deadEntries: 0,
      leaderboardsOverdue: 0,
      reviews: [],
      processes: [{ kind: 'server', pid: process.pid, version: packageVersion() }],
      testClock: { stopped: expect.any(Boolean) },
      version: packageVersion(),
    });
    expect((await record('ann')).status).toBe(201);
    const { status, body } = await admin('GET', '/status');
    expect([status, body.outbox.entries]).toEqual([200, 1]);
    expect(body.queues.map(({ queue }: { queue: string }) => queue)).toContain('webhooks');
    expect(body.deliveries).toContainEqual({ channel: 'email', oldestSeconds: null });
  });

  test('is null for the parts of a store that does not answer', async () => {
    const node = await RedisNode.start(directory, {});
    const redis = { url: `redis://127.0.0.1:${node.port}`, stop: () => node.kill() };
    const hasty = await startTestServer({ redis, env: { LAUREL_STORE_WAIT_MS: '3000' } });
    const read = () => hasty.call('GET', '/admin/v1/status');
    node.pause();
    try {
      const { status, body } = await read();
      expect([status, body.outbox, body.queues, body.deadEntries]).toEqual([200, null, null, 0]);
      expect(body.processes).toBe(null);
    } finally {
      node.resume();
    }
    await until(async () => (await read()).body.outbox !== null);
    await hasty.stop();
  });
});

describe('what was given up', () => {
  test('is listed, and tried again', async () => {
    await record('ann');
    const cells = (await readCells(server.pool))!;
    const streams = allCells(cells).map((cell) => keys.outbox(cell));
    const lengths = await Promise.all(streams.map((stream) => server.redis.xlen(stream)));
    const cell = lengths.indexOf(1);
    const [[id, fields]] = (await server.redis.xrangeBuffer(streams[cell]!, '-', '+')) as [
      [Buffer, Buffer[]],
    ];
    await server.redis.xdel(streams[cell]!, id);
    await server.pool.query(
      `insert into dead_entries (tenant, cell, entry_id, reason, fields, died_at) values (1, $1, $2, 'unknown', $3, $4)`,
      [cell, String(id), fields, new Date(server.clock.now())],
    );
    expect((await admin('GET', '/status')).body.deadEntries).toBe(1);
    const { status, body } = await admin('GET', '/dead');
    expect([status, body]).toEqual([
      200,
      {
        entries: [{ entryId: String(id), tenant: 1, reason: 'unknown', diedAt: expect.any(String) }],
        deliveries: [],
      },
    ]);
    await server.startRelay();
    expect((await admin('POST', '/dead/replay', {})).body).toEqual({
      entries: 1,
      webhooks: 0,
      notifications: 0,
    });
    await admin('GET', '/users/ann/timeline');
    const { rows } = await server.pool.query('select count(*)::int as events from event_history');
    expect(rows).toEqual([{ events: 1 }]);
    expect((await admin('GET', '/dead')).body).toEqual({ entries: [], deliveries: [] });
    expect((await admin('GET', '/audit?limit=1')).body).toMatchObject([
      { kind: 'dead', after: { entries: 1 } },
    ]);
  });

  test('is tried again only with a valid instant and a key that may operate', async () => {
    expect((await admin('POST', '/dead/replay', { since: 'yesterday' })).status).toBe(422);
    const { body } = await admin('POST', '/api-keys', [{ name: 'Reader', role: 'read' }]);
    const headers = { 'X-API-KEY': body.created[0].key };
    expect((await server.call('POST', '/admin/v1/dead/replay', {}, headers)).status).toBe(403);
    expect((await server.call('GET', '/admin/v1/dead', undefined, headers)).status).toBe(200);
    expect((await server.call('GET', '/admin/v1/status', undefined, headers)).status).toBe(200);
    for (const path of ['/status', '/dead']) {
      expect((await server.call('GET', `/admin/v1${path}`, undefined, { 'X-API-KEY': 'wrong' })).status).toBe(
        401,
      );
    }
  });
});
