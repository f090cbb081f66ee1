import { describe, expect, test } from 'vitest';
import { BATCH_EVENTS_MAX, BODY_BYTES_MAX, CALL_EVENTS_MAX } from '../../src/base/limits.ts';
import { useServer } from '../support/useServer.ts';

const BATCH = '/admin/v1/metrics/events';

const server = useServer();

const lesson = (id: string, value = 1, rest: object = {}): object => ({
  key: 'lessons',
  user: { id },
  value,
  ...rest,
});
const send = (items: unknown, query = '') => server.call('POST', BATCH + query, items);
const totalOf = async (id: string, metric = 'lessons'): Promise<number> =>
  (await server.call('GET', `/v1/users/${id}/metrics/${metric}`)).body.current;

describe('a batch of events', () => {
  test('is evaluated before the answer', async () => {
    const reply = await send([
      lesson('ann', 2),
      { key: 'words', user: { id: 'ann' }, value: 7 },
      lesson('ben'),
    ]);
    expect(reply).toMatchObject({ status: 202, body: { accepted: 3 } });
    expect(reply.body.results).toBeUndefined();
    expect(await Promise.all([totalOf('ann'), totalOf('ann', 'words'), totalOf('ben')])).toEqual([2, 7, 1]);
  });

  test('answers each event as if it had been sent alone', async () => {
    const user = { id: 'cleo', name: 'Cleo' };
    const { body } = await send([lesson('cleo', 1, { user }), lesson('cleo', 4)], '?results=true');
    const alone = await server.call('POST', '/v1/metrics/lessons/event', { user: { id: 'alone' }, value: 1 });
    expect(body.results[0]).toMatchObject({
      status: 201,
      event: {
        total: 1,
        achievements: [{ name: alone.body.achievements[0].name }],
        currentStreak: { length: 1 },
      },
    });
    expect(body.results[1]).toMatchObject({ status: 201, event: { total: 5 } });
  });

  test('keeps the order of events of each user across script calls', async () => {
    const items = Array.from({ length: BATCH_EVENTS_MAX }, (_, i) => lesson(`order${i % 3}`, i + 1));
    expect(items.length).toBeGreaterThan(3 * CALL_EVENTS_MAX);
    const { body } = await send(items, '?results=true');
    const totals = [0, 0, 0];
    for (const [i, result] of body.results.entries()) {
      totals[i % 3]! += i + 1;
      expect(result.event.total).toBe(totals[i % 3]);
    }
  });

  test('keeps the order while zones are looked up and changed', async () => {
    await server.call('PUT', '/v1/users/nomad', { tz: 'Asia/Tokyo' });
    await server.restart();
    const zones = ['Europe/London', 'Pacific/Auckland', 'America/Lima'];
    const items = Array.from({ length: 30 }, (_, i) =>
      lesson('nomad', i + 1, i % 4 === 3 ? { user: { id: 'nomad', tz: zones[i % 3] } } : {}),
    );
    const { body } = await send(items, '?results=true');
    const expected = items.map((_, i) => ((i + 1) * (i + 2)) / 2);
    expect(body.results.map(({ event }: { event: { total: number } }) => event.total)).toEqual(expected);
  });

  test('counts an idempotency key once, within a batch and over batches', async () => {
    const items = [lesson('ida', 3, { idempotencyKey: 'a' }), lesson('ida', 3, { idempotencyKey: 'a' })];
    const first = await send(items, '?results=true');
    const second = await send(items, '?results=true');
    const statuses = (reply: typeof first) =>
      reply.body.results.map(({ status }: { status: number }) => status);
    expect([statuses(first), statuses(second)]).toEqual([
      [201, 202],
      [202, 202],
    ]);
    expect(second.body).toMatchObject({
      accepted: 2,
      results: [{ event: { idempotencyKey: 'a', total: 3 } }, {}],
    });
    expect(await totalOf('ida')).toBe(3);
  });

  test('continues after an event that is refused', async () => {
    const { body } = await send(
      [{ key: 'minutes', user: { id: 'tired' }, value: 1000 }, lesson('tired', 2)],
      '?results=true',
    );
    expect(body).toMatchObject({
      accepted: 1,
      results: [{ status: 422, error: expect.stringMatching(/energy/) }, { status: 201 }],
    });
  });

  test('may have a larger body than other calls', async () => {
    const name = 'n'.repeat(1000);
    const items = Array.from({ length: 300 }, (_, i) =>
      lesson(`large${i}`, 1, { user: { id: `large${i}`, name } }),
    );
    expect(JSON.stringify(items).length).toBeGreaterThan(BODY_BYTES_MAX);
    expect(await send(items)).toMatchObject({ status: 202, body: { accepted: 300 } });
  });
});

describe('a batch that is refused', () => {
  const good = lesson('untouched');
  const cases: [name: string, body: unknown, status: number, names: RegExp][] = [
    ['malformed JSON', '[{', 400, /JSON/],
    ['no list', good, 422, /body must be an array/],
    ['an empty list', [], 422, /body/],
    ['too many events', Array.from({ length: BATCH_EVENTS_MAX + 1 }, () => good), 422, /1000/],
    ['an unknown metric', [good, { ...good, key: 'nothing' }], 422, /\[1\].*nothing/],
    [
      'an unknown zone',
      [lesson('untouched', 1, { user: { id: 'untouched', tz: 'Mars' } })],
      422,
      /\[0\].*user\.tz/,
    ],
    [
      'unknown attributes',
      [good, lesson('x', 1, { attributes: { weather: 'rain' } })],
      422,
      /\[1\].*weather/,
    ],
    ['an item that is no object', [good, 7], 422, /\[1\] must be an object/],
    [
      'a value that is no number',
      [good, lesson('x', 1, { value: '1' })],
      422,
      /\[1\]\.value must be a number/,
    ],
  ];

  test.each(cases)('%s: names the position and records nothing', async (_name, body, status, names) => {
    expect(await send(body)).toMatchObject({ status, body: { error: expect.stringMatching(names) } });
    expect((await server.call('GET', '/v1/users/untouched')).status).toBe(404);
  });

  test('names every invalid item', async () => {
    const items = Array.from({ length: 40 }, (_, i) => (i % 2 ? good : { ...good, value: null }));
    const { body } = await send(items);
    expect(body.error.match(/\[\d+\]\.value/g)).toHaveLength(20);
    const unknown = await send(items.map((_, i) => (i % 2 ? good : { ...good, key: `unknown${i}` })));
    expect(unknown.body.error.match(/\[\d+\]: .*?unknown/g)).toHaveLength(20);
  });
});

test('a strict batch refuses events with unknown fields and records the others', async () => {
  const items = [
    lesson('kim'),
    lesson('lea', 1, { colour: 'red', user: { id: 'lea', nmae: 'Lea' } }),
    lesson('kim'),
  ];
  expect((await send(items, '?strict=true')).body).toEqual({
    accepted: 2,
    refused: [
      { index: 1, status: 422, error: 'user.nmae is not known; did you mean "name"?; colour is not known' },
    ],
  });
  expect(await totalOf('kim')).toBe(2);
  expect((await server.call('GET', '/v1/users/lea')).status).toBe(404);
  expect((await send(items)).body).toEqual({ accepted: 3, refused: [] });
});
