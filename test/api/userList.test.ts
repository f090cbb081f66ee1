import { beforeAll, describe, expect, test } from 'vitest';
import { type Json, walkPages } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** The list of users by what they have reached, and the search inside names and addresses. */

const server = useServer({ config: 'test/support/application.yaml', relay: true });
const { admin, moveTo } = server;
const record = (user: object, value = 1): Promise<Reply> =>
  server.call('POST', '/v1/metrics/lessons/event', { user, value });
const grant = (id: string): Promise<Reply> =>
  admin('POST', `/users/${id}/achievements/profile/grant`, { reason: 'Test' });

const list = async (query: string): Promise<Json> => {
  const reply = await admin('GET', `/users?${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
};
const ids = async (query: string): Promise<string[]> => (await list(query)).users.map(({ id }: Json) => id);

/** Ids of all pages with one user each. */
const walk = async (query: string): Promise<string[]> =>
  (await walkPages(server, `/admin/v1/users?${query}&`, 'users')).map(({ id }) => id);

beforeAll(async () => {
  await moveTo('2030-03-01T12:00:00Z');
  await server.call('PUT', '/v1/users/zoe', { name: 'Zoë Adams', email: 'zoe.adams@mail.example.org' });
  await record({ id: 'u1', name: 'Ada King Lovelace', email: 'countess@example.com' }, 2);
  await moveTo('2030-03-02T12:00:00Z');
  await record({ id: 'u1' }, 2);
  await record({ id: 'u2', name: '山田太郎', email: 'Taro-Yamada@Example.com' }, 60);
  await moveTo('2030-03-03T12:00:00Z');
  await record({ id: 'u1' }, 2);
  await record({ id: 'u3', name: 'Lovejoy' });
  await grant('u3');
  await moveTo('2030-03-03T13:00:00Z');
  await grant('u1');
});

describe('the list of users', () => {
  test('shows points with levels, the streak and the number of achievements, and how many users exist', async () => {
    const { total, users } = await list('sort=id');
    expect(total).toBe(4);
    expect(users.map(({ id, streak, achievements }: Json) => [id, streak, achievements])).toEqual([
      ['u1', 3, 3],
      ['u2', 1, 2],
      ['u3', 1, 1],
      ['zoe', 0, 0],
    ]);
    expect(users[1].points).toEqual({
      xp: { total: 908, level: 'silver' },
      energy: { total: 0, level: null },
    });
  });

  test('is read on any connection, whatever was read on it before', async () => {
    for (let i = 0; i < 3; i++) {
      expect((await admin('GET', '/analytics/points/xp')).status).toBe(200);
      expect(await ids('points=xp&sort=points')).toEqual(['u2', 'u1', 'u3']);
    }
  });

  test.each([
    ['points=xp&sort=points', ['u2', 'u1', 'u3']],
    ['sort=streak', ['u1', 'u3', 'u2']],
    ['achievement=profile', ['u1', 'u3']],
    ['achievement=profile&sort=created', ['u3', 'u1']],
    ['sort=inactive', ['u2', 'u1', 'u3']],
    ['withoutAchievement=profile', ['u2', 'zoe']],
    ['points=xp&pointsMin=16', ['u2', 'u1']],
    ['points=xp&pointsMax=15', ['u3', 'zoe']],
    ['points=xp&pointsMax=15&sort=points', ['u3']],
    ['points=xp&level=silver', ['u2', 'u1']],
    ['points=xp&level=bronze&sort=id', ['u3', 'zoe']],
    ['points=xp&level=gold', []],
    ['points=xp&level=silver&pointsMin=100', ['u2']],
    ['streakMin=2', ['u1']],
    ['streakMax=2&sort=id', ['u2', 'u3', 'zoe']],
    ['streakMin=1&streakMax=1', ['u3', 'u2']],
    ['inactiveDays=1', ['u2']],
    ['inactiveDays=0&sort=inactive', ['u2', 'u1', 'u3']],
    ['streakMin=1&achievement=profile&points=xp&pointsMin=20', ['u1']],
  ])('%s', async (query, expected) => {
    const found = await ids(query);
    expect(query.includes('streak') ? found.toSorted() : found).toEqual(
      query.includes('streak') ? expected.toSorted() : expected,
    );
    expect(await walk(query)).toEqual(found);
  });

  test.each([
    ['inside a name', 'lovelace', ['u1']],
    ['words of a name', 'king%20love', ['u1']],
    ['the beginning before words inside', 'love', ['u3', 'u1']],
    ['a host', 'EXAMPLE.com', ['u2', 'u1']],
    ['a part of a host', 'example', ['u2', 'u1', 'zoe']],
    ['a later part of an address', 'yamada@', ['u2']],
    ['a word that the name and the address have', 'adams', ['zoe']],
    ['a script without spaces', '太郎', ['u2']],
    ['not the last part of an address', 'com', []],
    ['not the middle of a word', 'ovelace', []],
  ])('is searched: %s', async (_, query, expected) => {
    const found = await ids(`query=${query}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(found[0]).toBe(expected.length > 0 ? (query === 'love' ? 'u3' : found[0]) : undefined);
    expect((await walk(`query=${query}`)).toSorted()).toEqual(expected.toSorted());
  });

  test.each([
    ['sort=best', 422, /^sort must be one of created, active, inactive, id, points, streak, achievement/],
    ['sort=points', 422, /^points must name the points system by which users are sorted/],
    ['sort=achievement', 422, /^achievement must name/],
    ['pointsMin=1', 422, /^points must name the points system of pointsMin/],
    ['points=xp&level=none', 404, /^Points system xp has no level none/],
    ['points=none', 404, /^Points system none/],
    ['achievement=none', 404, /^Achievement none does not exist/],
    ['streakMin=-1', 422, /^streakMin/],
  ])('refuses %s', async (query, status, message) => {
    expect(await admin('GET', `/users?${query}`)).toMatchObject({
      status,
      body: { error: expect.stringMatching(message) },
    });
  });
});

test('words follow a changed name, and go with an erased user', async () => {
  await record({ id: 'gone', name: 'Petra Meyer' });
  expect(await ids('query=meyer')).toEqual(['gone']);
  await record({ id: 'gone', name: 'Petra Schulz' });
  expect(await ids('query=meyer')).toEqual([]);
  expect(await ids('query=schulz')).toEqual(['gone']);
  expect((await admin('DELETE', '/users/gone')).status).toBe(200);
  expect(await ids('query=schulz')).toEqual([]);
});
