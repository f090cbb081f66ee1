import { describe, expect, onTestFinished, test } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { type Reply, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** What the Admin API accepts, refuses and explains when a configuration changes. */

const APPLICATION = 'test/support/application.yaml';
const server = useServer({ config: APPLICATION, relay: true, tenantEach: true });
const { admin, call } = server;

describe('leaderboards', () => {
  const create = async (key: string, item: object): Promise<string> => {
    const metricId = await server.idOf('/metrics', 'lessons');
    const reply = await admin('POST', '/leaderboards', [
      { key, name: key, rankBy: 'metric', metricId, ...item },
    ]);
    expect(reply).toMatchObject({ status: 201, body: { issues: [] } });
    return reply.body.created[0].id;
  };

  test('become perpetual by runUnit null, and repeat again', async () => {
    const id = await create('weekly', { runUnit: 'day', runInterval: 7 });
    const perpetual = await admin('PATCH', '/leaderboards', [{ id, runUnit: null }]);
    expect(perpetual.body.issues).toEqual([]);
    expect(perpetual.body.updated[0]).not.toHaveProperty('runUnit');
    expect(perpetual.body.updated[0]).not.toHaveProperty('runInterval');
    const monthly = await admin('PATCH', '/leaderboards', [{ id, runUnit: 'month', runInterval: 1 }]);
    expect(monthly.body).toMatchObject({ updated: [{ runUnit: 'month', runInterval: 1 }], issues: [] });
    const half = await admin('PATCH', '/leaderboards', [{ id, runUnit: null, runInterval: 3 }]);
    expect(half.body.issues[0].message).toMatch(/runUnit is required with runInterval/);
  });

  test('that have begun name the present value and the remedy', async () => {
    const id = await create('begun', { runUnit: 'day', runInterval: 7, status: 'active' });
    const reply = await admin('PATCH', '/leaderboards', [{ id, runUnit: 'month' }]);
    expect(reply.body.issues[0].message).toBe(
      'runUnit cannot be changed once active (it is day): create another leaderboard with another key, and set an end for this one',
    );
    const metricId = await server.idOf('/metrics', 'words');
    const other = await admin('PATCH', '/leaderboards', [{ id, metricId }]);
    expect(other.body.issues[0].message).toContain('metricId cannot be changed once active (it is lessons)');
    const back = await admin('PATCH', '/leaderboards', [{ id, status: 'inactive' }]);
    expect(back.body.issues[0].message).toBe(
      'status cannot go from active to inactive: set an end to finish the leaderboard',
    );
  });

  test('are shown with their status wherever they are shown', async () => {
    const event = await call('POST', '/v1/metrics/lessons/event', { user: { id: 'stan' }, value: 1 });
    expect(event.body.leaderboards.lessons).toMatchObject({ key: 'lessons', status: 'active', rank: 1 });
    const user = await call('GET', '/v1/users/stan/leaderboards/lessons?numEvents=0');
    expect(user.body).toMatchObject({ key: 'lessons', status: 'active' });
    const year = await call('GET', '/v1/users/stan/wrapped?year=2026');
    expect(year.body.activity.entireYear.leaderboards.lessons).toMatchObject({ status: 'active', rank: 1 });
  });
});

describe('formats', () => {
  test.each([
    'not an email',
    'ann',
    'ann@',
    '@example.com',
    'a@b@c d',
    'ann@example.com\r\nBcc: bo@example.com',
  ])('an e-mail address such as %j is refused', async (email) => {
    const message = 'user.email must be an e-mail address';
    const event = await call('POST', '/v1/metrics/lessons/event', {
      user: { id: 'mel', email },
      value: 1,
    });
    expect(event).toMatchObject({ status: 422, body: { error: message } });
    await call('PUT', '/v1/users/stan', { name: 'Stan' });
    const updated = await call('PATCH', '/v1/users/stan', { email });
    expect(updated).toMatchObject({ status: 422, body: { error: 'email must be an e-mail address' } });
  });

  test.each(['ann@example.com', 'ann+tag@münchen.example', 'ann@localhost'])(
    '%s is accepted',
    async (email) => {
      expect((await call('PUT', '/v1/users/mel', { email })).status).toBeLessThan(300);
    },
  );

  test.each(['javascript:alert(1)', 'data:text/html,x', '/badge.png', 'not a url'])(
    'a badge at %s is refused',
    async (url) => {
      const item = { key: 'bad', name: 'Bad', trigger: 'api', badge: { url } };
      expect((await admin('POST', '/achievements', [item])).body.issues[0].message).toBe(
        'badge.url must be a whole URL of http or https',
      );
      const system = await admin('POST', '/points', [{ key: 'bad', name: 'Bad', badge: { url } }]);
      expect(system.body.issues[0].message).toBe('badge.url must be a whole URL of http or https');
    },
  );
});

describe('user attributes with commas', () => {
  const total = async (query: string): Promise<number> => {
    const path = `/v1/leaderboards/cities?userAttributes=${encodeURIComponent(query)}`;
    const reply = await call('GET', path);
    expect(reply.status).toBe(200);
    return reply.body.rankings.length;
  };

  test('are asked for as they are, or escaped', async () => {
    const user = { id: 'dee', attributes: { city: 'Washington, DC' } };
    expect((await call('POST', '/v1/metrics/lessons/event', { user, value: 1 })).status).toBe(201);
    expect(await total('city:Washington, DC')).toBe(1);
    expect(await total('city:Washington\\, DC')).toBe(1);
    expect(await total(' city:Washington, DC')).toBe(1);
    expect(await total('city:Washington')).toBe(0);
  });
});

describe('tenants', () => {
  test('that are deleted give their id back', async () => {
    const create = () => admin('POST', '/tenants', [{ customerId: 'acme', name: 'Acme' }]);
    const first = await create();
    expect(first).toMatchObject({ status: 201, body: { issues: [] } });
    expect((await create()).body.issues[0].message).toBe('customerId is not unique: acme');
    expect((await admin('DELETE', `/tenants?ids=${first.body.created[0].id}`)).body.issues).toEqual([]);
    const second = await create();
    expect(second).toMatchObject({ status: 201, body: { issues: [] } });
    expect(second.body.created[0].id).not.toBe(first.body.created[0].id);
    const listed = (await admin('GET', '/tenants?limit=100')).body.filter(
      (tenant: Reply['body']) => tenant.customerId === 'acme',
    );
    expect(listed.map(({ status }: Reply['body']) => status)).toEqual(['archived', 'active']);
  });
});

describe('configuration files', () => {
  const put = (query: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    call('PUT', `/admin/v1/config${query}`, body, headers);
  const keysOf = async (path: string): Promise<string[]> =>
    (await admin('GET', path)).body.map(({ key }: { key: string }) => key);

  test('delete what a listed section does not list with prune only, and say before what would happen', async () => {
    const metrics = [
      { key: 'lessons', name: 'Lessons' },
      { key: 'words', name: 'Words' },
    ];
    expect((await put('', { metrics: [...metrics, { key: 'gone', name: 'Gone' }] })).status).toBe(200);
    const file = { metrics: [{ key: 'lessons', name: 'Lessons done' }, metrics[1]], achievements: [] };
    const kept = await put('?dryRun=true', file);
    expect(kept.body).toMatchObject({ created: [], deleted: [] });
    const before = await keysOf('/achievements');
    const dry = await put('?dryRun=true&prune=true', { metrics: file.metrics });
    expect(dry.body).toMatchObject({
      created: [],
      updated: [
        {
          kind: 'metrics',
          key: 'lessons',
          changes: [{ field: 'name', before: 'Lessons', after: 'Lessons done' }],
        },
      ],
      deleted: [{ kind: 'metrics', key: 'gone' }],
    });
    expect(await keysOf('/metrics')).toEqual(['lessons', 'words', 'gone']);
    const done = await put('?prune=true', { metrics: file.metrics });
    expect(done.body.deleted).toEqual([{ kind: 'metrics', key: 'gone' }]);
    expect(done.body.version).toBe(dry.body.version + 1);
    expect([await keysOf('/metrics'), await keysOf('/achievements')]).toEqual([['lessons', 'words'], before]);
    const needed = await put('?prune=true', { metrics: [metrics[1]] });
    expect(needed).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('must name an existing metric') },
    });
  });

  test('may be YAML, whose faults are all named with line and column', async () => {
    const yaml = 'metrics:\n  - { key: pages, name: Pages }\n';
    const headers = { 'Content-Type': 'application/yaml' };
    expect((await put('', yaml, headers)).body.created).toEqual([{ kind: 'metrics', key: 'pages' }]);
    const wrong = await put('', 'metrics:\n  - { key: 5, name: Five, unit: x }\nachievments: []\n', headers);
    expect(wrong.status).toBe(422);
    expect(wrong.body.error.split('\n')).toEqual([
      'the body is not a valid configuration:',
      '  line 2, column 7: metrics[0].key: must be a string',
      '  line 2, column 27: metrics[0].unit: is not a known field; did you mean "units"?',
      '  line 3, column 1: achievments: is not a known field; did you mean "achievements"?',
    ]);
    expect(await put('', '', headers)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/empty/) },
    });
    expect((await put('', 'a: [', headers)).status).toBe(422);
    expect((await put('', Buffer.from([0xff]), headers)).status).toBe(400);
  });
});

