import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { BODY_BYTES_MAX, EVENT_VALUE_MAX } from '../../src/base/limits.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const EVENT = '/v1/metrics/lessons/event';

const server = useServer();

const event = (user: object, rest: object = {}): object => ({
  user: { id: 'refused', ...user },
  value: 1,
  ...rest,
});

describe('an event that is refused', () => {
  const cases: [name: string, path: string, body: unknown, status: number, names: RegExp][] = [
    ['malformed JSON', EVENT, '{"user":', 400, /JSON/],
    ['a body that is no object', EVENT, '[]', 422, /body must be an object/],
    ['no body', EVENT, '', 400, /JSON/],
    [
      'text that is not UTF-8',
      EVENT,
      Buffer.from('{"user":{"id":"refused","name":"Ren\xe9"},"value":1}', 'latin1'),
      400,
      /UTF-8/,
    ],
    ['no user', EVENT, { value: 1 }, 422, /user is required/],
    ['no user id', EVENT, { user: {}, value: 1 }, 422, /user\.id is required/],
    ['an empty user id', EVENT, event({ id: '' }), 422, /user\.id/],
    ['a user id that is no string', EVENT, event({ id: 7 }), 422, /user\.id must be a string/],
    ['an over-long user id', EVENT, event({ id: 'x'.repeat(256) }), 422, /user\.id/],
    ['an over-long name', EVENT, event({ name: 'x'.repeat(2000) }), 422, /user\.name/],
    ['a NUL character', EVENT, event({ name: 'a\0b' }), 422, /NUL/],
    ['a lone surrogate', EVENT, event({ id: 'a\ud800' }), 422, /surrogate/],
    [
      'a lone surrogate in a reason',
      '/admin/v1/users/refused/block',
      { reason: 'a\udc00' },
      422,
      /surrogate/,
    ],
    ['no value', EVENT, { user: { id: 'refused' } }, 422, /value is required/],
    ['a value that is no number', EVENT, event({}, { value: '1' }), 422, /value must be a number/],
    ['an infinite value', EVENT, '{"user":{"id":"refused"},"value":1e999}', 422, /value/],
    ['an absurdly large value', EVENT, event({}, { value: EVENT_VALUE_MAX * 2 }), 422, /value/],
    ['an unknown time zone', EVENT, event({ tz: 'Mars/Olympus' }), 422, /user\.tz/],
    ['an offset as a time zone', EVENT, event({ tz: '+03:00' }), 422, /user\.tz/],
    ['unknown attributes', EVENT, event({ attributes: { shoe: '1', hat: '2' } }), 422, /shoe, hat/],
    ['unknown event attributes', EVENT, event({}, { attributes: { weather: 'rain' } }), 422, /weather/],
    [
      'an attribute that is no string',
      EVENT,
      event({ attributes: { city: 5 } }),
      422,
      /user\.attributes\.city/,
    ],
    ['an e-mail address in angle brackets', EVENT, event({ email: 'ada@example.com>' }), 422, /email/],
    ['e-mails without an address', EVENT, event({ subscribeToEmails: true }), 422, /email/],
    ['more energy than there is', '/v1/metrics/minutes/event', event({}, { value: 1000 }), 422, /energy/],
    ['an unknown metric', '/v1/metrics/nothing/event', event({}), 404, /nothing/],
    ['a path that is not UTF-8', '/v1/metrics/%ff/event', event({}), 400, /%ff/],
    ['a body over the limit', EVENT, event({ name: 'x'.repeat(BODY_BYTES_MAX) }), 413, /bytes/],
  ];

  test.each(cases)(
    '%s: the error names the field and nothing changes',
    async (_name, path, body, status, names) => {
      const reply = await server.call('POST', path, body, { 'Idempotency-Key': 'kept' });
      expect(reply).toMatchObject({ status, body: { error: expect.stringMatching(names) } });
      expect((await server.call('GET', '/v1/users/refused')).status).toBe(404);
    },
  );

  test.each([
    ['unknown attributes', 'unknownAttribute'],
    ['unknown event attributes', 'unknownAttribute'],
    ['e-mails without an address', 'noEmail'],
    ['more energy than there is', 'outOfPoints'],
    ['an unknown metric', 'unknownMetric'],
    ['an unknown time zone', undefined],
  ])('%s: the code is %s', async (name, code) => {
    const [, path, body] = cases.find((one) => one[0] === name)!;
    expect((await server.call('POST', path, body)).body.code).toBe(code);
    if (code === 'outOfPoints' || code === 'unknownAttribute') {
      const inBatch = { key: path === EVENT ? 'lessons' : 'minutes', ...(body as object) };
      const batch = await server.call('POST', '/admin/v1/metrics/events', [inBatch]);
      if (code === 'outOfPoints') expect(batch.body.refused).toMatchObject([{ index: 0, code }]);
      else expect([batch.status, batch.body.error]).toEqual([422, expect.stringContaining('[0]')]);
    }
  });

  test('a call about a user who does not exist says so', async () => {
    for (const path of ['/v1/users/nobody', '/v1/users/nobody/streak'])
      expect(await server.call('GET', path)).toMatchObject({ status: 404, body: { code: 'unknownUser' } });
  });

  test('the id of a user cannot be changed', async () => {
    await server.call('POST', '/v1/users', { id: 'named' });
    for (const method of ['PATCH', 'PUT']) {
      const refused = await server.call(method, '/v1/users/named', { id: 'renamed', name: 'Ada' });
      expect([refused.status, refused.body.error]).toEqual([
        422,
        expect.stringContaining('id cannot be changed'),
      ]);
      expect((await server.call(method, '/v1/users/named', { id: 'named', tz: 'UTC' })).status).toBe(200);
    }
    expect((await server.call('GET', '/v1/users/named')).body).toMatchObject({ name: null, tz: 'UTC' });
    expect((await server.call('GET', '/v1/users/renamed')).status).toBe(404);
  });

  test('the replacement character itself is accepted', async () => {
    const reply = await server.call('POST', EVENT, { user: { id: 'replaced', name: '\ufffd' }, value: 1 });
    expect(reply.status).toBe(201);
  });

  test('does not use up its idempotency key', async () => {
    for (const [, path, body] of cases) await server.call('POST', path, body, { 'Idempotency-Key': 'kept' });
    const [recorded, replayed] = [await keyed('kept'), await keyed('kept')];
    expect(recorded).toMatchObject({ status: 201, body: { total: 1, idempotentReplayed: false } });
    expect(replayed).toMatchObject({ status: 202, body: { total: 1, eventId: recorded.body.eventId } });
  });

  const keyed = (key: string) =>
    server.call('POST', EVENT, event({ id: 'keyed' }), { 'Idempotency-Key': key });

  test('because its idempotency key is too long', async () => {
    expect(await keyed('k'.repeat(1001))).toMatchObject({ status: 422, body: { error: /Idempotency-Key/ } });
  });
});

