import { describe, expect, test } from 'vitest';
import type { Json } from '../support/reading.ts';
import { restoreServer } from '../support/restoreServer.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Users whom an administrator blocks. Each test has users and a leaderboard of its own. */

const KEYS = [
  'events',
  'ends',
  'others',
  'all',
  'runs',
  'batch',
  'kept',
  'profile',
  'erased',
  'streak',
  'api',
];
const CONFIG = {
  metrics: KEYS.map((key) => ({ key, name: key })),
  achievements: [{ key: 'given', name: 'Given', trigger: 'api' }],
  leaderboards: KEYS.map((key) => ({
    key,
    name: key,
    rankBy: 'metric',
    metric: key,
    start: '2020-01-01',
    maxParticipants: 2,
    ...(key === 'runs' && { runUnit: 'day', runInterval: 1 }),
  })),
  streak: { frequency: 'daily', evaluationMode: 'AND', metrics: [{ key: 'streak', threshold: 1 }] },
};

const server = useServer({ config: CONFIG, now: '2031-03-01T12:00:00.000Z', relay: true });
const { admin, moveTo, call, ranking } = server;
const send = (board: string, id: string, value = 1, more: object = {}): Promise<Reply> =>
  call('POST', `/v1/metrics/${board}/event`, { user: { id }, value, ...more });
const record = (board: string, id: string, value: number): Promise<void> => server.record(id, value, board);
/** An instant so many hours from the present one. */
const later = (hours: number): string =>
  new Date(Math.ceil(server.clock.now() / 1000) * 1000 + hours * 3_600_000).toISOString();
const block = async (id: string, until?: string): Promise<void> => {
  const { status, body } = await admin('POST', `/users/${id}/block`, {
    reason: 'A bot',
    ...(until && { until }),
  });
  expect([status, body]).toEqual([200, { id, blocked: true, until: until ?? null }]);
};
const unblock = async (id: string): Promise<void> => {
  const { status, body } = await admin('DELETE', `/users/${id}/block`);
  expect([status, body]).toEqual([200, { id, blocked: false }]);
};