describe('dividing an account that has users', () => {
  test('is refused unless the call says as which tenant they go on', async () => {
    const server = await startTestServer({ config: APPLICATION });
    onTestFinished(() => server.stop());
    const admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
      server.call(method, `/admin/v1${path}`, body);
    expect((await server.call('PUT', '/v1/users/old', { name: 'Old' })).status).toBeLessThan(300);
    expect((await admin('POST', '/tenants', [{ customerId: 'acme', name: 'Acme' }])).status).toBe(201);
    const refused = await admin('PATCH', '/settings', { multiTenancy: true });
    expect(refused).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/unreachable: adoptAs must be/) },
    });
    const file = await admin('PUT', '/config', { settings: { multiTenancy: true } });
    expect(file).toMatchObject({ status: 422, body: { error: expect.stringMatching(/adoptAs/) } });
    for (const adoptAs of ['', 'acme', 'x'.repeat(256)]) {
      const wrong = await admin('PATCH', '/settings', { multiTenancy: true, adoptAs });
      expect(wrong).toMatchObject({ status: 422, body: { error: expect.stringMatching(/^adoptAs/) } });
    }
    expect(
      await admin('PATCH', '/settings', { experimentation: { controlRatio: 0 }, adoptAs: 'first' }),
    ).toMatchObject({ status: 422 });
    expect((await admin('PATCH', '/settings', { multiTenancy: true, adoptAs: 'first' })).status).toBe(200);

    expect(await server.call('GET', '/v1/users/old')).toMatchObject({ status: 422 });
    const first = { 'Tenant-ID': 'first' };
    expect(await server.call('GET', '/v1/users/old', undefined, first)).toMatchObject({
      body: { name: 'Old' },
    });
    const event = { user: { id: 'old' }, value: 1 };
    expect((await server.call('POST', '/v1/metrics/lessons/event', event, first)).status).toBe(201);
    const tenants = (await admin('GET', '/tenants')).body;
    const account = tenants.find(({ customerId }: Reply['body']) => customerId === 'first');
    expect(account.status).toBe('active');
    const kept = await admin('DELETE', `/tenants?ids=${account.id}`);
    expect(kept.body.issues[0].message).toMatch(/the account itself/);
  });
});

test('changes that wait for each other leave connections for other calls', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `at-once-${i}`);
  const { changes, others } = await transaction(server.pool, async (otherServer) => {
    await otherServer.query('select from tenants for update');
    const waiting = keys.map((key) => admin('POST', '/metrics', [{ key, name: key, unitType: 'number' }]));
    await until(async () => {
      const { rows } = await server.pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length > 0;
    });
    return {
      changes: waiting,
      others: await Promise.all([admin('GET', '/api-keys'), admin('GET', '/tenants')]),
    };
  });
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(keys.map(() => 201));
});
