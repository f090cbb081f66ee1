import { beforeEach, describe, expect, test } from 'vitest';
import { metricBoard } from './support/metricBoard.ts';
import { type Json, moveClock } from './support/reading.ts';
import { useTenants } from './support/tenantEach.ts';
import { TestDays } from './support/testDays.ts';

/** Runs in one time zone. */

const tests = useTenants(() => ({ metrics: [{ key: 'lessons', name: 'Lessons' }] }));
const { admin, call } = tests;
let days: TestDays;

beforeEach(async () => {
  days = await TestDays.begin(tests.server);
});

const day = (number: number): string => days.date(number);
const at = (instant: string): Promise<void> => moveClock(tests.server, instant);

async function configure(...leaderboards: object[]): Promise<void> {
  const boards = leaderboards.map((board) => ({ ...board, start: day(1) }));
  const { status, body } = await admin('PUT', '/config', { leaderboards: boards });
  expect([status, body.error, body.issues]).toEqual([200, undefined, undefined]);
}

async function send(id: string, value: number, more: object = {}): Promise<void> {
  const event = { user: { id, ...more }, value };
  const { status, body } = await call('POST', '/v1/metrics/lessons/event', event);
  expect([status, body.error]).toEqual([201, undefined]);
}

const page = async (key: string, query = ''): Promise<Json> => {
  const { status, body } = await call('GET', `/v1/leaderboards/${key}${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};
const ranking = async (key: string, query = ''): Promise<string[]> =>
  (await page(key, query)).rankings.map(({ userId, value }: Json) => `${userId} ${value}`);

describe('a leaderboard with a time zone', () => {
  const TOKYO = { runUnit: 'day', runInterval: 1, timeZone: 'Asia/Tokyo' };

  test('begins and ends its runs for everybody at once', async () => {
    await configure(
      metricBoard('tokyo', { ...TOKYO, start: day(1) }),
      metricBoard('own', { ...TOKYO, timeZone: null, start: day(1) }),
    );
    // In Tokyo, the day begins at 15:00 UTC.
    await at(`${day(2)}T14:59:00Z`);
    await send('lima', 1, { tz: 'America/Lima' });
    await send('auckland', 2, { tz: 'Pacific/Auckland' });
    expect(await ranking('tokyo')).toEqual(['auckland 2', 'lima 1']);
    expect(await page('tokyo')).toMatchObject({ start: day(2), end: day(2), timeZone: 'Asia/Tokyo' });
    expect(await page('own')).not.toHaveProperty('timeZone');
    await at(`${day(2)}T15:00:00Z`);
    await send('lima', 10);
    expect(await ranking('tokyo')).toEqual(['lima 10']);
    expect((await page('tokyo')).start).toBe(day(3));
    expect((await call('GET', '/v1/users/lima/leaderboards/tokyo')).body).toMatchObject({
      start: day(3),
      value: 10,
    });
    // A late event counts in the run of its instant until that is final, an hour after its end.
    await call('POST', '/v1/metrics/lessons/event', {
      ...{ user: { id: 'auckland' }, value: 5, timestamp: `${day(2)}T14:00:00Z` },
    });
    expect(await ranking('tokyo', `?run=${day(2)}`)).toEqual(['auckland 7', 'lima 1']);
    const id = await tests.idOf('/leaderboards', 'tokyo');
    const winners = async () => (await admin('GET', `/leaderboards/${id}/winners`)).body;
    await at(`${day(2)}T15:59:00Z`);
    expect(await winners()).toEqual([]);
    await at(`${day(2)}T16:00:00Z`);
    expect(await winners()).toMatchObject([
      { run: { start: day(2) }, rank: 1, userId: 'auckland', value: 7 },
      { run: { start: day(2) }, rank: 2, userId: 'lima', value: 1 },
    ]);
  });

  test('is exported, and fixed once it has begun', async () => {
    await configure(metricBoard('tokyo', TOKYO));
    expect((await admin('GET', '/config')).body.leaderboards[0]).toMatchObject({ timeZone: 'Asia/Tokyo' });
    const id = await tests.idOf('/leaderboards', 'tokyo');
    expect((await admin('GET', `/leaderboards/${id}`)).body.timeZone).toBe('Asia/Tokyo');
    await at(`${day(2)}T00:00:00Z`);
    const board = metricBoard('tokyo', { ...TOKYO, start: day(1), timeZone: 'Asia/Seoul' });
    const { status, body } = await admin('PUT', '/config', { leaderboards: [board] });
    expect([status, JSON.stringify(body)]).toEqual([
      422,
      expect.stringContaining('cannot be changed once active'),
    ]);
  });

  test.each([
    [{ timeZone: 'Tokio' }, 'must be an IANA time zone'],
    [{ timeZone: 'Asia/Tokyo', startTime: '08:00' }, 'must be left out with startTime'],
  ])('is refused as %j', async (fields, error) => {
    const board = metricBoard('tokyo', { ...TOKYO, ...fields });
    const { status, body } = await admin('PUT', '/config', { leaderboards: [board] });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(error)]);
  });
});