describe('keys', () => {
  test.each(['', 'wrong'])('"%s" is refused on every call', async (key) => {
    for (const [method, path] of [
      ['POST', EVENT],
      ['GET', '/v1/users/ada'],
      ['GET', '/admin/v1/test-clock'],
    ] as const) {
      const reply = await callApi(server.url + path, method, method === 'POST' ? event({}) : undefined, {
        'X-API-KEY': key,
      });
      expect(reply).toMatchObject({ status: 401, body: { error: expect.stringContaining('X-API-KEY') } });
    }
  });
});

test('a user who loses the address is unsubscribed, also by an event, and stays so with a new address', async () => {
  const change = async (method: string, fields: object) =>
    (await server.call(method, '/v1/users/leaver', fields)).body.subscribeToEmails;
  expect(await change('PUT', { email: null })).toBe(true);
  expect(await change('PATCH', { email: 'leaver@example.com' })).toBe(true);
  expect(await change('PATCH', { name: 'Lea' })).toBe(true);
  expect(await change('PATCH', { email: null })).toBe(false);
  expect(await change('PATCH', { email: 'other@example.com' })).toBe(false);
  expect(await change('PATCH', { subscribeToEmails: true })).toBe(true);
  await server.call('POST', EVENT, event({ id: 'leaver', email: null }));
  expect((await server.call('GET', '/v1/users/leaver')).body.subscribeToEmails).toBe(false);
});

