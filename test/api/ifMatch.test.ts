import { beforeEach, describe, expect, test } from 'vitest';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Two callers who change the same part of the configuration. */

const server = useServer();
let id: string;
let count = 0;
let key: string;

const admin = (method: string, path: string, body?: unknown, ifMatch?: string | null): Promise<Reply> =>
  server.call(method, `/admin/v1${path}`, body, ifMatch ? { 'If-Match': ifMatch } : {});
const etagOf = ({ headers }: Reply): string => headers.get('etag')!;
const create = async (): Promise<void> => {
  key = `metric-${count++}`;
  const { body } = await admin('POST', '/metrics', [{ key, name: 'Runs' }]);
  id = body.created[0].id;
};

beforeEach(create);

const nothing = { created: [], updated: [], deleted: [] };

describe('the version', () => {
  test('is shown by reads and changes alike, and rises with each change', async () => {
    const before = etagOf(await admin('GET', `/metrics/${id}`));
    expect(before).toMatch(/^"\d+"$/);
    for (const path of ['/metrics', '/settings', '/streaks/settings', '/config', '/points'])
      expect(etagOf(await admin('GET', path))).toBe(before);
    const changed = await admin('PATCH', '/metrics', [{ id, name: 'Laps' }]);
    expect(Number(JSON.parse(etagOf(changed)))).toBe(Number(JSON.parse(before)) + 1);
    expect(etagOf(await admin('GET', '/config'))).toBe(etagOf(changed));
    const planned = await admin('PUT', '/config?dryRun=true', { metrics: [{ key, name: 'Other' }] });
    expect(etagOf(planned)).toBe(etagOf(changed));
  });

  test('is not shown where there is none', async () => {
    expect((await admin('GET', '/api-keys')).headers.get('etag')).toBeNull();
    expect((await server.call('GET', '/v1/leaderboards')).headers.get('etag')).toBeNull();
  });
});