describe('a blocked user', () => {
  test('has no events and no rank until the block is lifted', async () => {
    for (const [id, value] of Object.entries({ a: 5, b: 3, c: 2 }))
      await record('events', `events-${id}`, value);
    await block('events-a');
    await block('events-a');
    const refused = await send('events', 'events-a');
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: 'User events-a is blocked', code: 'blocked' },
    ]);
    expect(await ranking('events')).toEqual(['1 events-b 3', '2 events-c 2']);
    const shown = (await admin('GET', '/users/events-a')).body.block;
    expect(shown).toEqual({ until: null, reason: 'A bot', blockedAt: expect.any(String) });
    const { users } = (await admin('GET', '/users?query=events')).body;
    expect(users.map(({ id, block: own }: Json) => [id, own?.reason])).toEqual([
      ['events-a', 'A bot'],
      ['events-b', undefined],
      ['events-c', undefined],
    ]);
    await unblock('events-a');
    await unblock('events-a');
    expect((await admin('GET', '/users/events-a')).body.block).toBeNull();
    await record('events', 'events-a', 1);
    expect(await ranking('events')).toEqual(['1 events-a 6', '2 events-b 3']);
    const { items } = (await admin('GET', '/users/events-a/timeline?kinds=admin')).body;
    expect(items.map(({ action, subject, after }: Json) => [action, subject, after?.reason])).toEqual([
      ['delete', 'blockedUsers', undefined],
      ['create', 'blockedUsers', 'A bot'],
    ]);
    const audit = (await admin('GET', '/audit?userId=events-a')).body;
    expect(audit.map(({ action, kind }: Json) => `${action} ${kind}`)).toEqual([
      'delete blockedUsers',
      'create blockedUsers',
    ]);
  });

  test('is free from the instant on that ends the block, and has the rank of the score again', async () => {
    await record('ends', 'ends-a', 5);
    await record('ends', 'ends-b', 3);
    const until = later(1);
    await block('ends-a', until);
    await moveTo(new Date(Date.parse(until) - 1).toISOString());
    const refused = await send('ends', 'ends-a');
    expect([refused.status, refused.body.retryAt]).toEqual([403, until]);
    expect(await ranking('ends')).toEqual(['1 ends-b 3']);
    await moveTo(until);
    await record('ends', 'ends-a', 1);
    expect(await ranking('ends')).toEqual(['1 ends-a 6', '2 ends-b 3']);

    const next = later(1);
    await block('ends-b', next);
    expect(await ranking('ends')).toEqual(['1 ends-a 6']);
    await moveTo(next);
    expect(await ranking('ends')).toEqual(['1 ends-a 6', '2 ends-b 3']);
    expect((await admin('GET', '/users/ends-b')).body.block).toBeNull();
  });

  test('gets another end by a second block', async () => {
    await record('all', 'again-a', 1);
    await block('again-a', later(1));
    await block('again-a');
    await moveTo(later(2));
    expect((await send('all', 'again-a')).status).toBe(403);
    const until = later(1);
    await block('again-a', until);
    await moveTo(until);
    await record('all', 'again-a', 1);
  });

  test('stays hidden while an administrator hides the user or the user has opted out', async () => {
    const hide = async (verb: string): Promise<void> => {
      const path = `/users/others-a/leaderboards/others/${verb}`;
      expect((await admin('POST', path, { reason: 'A test' })).status).toBe(200);
    };
    const setVisible = async (visible: boolean): Promise<void> => {
      const { status } = await call('PATCH', '/v1/users/others-a/preferences', {
        leaderboards: { visible },
      });
      expect(status).toBe(200);
    };
    const reasons = {
      hide: [() => hide('hide'), () => hide('show')],
      optOut: [() => setVisible(false), () => setVisible(true)],
      block: [() => block('others-a'), () => unblock('others-a')],
    } satisfies Record<string, [() => Promise<void>, () => Promise<void>]>;
    await record('others', 'others-a', 4);
    const names = Object.keys(reasons) as (keyof typeof reasons)[];
    for (const first of names) {
      for (const second of names) {
        for (const name of [...names.filter((other) => other !== first), first]) await reasons[name][0]!();
        for (const name of [first, second]) await reasons[name][1]!();
        expect(await ranking('others')).toEqual([]);
        for (const name of names) await reasons[name][1]!();
        expect(await ranking('others')).toEqual(['1 others-a 4']);
      }
    }
  });

  test('leaves runs that are not final, and gets no rank in later ones', async () => {
    await moveTo(`${later(24).slice(0, 10)}T12:00:00.000Z`);
    const first = later(0).slice(0, 10);
    await record('runs', 'runs-a', 4);
    await record('runs', 'runs-b', 3);
    // The run is over, but not final: it is not over in every time zone.
    await moveTo(later(20));
    await block('runs-a', later(12));
    expect(await ranking('runs', `&run=${first}`)).toEqual(['1 runs-b 3']);
    await moveTo(later(24));
    await record('runs', 'runs-a', 7);
    expect(await ranking('runs')).toEqual(['1 runs-a 7']);
  });

  test('is refused in a batch alone', async () => {
    await record('batch', 'batch-a', 1);
    await block('batch-a');
    const events = ['batch-a', 'batch-b', 'batch-a'].map((id) => ({ key: 'batch', user: { id }, value: 2 }));
    const { status, body } = await call('POST', '/admin/v1/metrics/events', events);
    expect([status, body.accepted]).toEqual([202, 1]);
    expect(body.refused).toEqual(
      [0, 2].map((index) => ({ index, status: 403, error: 'User batch-a is blocked', code: 'blocked' })),
    );
    expect(await ranking('batch')).toEqual(['1 batch-b 2']);
  });

  test('stays blocked after a restore, until the block ends', async () => {
    await record('kept', 'kept-a', 5);
    await record('kept', 'kept-b', 4);
    const until = later(1);
    await block('kept-a', until);
    await restoreServer(server);
    expect(await ranking('kept')).toEqual(['1 kept-b 4']);
    expect((await send('kept', 'kept-a')).status).toBe(403);
    await moveTo(until);
    expect(await ranking('kept')).toEqual(['1 kept-a 5', '2 kept-b 4']);
  });

  test('may be identified, and the API completes no achievement', async () => {
    await record('profile', 'profile-a', 5);
    await block('profile-a');
    const identified = await call('PUT', '/v1/users/profile-a', { name: 'Ann', tz: 'Asia/Tokyo' });
    expect([identified.status, identified.body.name]).toEqual([200, 'Ann']);
    const completed = await call('POST', '/v1/achievements/given/complete', {
      user: { id: 'profile-a' },
    });
    expect([completed.status, completed.body.code]).toEqual([403, 'blocked']);
    const granted = await admin('POST', '/users/profile-a/achievements/given/grant', { reason: 'Earned' });
    expect([granted.status, granted.body.granted]).toEqual([200, true]);
    expect((await send('profile', 'profile-a')).status).toBe(403);
    expect(await ranking('profile')).toEqual([]);
  });

  test('loses the streak in time, and what falls due does not end the block', async () => {
    await record('streak', 'streak-a', 1);
    await block('streak-a');
    await moveTo(later(72));
    expect((await send('streak', 'streak-a')).status).toBe(403);
    expect((await call('GET', '/v1/users/streak-a/streak')).body.length).toBe(0);
    expect(await ranking('streak')).toEqual([]);
  });

  test('is named in the export, and forgotten by an erasure', async () => {
    await record('erased', 'erased-a', 5);
    await block('erased-a');
    const { records } = (await admin('GET', '/users/erased-a/export')).body;
    expect(records.blocked_users).toEqual([{ reason: 'A bot', blocked_at: expect.any(String), until: null }]);
    expect((await admin('DELETE', '/users/erased-a')).status).toBe(200);
    expect((await server.pool.query(`select from blocked_users where user_id = 'erased-a'`)).rowCount).toBe(
      0,
    );
    await record('erased', 'erased-a', 1);
  });
});

test('blocking needs a user who exists, a reason, and an end in the future', async () => {
  await record('api', 'api-a', 1);
  const block = (id: string, body: object): Promise<Reply> => admin('POST', `/users/${id}/block`, body);
  expect((await block('nobody', { reason: 'A bot' })).status).toBe(404);
  expect((await admin('DELETE', '/users/nobody/block')).status).toBe(404);
  expect((await block('api-a', {})).status).toBe(422);
  const past = await block('api-a', { reason: 'A bot', until: '2030-01-01T00:00:00Z' });
  expect([past.status, past.body.error]).toEqual([422, 'until must be in the future']);
  await record('api', 'api-a', 1);
});