describe('what does not exist', () => {
  test.each([
    ['/v1/users/nobody', /nobody/],
    ['/v1/users/nobody/achievements', /nobody/],
    ['/v1/users/nobody/streak', /nobody/],
    ['/v1/users/nobody/points/xp', /nobody/],
    ['/v1/users/ada/points/gold', /gold/],
    ['/v1/users/nobody/leaderboards/weekly', /nobody/],
    ['/v1/leaderboards/nothing', /nothing/],
    ['/v1/leaderboards/weekly?run=2026-11-17', /run/],
    ['/v2/users/ada', /v2/],
  ])('%s is 404', async (path, names) => {
    await server.call('POST', EVENT, { user: { id: 'ada' }, value: 1 });
    expect(await server.call('GET', path)).toMatchObject({
      status: 404,
      body: { error: expect.stringMatching(names) },
    });
  });

  test('completing achievements', async () => {
    const complete = (key: string) =>
      server.call('POST', `/v1/achievements/${key}/complete`, { user: { id: 'ada' } });
    expect(await complete('nothing')).toMatchObject({ status: 404 });
    expect(await complete('first-lesson')).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/metric/) },
    });
  });
});

describe('query parameters', () => {
  test.each([
    ['/v1/leaderboards/weekly?limit=-1', /limit/],
    ['/v1/leaderboards/weekly?limit=1.5', /limit/],
    ['/v1/leaderboards/weekly?offset=x', /offset/],
    ['/v1/leaderboards/weekly?limit=1&limit=2', /limit/],
    ['/v1/leaderboards/weekly?run=2026-02-30', /run/],
    ['/v1/leaderboards/weekly?userAttributes=city:berlin', /userAttributes/],
    ['/v1/leaderboards/city', /userAttributes/],
    ['/v1/leaderboards/city?userAttributes=city', /userAttributes/],
    ['/v1/leaderboards/city?userAttributes=city:a,city:b', /userAttributes/],
    ['/v1/leaderboards/city?userAttributes=plan:a', /userAttributes/],
    ['/v1/leaderboards?includeFinished=yes', /includeFinished/],
    ['/v1/users/ada/points/xp?awards=-1', /awards/],
    ['/v1/users/ada/points/xp?awards=101', /awards/],
    ['/v1/users/ada/leaderboards/weekly?num_events=101', /num_events/],
  ])('%s is 422', async (path, names) => {
    expect(await server.call('GET', path)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(names) },
    });
  });
});

describe('ids and keys in paths', () => {
  test.each(['a/b c', 'ünï-çødé 日本', '100%'])('"%s" works percent-encoded', async (id) => {
    expect((await server.call('PUT', `/v1/users/${encodeURIComponent(id)}`, { name: 'N' })).body.id).toBe(id);
    expect((await server.call('GET', `/v1/users/${encodeURIComponent(id)}`)).body).toMatchObject({
      id,
      name: 'N',
    });
  });

  test('/api serves what /v1 does', async () => {
    const reply = await server.call('POST', '/api/metrics/lessons/event', { user: { id: 'api' }, value: 2 });
    expect(reply).toMatchObject({ status: 201, body: { total: 2 } });
    expect((await server.call('PUT', '/api/users/api', { name: 'A' })).body).toMatchObject({ name: 'A' });
  });
});