describe('a change of something that others have changed since', () => {
  test('is refused with what they changed, and changes nothing', async () => {
    const read = etagOf(await admin('GET', `/metrics/${id}`));
    const first = await admin('PATCH', '/metrics', [{ id, name: 'Laps' }], read);
    expect(first.status).toBe(200);
    const second = await admin('PATCH', '/metrics', [{ id, name: 'Rounds' }], read);
    expect([second.status, second.body]).toEqual([
      412,
      {
        ...nothing,
        error: `metrics "${key}" (name) changed since version ${JSON.parse(read)}: read it again`,
        updated: [{ kind: 'metrics', key, changes: [{ field: 'name', before: 'Runs', after: 'Laps' }] }],
        version: Number(JSON.parse(etagOf(first))),
      },
    ]);
    expect(etagOf(second)).toBe(etagOf(first));
    expect((await admin('GET', `/metrics/${id}`)).body.name).toBe('Laps');
    const again = await admin('PATCH', '/metrics', [{ id, name: 'Rounds' }], etagOf(second));
    expect(again.body.updated[0].name).toBe('Rounds');
  });

  test('is refused as a deletion, too', async () => {
    const read = etagOf(await admin('GET', '/metrics'));
    await admin('PATCH', '/metrics', [{ id, name: 'Laps' }]);
    expect((await admin('DELETE', `/metrics?ids=${id}`, undefined, read)).status).toBe(412);
    const { status, body } = await admin('DELETE', `/metrics?ids=${id}`);
    expect([status, body.deleted]).toEqual([200, [{ id }]]);
  });

  test('is refused if others have created a part of what is deleted', async () => {
    const system = (await admin('POST', '/points', [{ key: `${key}-points`, name: 'Points' }])).body
      .created[0];
    const read = etagOf(await admin('GET', `/points/${system.id}`));
    await admin('POST', `/points/${system.id}/levels`, [{ key: 'one', name: 'One', points: 1 }]);
    const refused = await admin('DELETE', `/points?ids=${system.id}`, undefined, read);
    expect(refused.body.created).toEqual([{ kind: 'pointsLevels', key: `${key}-points.one` }]);
  });

  test.each([
    ['/settings', { branding: { appName: 'Mine' } }, { branding: { appName: 'Theirs' } }],
    [
      '/streaks/settings',
      { metrics: [{ key: 'lessons', threshold: 2 }] },
      { metrics: [{ key: 'lessons', threshold: 3 }] },
    ],
  ])('is refused in %s', async (path, mine, theirs) => {
    const read = etagOf(await admin('GET', path));
    expect((await admin('PATCH', path, theirs, read)).status).toBe(200);
    const refused = await admin('PATCH', path, mine, read);
    expect([refused.status, refused.body.updated.length]).toEqual([412, 1]);
    expect((await admin('PATCH', path, mine, etagOf(refused))).status).toBe(200);
  });

  test('is refused in a file, also as a dry run', async () => {
    const read = await admin('GET', '/config');
    const file = { metrics: [{ key, name: 'Mine' }] };
    await admin('PATCH', '/metrics', [{ id, name: 'Theirs' }]);
    for (const query of ['', '?dryRun=true']) {
      const refused = await admin('PUT', `/config${query}`, file, etagOf(read));
      expect([refused.status, refused.body.updated[0].key]).toEqual([412, key]);
    }
    expect((await admin('GET', `/metrics/${id}`)).body.name).toBe('Theirs');
  });

  test('never shows the secret of a webhook', async () => {
    const webhook = { name: 'Hook', url: 'https://example.com/hook', events: ['points.changed'] };
    const [created] = (await admin('POST', '/webhooks', [webhook])).body.created;
    const read = etagOf(await admin('GET', `/webhooks/${created.id}`));
    await admin('PATCH', '/webhooks', [{ id: created.id, name: 'Theirs' }]);
    const refused = await admin('PATCH', '/webhooks', [{ id: created.id, name: 'Mine' }], read);
    expect(refused.body.updated[0].changes).toEqual([{ field: 'name', before: 'Hook', after: 'Theirs' }]);
    expect(JSON.stringify(refused.body)).not.toContain('secret');
  });

  test('is refused for the later one of two at the same time', async () => {
    const read = etagOf(await admin('GET', `/metrics/${id}`));
    const replies = await Promise.all(
      ['A', 'B', 'C'].map((name) => admin('PATCH', '/metrics', [{ id, name }], read)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  });
});

describe('a change is carried out', () => {
  test('if others have changed something else', async () => {
    const read = etagOf(await admin('GET', `/metrics/${id}`));
    const [mine, myKey] = [id, key];
    await create();
    await admin('PATCH', '/metrics', [{ id, name: 'Laps' }]);
    expect((await admin('PATCH', '/metrics', [{ id: mine, name: 'Rounds' }], read)).status).toBe(200);
    expect((await admin('PUT', '/config', { metrics: [{ key: myKey, name: 'X' }] }, read)).status).toBe(412);
  });

  test('if it repeats what others have done, or there is no version to compare with', async () => {
    const read = etagOf(await admin('GET', `/metrics/${id}`));
    const change = (ifMatch: string | null) => admin('PATCH', '/metrics', [{ id, name: 'Laps' }], ifMatch);
    for (const ifMatch of [null, '*', read, `W/${read}`]) expect((await change(ifMatch)).status).toBe(200);
  });
});

test.each([
  ['"999999"', 412, 'If-Match names version 999999, which is not recorded; the configuration has version'],
  ['17', 422, 'If-Match must be the ETag of an earlier answer, such as "17"'],
  ['"a"', 422, 'If-Match must be'],
  ['"1", "2"', 422, 'If-Match must be'],
])('If-Match: %s is answered %i', async (ifMatch, status, message) => {
  const refused = await admin('PATCH', '/metrics', [{ id, name: 'Laps' }], ifMatch);
  expect([refused.status, refused.body.error]).toEqual([status, expect.stringContaining(message)]);
});
