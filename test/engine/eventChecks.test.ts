import { expect, test } from 'vitest';
import { useServer } from '../support/useServer.ts';

/** What is said of events that are wrong and of fields that are not known, and how much is answered. */

const server = useServer({ config: 'test/support/application.yaml' });

const record = (event: unknown, query = '') =>
  server.call('POST', `/v1/metrics/lessons/event${query}`, event);

test('everything that is wrong with an event is named at once', async () => {
  const user = { name: 5, email: 'nowhere', tz: 'Mars/Base', attributes: { town: 'x' } };
  const { status, body } = await record({ user, value: 'many', attributes: { mood: 'good' } });
  expect(status).toBe(422);
  for (const fault of [
    'user.id is required',
    'user.name must be',
    'user.email must be an e-mail',
    'value must be a number',
  ]) {
    expect(body.error).toContain(fault);
  }
  for (const fault of ['user.tz must be an IANA', 'attribute keys: town', 'attribute keys: mood']) {
    expect(body.error).toContain(fault);
  }
  const known = await record({ user: { id: 'ann', tz: 'Mars/Base', attributes: { town: 'x' } }, value: 1 });
  expect(known.status).toBe(422);
  expect(known.body.error).toMatch(
    /user\.tz must be an IANA.*; Invalid attribute keys: town\. Please ensure all keys match the attributes set up in the configuration\.$/,
  );
});

test('unknown fields are ignored and named, or refused if the call is strict', async () => {
  const event = { user: { id: 'ann', nmae: 'Ann' }, value: 1, atributes: { skill: 'x' } };
  const ignored = await record(event);
  expect([ignored.status, ignored.headers.get('X-Ignored-Fields')]).toEqual([201, 'user.nmae, atributes']);
  const strict = await record(event, '?strict=true');
  expect([strict.status, strict.body.error]).toEqual([
    422,
    'user.nmae is not known; did you mean "name"?; atributes is not known; did you mean "attributes"?',
  ]);
  const right = await record({ user: { id: 'ann' }, value: 1 }, '?strict=true');
  expect([right.status, right.headers.get('X-Ignored-Fields')]).toEqual([201, null]);
  expect((await record({ user: { id: 'ann' }, value: 1 }, '?strict=maybe')).status).toBe(422);
  const odd = await record({ user: { id: 'ann' }, value: 1, 'ä\r\nX: y': 1 });
  expect([odd.status, odd.headers.get('X-Ignored-Fields')]).toEqual([201, encodeURIComponent('ä\r\nX: y')]);
});

test('an event that lacks a field names the misspelt one', async () => {
  const { status, body } = await record({ user: { id: 'ann' }, valeu: 1 });
  expect([status, body.error]).toEqual([422, 'value is required; valeu is not known; did you mean "value"?']);
});

test('unknown fields are named, also if a list has another type', async () => {
  const event = { user: { id: 'ann', deviceTokens: { a: 1 } }, value: 1, atributes: {} };
  const { status, body } = await record(event, '?strict=true');
  expect([status, body.error]).toEqual([
    422,
    'user.deviceTokens must be an array or null; atributes is not known; did you mean "attributes"?',
  ]);
});

const APPLIED = 'Preference-Applied';

test('a sender that prefers a minimal answer gets the id and the total, also for a replay', async () => {
  const send = (prefer: string, key: string) =>
    server.call(
      'POST',
      '/v1/metrics/lessons/event',
      { user: { id: 'brief' }, value: 2 },
      {
        Prefer: prefer,
        'Idempotency-Key': key,
      },
    );
  const first = await send('return=minimal', 'a');
  const eventId = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect([first.status, first.body, first.headers.get(APPLIED)]).toEqual([
    201,
    { eventId, total: 2 },
    'return=minimal',
  ]);
  const replay = await send('wait=5, Return = "minimal"; x=1, return=representation', 'a');
  expect([replay.status, replay.body]).toEqual([202, first.body]);
  const full = await send('respond-async, return=representation, return=minimal', 'b');
  expect([full.status, full.headers.get(APPLIED)]).toEqual([201, null]);
  expect(full.body).toMatchObject({ total: 4, currentStreak: { length: 1 } });
});

test('a minimal answer still names the fields that were ignored', async () => {
  const event = { user: { id: 'brief', nmae: 'B' }, value: 1 };
  const { headers } = await server.call('POST', '/v1/metrics/lessons/event', event, {
    Prefer: 'return=minimal',
  });
  expect([headers.get(APPLIED), headers.get('X-Ignored-Fields')]).toEqual(['return=minimal', 'user.nmae']);
});