describe('users', () => {
  test('a batch of events does not set the sign-up date', async () => {
    const user = { id: 'batched', signUpDate: '2024-02-29' };
    const batch = await server.call('POST', '/admin/v1/metrics/events', [{ key: 'lessons', user, value: 1 }]);
    expect(batch).toMatchObject({ status: 202, body: { accepted: 1 } });
    expect((await server.call('GET', '/v1/users/batched')).body.signUpDate).toBeNull();
  });

  test('the sign-up date is a day or the UTC day of a date-time, and not after today in the zone of the user', async () => {
    const signUpDate = async (body: object): Promise<unknown> => {
      const reply = await server.call('PUT', '/v1/users/ines', body);
      return reply.body.signUpDate ?? [reply.status, reply.body.error];
    };
    expect((await server.call('PUT', '/v1/users/ines', { tz: 'UTC' })).body.signUpDate).toBeNull();
    expect(await signUpDate({ signUpDate: '2024-02-29' })).toBe('2024-02-29');
    expect(await signUpDate({ signUpDate: '2024-05-31T22:30:00-03:00' })).toBe('2024-06-01');
    const today = new Date(server.clock.now()).toISOString().slice(0, 10);
    const tomorrow = new Date(server.clock.now() + 86_400_000).toISOString().slice(0, 10);
    expect(await signUpDate({ signUpDate: today })).toBe(today);
    for (const invalid of ['2023-02-29', '2024-13-01T00:00:00Z', '0000-01-01', 'yesterday']) {
      expect(await signUpDate({ signUpDate: invalid })).toEqual([
        422,
        expect.stringContaining('user.signUpDate'),
      ]);
    }
    const future = [422, expect.stringContaining('user.signUpDate must not be after today')];
    expect(await signUpDate({ signUpDate: tomorrow })).toEqual(future);
    const event = { user: { id: 'ines', signUpDate: tomorrow }, value: 1 };
    expect((await server.call('POST', '/v1/metrics/lessons/event', event)).status).toBe(422);
    expect((await server.call('GET', '/v1/users/ines')).body.signUpDate).toBe(today);

    const past = { user: { id: 'ines', signUpDate: '2020-01-31' }, value: 1 };
    expect((await server.call('POST', '/v1/metrics/lessons/event', past)).status).toBe(201);
    const batch = [{ key: 'lessons', ...past, user: { ...past.user, signUpDate: '2019-01-01' } }];
    expect((await server.call('POST', '/admin/v1/metrics/events', batch)).body).toEqual({
      accepted: 1,
      refused: [],
    });
    const strict = await server.call('POST', '/admin/v1/metrics/events?strict=true', batch);
    expect(strict.body.refused).toMatchObject([{ error: 'user.signUpDate is not known' }]);
    expect((await server.call('PATCH', '/v1/users/ines', { signUpDate: undefined })).body.signUpDate).toBe(
      '2020-01-31',
    );
    expect((await server.call('PATCH', '/v1/users/ines', { signUpDate: null })).body.signUpDate).toBeNull();
  });

  test('a given field replaces, an absent field stays, null clears', async () => {
    const first = {
      email: 'g@example.com',
      name: 'G',
      tz: 'Asia/Tokyo',
      deviceTokens: ['t'],
      attributes: { city: 'rome' },
    };
    await server.call('PUT', '/v1/users/grace', first);
    expect((await server.call('PATCH', '/v1/users/grace', { name: 'Grace' })).body).toMatchObject({
      ...first,
      name: 'Grace',
    });
    const cleared = await server.call('PATCH', '/v1/users/grace', {
      tz: null,
      deviceTokens: null,
      attributes: { city: null },
    });
    expect(cleared.body).toMatchObject({ name: 'Grace', tz: null, deviceTokens: [], attributes: {} });
  });

  test('a replayed event does not apply its profile again', async () => {
    const send = (name: string) => server.call('POST', EVENT, { user: { id: 'hal', name }, value: 1 });
    const read = async () => (await server.call('GET', '/v1/users/hal')).body.name;
    await send('Hal');
    await send('Hal');
    await server.call('PATCH', '/v1/users/hal', { name: 'HAL' });
    expect(await read()).toBe('HAL');
    await send('Hal');
    expect(await read()).toBe('Hal');
  });
});

describe('a body that is left out', () => {
  test.each([
    ['PUT', '/v1/users/bodiless'],
    ['PATCH', '/v1/users/bodiless'],
    ['PATCH', '/v1/users/bodiless/preferences'],
    ['PATCH', '/admin/v1/settings'],
    ['POST', '/admin/v1/dead/replay'],
  ])('is an object without fields for %s %s, which requires none', async (method, path) => {
    await server.call('PUT', '/v1/users/bodiless', {});
    const reply = await server.call(method, path);
    const same = await server.call(method, path, {});
    expect(reply.status).toBeLessThan(300);
    expect(reply).toMatchObject({ status: same.status, body: same.body });
  });

  test.each([
    ['POST', '/v1/achievements/profile/complete'],
    ['POST', '/admin/v1/users/ada/leaderboards/weekly/hide'],
    ['PUT', '/admin/v1/config'],
  ])('is refused for %s %s', async (method, path) => {
    expect(await server.call(method, path)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/JSON/) },
    });
  });
});

describe('achievements by API', () => {
  test('are completed once, with their points', async () => {
    const complete = () =>
      server.call('POST', '/v1/achievements/profile/complete', { user: { id: 'iris', name: 'Iris' } });
    const first = await complete();
    expect(first).toMatchObject({ status: 201, body: { achievement: { key: 'profile', trigger: 'api' } } });
    const again = await complete();
    expect(again.body).toEqual({ ...first.body, points: {} });
  });
});

