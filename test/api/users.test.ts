import { beforeAll, describe, expect, test } from 'vitest';
import { type Json, walkPages } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** The list of users, and what happened to one of them. */

const server = useServer({ config: 'test/support/application.yaml', relay: true });
const { admin, moveTo } = server;
const record = (user: object, value = 1, headers = {}): Promise<Reply> =>
  server.call('POST', '/v1/metrics/lessons/event', { user, value }, headers);

const list = async (query: string): Promise<Json> => {
  const reply = await admin('GET', `/users?${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
};
const ids = async (query: string): Promise<string[]> => (await list(query)).users.map(({ id }: Json) => id);

const walk = (path: string, items: string): Promise<Json[]> => walkPages(server, `/admin/v1${path}`, items);

beforeAll(async () => {
  await moveTo('2030-02-28T12:00:00Z');
  const events = Array.from({ length: 7 }, () => ({ key: 'lessons', user: { id: 'many' }, value: 1 }));
  expect((await admin('POST', '/metrics/events', events)).status).toBe(202);
  await moveTo('2030-03-01T12:00:00Z');
  await server.call('PUT', '/v1/users/zoe', { name: 'Zoë Adams', email: 'Zoe@example.com' });
  await moveTo('2030-03-02T12:00:00Z');
  await record({
    id: 'ada-1',
    name: 'Ada',
    email: 'ada@example.com',
    attributes: { city: 'oslo', plan: 'pro' },
  });
  await record({ id: 'bob', name: 'Bob', attributes: { city: 'oslo' } });
  await moveTo('2030-03-03T12:00:00Z');
  await record({ id: 'Carl', name: 'adalbert', email: 'carl@example.com', attributes: { city: 'rome' } });
  await moveTo('2030-03-04T12:00:00Z');
  await record({ id: 'bob', name: 'Robert' });
  const pauses = [{ userId: 'bob', start: '2030-03-10', end: '2030-03-10' }];
  expect((await admin('POST', '/streaks/pauses', { pauses })).status).toBe(201);
});

describe('users', () => {
  test('are listed with the newest first, by the last event, and by id', async () => {
    expect(await ids('')).toEqual(['Carl', 'bob', 'ada-1', 'zoe', 'many']);
    expect(await ids('sort=created')).toEqual(['Carl', 'bob', 'ada-1', 'zoe', 'many']);
    expect(await ids('sort=active')).toEqual(['bob', 'Carl', 'ada-1', 'many']);
    expect(await ids('sort=id')).toEqual(['Carl', 'ada-1', 'bob', 'many', 'zoe']);
  });

  test.each(['sort=created&', 'sort=active&', 'sort=id&', 'query=a&', 'query=z&'])(
    '%s page by page',
    async (query) => {
      const whole = await ids(query);
      const walked = await walk(`/users?${query}`, 'users');
      expect(walked.map(({ id }: Json) => id)).toEqual(whole);
    },
  );

  test('show what is known of them', async () => {
    const { users, cursor } = await list('query=ada-1');
    expect(cursor).toBeNull();
    expect(users).toMatchObject([
      {
        id: 'ada-1',
        name: 'Ada',
        email: 'ada@example.com',
        control: false,
        lastActive: '2030-03-02',
        attributes: { city: 'oslo', plan: 'pro' },
        created: '2030-03-02T12:00:00.000Z',
      },
    ]);
    const { status, body } = await admin('GET', '/users/zoe');
    expect([status, body.name, body.lastActive]).toEqual([200, 'Zoë Adams', null]);
    expect((await admin('GET', '/users/nobody')).status).toBe(404);
  });

  test('are found by the start of the id, the name or the address, each once', async () => {
    expect(await ids('query=ada')).toEqual(['ada-1', 'Carl', 'zoe']);
    expect(await ids('query=ADA')).toEqual(['ada-1', 'Carl', 'zoe']);
    expect(await ids('query=carl@')).toEqual(['Carl']);
    expect(await ids('query=zoe@EX')).toEqual(['zoe']);
    expect(await ids('query=Rob')).toEqual(['bob']);
    expect(await ids('query=Bob')).toEqual([]);
    expect(await ids('query=dam')).toEqual([]);
    expect(await ids(`query=${'x'.repeat(255)}`)).toEqual([]);
    expect(await ids(`query=${encodeURIComponent('%_')}`)).toEqual([]);
  });

  test('are filtered', async () => {
    expect(await ids('userAttributes=city:oslo')).toEqual(['bob', 'ada-1']);
    expect(await ids('userAttributes=city:oslo,plan:pro')).toEqual(['ada-1']);
    expect(await ids('userAttributes=city:oslo&query=b')).toEqual(['bob']);
    expect(await ids('createdAfter=2030-03-02&createdBefore=2030-03-02')).toEqual(['bob', 'ada-1']);
    expect(await ids('activeAfter=2030-03-03')).toEqual(['Carl', 'bob']);
    expect(await ids('activeBefore=2030-03-02&sort=active')).toEqual(['ada-1', 'many']);
    expect(await ids('control=true')).toEqual([]);
    expect(await ids('control=false&limit=2')).toEqual(['Carl', 'bob']);
  });

  test.each([
    ['sort=best', /^sort must be one of created, active/],
    ['sort=id&query=a', /^sort must not be given together with query/],
    ['cursor=x', /^cursor must be the cursor of the page before/],
    ['createdAfter=2030-02-30', /^createdAfter must be a date/],
    ['limit=101', /^limit/],
    ['userAttributes=shoe:1', /^userAttributes/],
  ])('%s is refused', async (query, message) => {
    expect(await admin('GET', `/users?${query}`)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(message) },
    });
  });
});

describe('a timeline', () => {
  const timeline = async (query = ''): Promise<Json> => {
    const reply = await admin('GET', `/users/bob/timeline?${query}`);
    expect(reply).toMatchObject({ status: 200 });
    return reply.body;
  };

  test('shows what happened, the newest first, causes below effects', async () => {
    const { items, cursor } = await timeline();
    expect(cursor).toBeNull();
    const shown = items.map(({ at, kind, change = '' }: Json) =>
      `${at.slice(0, 10)} ${kind} ${change}`.trim(),
    );
    expect(shown[0]).toBe('2030-03-04 admin');
    expect(shown.at(-1)).toBe('2030-03-02 created');
    expect(shown.at(-2)).toBe('2030-03-02 event');
    expect(shown).toContain('2030-03-04 streak lost');
    expect(shown).toContain('2030-03-04 streak extended');
    expect(shown.filter((text: string) => text.endsWith(' event'))).toHaveLength(2);
    expect(items.find(({ kind }: Json) => kind === 'event')).toMatchObject({
      at: '2030-03-04T12:00:00.000Z',
      metric: { key: 'lessons' },
      value: 1,
      total: 2,
      attributes: {},
    });
    expect(items.find(({ kind }: Json) => kind === 'points')).toMatchObject({
      pointsSystem: { key: 'xp' },
      awarded: 15,
      total: 30,
      trigger: { type: 'metric' },
      boosts: ['Now'],
    });
    expect(items[0]).toMatchObject({ action: 'create', subject: 'streakPauses', actor: 'testkey1' });
  });

  test('can be read page by page, and by kind', async () => {
    const whole = (await timeline('limit=100')).items;
    expect(await walk('/users/bob/timeline?', 'items')).toEqual(whole);
    const some = (await timeline('kinds=event&kinds=streak')).items;
    expect(some).toEqual(whole.filter(({ kind }: Json) => kind === 'event' || kind === 'streak'));
    expect(await walk('/users/bob/timeline?kinds=event&', 'items')).toHaveLength(2);
  });

  test('of many events at the same instant goes through all of them', async () => {
    const walked = await walk('/users/many/timeline?kinds=event&kinds=points&', 'items');
    expect(walked.filter(({ kind }: Json) => kind === 'event').map(({ total }: Json) => total)).toEqual([
      7, 6, 5, 4, 3, 2, 1,
    ]);
  });

  test.each([
    ['kinds=birthday', 422],
    ['cursor=x', 422],
    ['limit=0', 422],
  ])('with %s is refused', async (query, status) => {
    expect((await admin('GET', `/users/bob/timeline?${query}`)).status).toBe(status);
  });

  test('of an unknown user is not found', async () => {
    expect((await admin('GET', '/users/nobody/timeline')).status).toBe(404);
  });
});