describe('leaderboards', () => {
  test('a page can start at a user, and at an offset', async () => {
    for (const [id, value] of [
      ['p1', 900],
      ['p2', 800],
      ['p3', 700],
    ] as const) {
      await server.call('POST', EVENT, { user: { id }, value });
    }
    const ids = async (query: string) =>
      (await server.call('GET', `/v1/leaderboards/weekly?${query}`)).body.rankings.map(
        (ranked: { rank: number; userId: string }) => `${ranked.rank} ${ranked.userId}`,
      );
    expect(await ids('limit=2')).toEqual(['1 p1', '2 p2']);
    expect(await ids('limit=1&offset=2')).toEqual(['3 p3']);
    expect(await ids('userId=p2&limit=2')).toEqual(['2 p2', '3 p3']);
    expect(await ids('limit=0')).toEqual([]);
  });
});

describe('clients that hang up', () => {
  const request = `POST ${EVENT} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${API_KEY}\r\nContent-Length: 35\r\n\r\n{"user":{"id":"hangup"},"value":100}`;

  test('at any byte do not disturb the server', async () => {
    const { hostname, port } = new URL(server.url);
    const sendPart = (length: number) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(request.slice(0, length), () => socket.destroy());
        });
        socket.on('close', () => resolve());
        socket.on('error', () => resolve());
      });
    for (let length = 1; length <= request.length; length++) await sendPart(length);
    await until(async () => (await server.call('GET', '/healthz')).status === 200);
    expect((await server.call('POST', EVENT, { user: { id: 'after' }, value: 1 })).status).toBe(201);
  });
});

describe('the test clock', () => {
  test('moves the time that rules use, and only forward', async () => {
    const send = () => server.call('POST', EVENT, { user: { id: 'tim', tz: 'UTC' }, value: 1 });
    const { now } = (await server.call('GET', '/admin/v1/test-clock')).body;
    const day = (n: number) => new Date(Date.parse(now) + n * 86_400_000).toISOString();
    expect((await send()).body.currentStreak).toMatchObject({ length: 1, extended: true });
    expect((await server.call('POST', '/admin/v1/test-clock', { now: day(1) })).status).toBe(200);
    expect((await send()).body.currentStreak).toMatchObject({ length: 2, extended: true });
    expect((await send()).body.currentStreak).toMatchObject({ length: 2, extended: false });
    expect((await server.call('POST', '/admin/v1/test-clock', { now: day(0) })).status).toBe(422);
    expect((await server.call('POST', '/admin/v1/test-clock', { now: 'tomorrow' })).status).toBe(422);
    await server.call('POST', '/admin/v1/test-clock', { now: day(4) });
    expect((await server.call('GET', '/v1/users/tim/streak?historyPeriods=0')).body).toMatchObject({
      length: 0,
      started: null,
    });
  });

  test('stands still until it is moved again', async () => {
    const move = (body: object) => server.call('POST', '/admin/v1/test-clock', body);
    const { now } = (await server.call('GET', '/admin/v1/test-clock')).body;
    const held = new Date(Date.parse(now) + 86_400_000).toISOString();
    expect((await move({ now: held, stopped: true })).body).toMatchObject({ now: held, stopped: true });
    const { body } = await server.call('POST', EVENT, { user: { id: 'stan' }, value: 1 });
    expect(body.achievements[0].achievedAt).toBe(held);
    expect((await move({ now: held, awaitHistory: false })).body).toMatchObject({ stopped: false });
    await until(async () => (await server.call('GET', '/admin/v1/test-clock')).body.now > held);
  });

  test.each([['yesterday'], ['2026-02-30T00:00:00Z'], ['0']])('cannot begin at "%s"', (LAUREL_TEST_CLOCK) => {
    expect(() => readEnv({ LAUREL_TEST_CLOCK })).toThrow('LAUREL_TEST_CLOCK must be 1 or an instant');
  });
});

describe('operations', () => {
  test('health, readiness and metrics answer without a key', async () => {
    for (const path of ['/healthz', '/readyz'])
      await expect.poll(async () => (await fetch(server.url + path)).status).toBe(200);
    await server.call('POST', EVENT, { user: { id: 'counted' }, value: 1 });
    // What a busy machine does not read in time is missing.
    const page = async () => (await fetch(`${server.url}/metrics`)).text();
    await expect.poll(page).toMatch(/laurel_outbox_entries [1-9]/);
    await expect.poll(page).toMatch(/laurel_events_total\{outcome="recorded"\} [1-9]/);
  });
});
