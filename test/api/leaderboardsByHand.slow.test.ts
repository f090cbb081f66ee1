import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { metricBoard, WEEKLY } from '../support/items.ts';
import { type Json, moveClock } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** Runs in one time zone, and what administrators change of leaderboards by hand. */

const server = useServer({
  config: { metrics: [{ key: 'lessons', name: 'Lessons' }] },
  relay: true,
  tenantEach: true,
});
const { admin, call } = server;
let days: TestDays;

beforeEach(async () => {
  days = await TestDays.begin(server);
});

const day = (number: number): string => days.date(number);
const at = (instant: string): Promise<void> => moveClock(server, instant);

async function configure(...leaderboards: object[]): Promise<void> {
  const boards = leaderboards.map((board) => ({ ...board, start: day(1) }));
  await server.configure({ leaderboards: boards });
}

const send = (id: string, value: number, more: object = {}): Promise<void> =>
  server.record({ id, ...more }, value);

const page = (key: string, query = ''): Promise<Json> => server.get(`/v1/leaderboards/${key}${query}`);
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
    const id = await server.idOf('/leaderboards', 'tokyo');
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
    const id = await server.idOf('/leaderboards', 'tokyo');
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

const byHand = async (key: string, verb: string, body: object = {}): Promise<Reply> =>
  admin('POST', `/leaderboards/${await server.idOf('/leaderboards', key)}/${verb}`, {
    reason: 'A test',
    ...body,
  });
const runOf = async (key: string): Promise<string[]> => {
  const { start, end } = await page(key);
  return [start, end];
};

describe('the last day of the present run', () => {
  test('is moved, and the next run ends when it would have ended', async () => {
    await configure(metricBoard('weekly', WEEKLY));
    await at(`${day(3)}T08:00:00Z`);
    await send('ann', 1);
    expect(await runOf('weekly')).toEqual([day(1), day(7)]);
    // Longer, at most up to the day before the next run would end.
    const later = await byHand('weekly', 'end-run', { lastDay: day(10) });
    expect([later.status, later.body]).toEqual([200, { start: day(1), end: day(10) }]);
    await at(`${day(9)}T08:00:00Z`);
    await send('ann', 2);
    expect([await ranking('weekly'), await runOf('weekly')]).toEqual([['ann 3'], [day(1), day(10)]]);
    // Ended as early as possible: at 11:00 UTC, the day after has begun in the first time zone.
    await at(`${day(9)}T11:00:00Z`);
    expect((await byHand('weekly', 'end-run')).body).toEqual({ start: day(1), end: day(10) });
    await at(`${day(11)}T08:00:00Z`);
    await send('ann', 4);
    expect([await ranking('weekly'), await runOf('weekly')]).toEqual([['ann 4'], [day(11), day(14)]]);
    expect(await ranking('weekly', `?run=${day(1)}`)).toEqual(['ann 3']);
    expect((await byHand('weekly', 'end-run', { lastDay: day(12) })).body).toEqual({
      start: day(11),
      end: day(12),
    });
    await at(`${day(15)}T08:00:00Z`);
    expect(await runOf('weekly')).toEqual([day(13), day(21)]);
    const id = await server.idOf('/leaderboards', 'weekly');
    const winners = (await admin('GET', `/leaderboards/${id}/winners`)).body;
    expect(winners.map(({ run, value }: Json) => [run.start, run.end, value])).toEqual([
      [day(11), day(12), 4],
      [day(1), day(10), 3],
    ]);
    const [latest] = (await admin('GET', `/audit?id=${id}`)).body;
    expect(latest.after.runEnds.at(-1)).toMatchObject({ reason: 'A test' });
    // The same file again keeps what was done by hand.
    await configure(metricBoard('weekly', WEEKLY));
    expect(await runOf('weekly')).toEqual([day(13), day(21)]);
  });

  test('of a leaderboard with a time zone may be today', async () => {
    await configure(metricBoard('tokyo', { ...WEEKLY, timeZone: 'Asia/Tokyo' }));
    await at(`${day(3)}T14:00:00Z`);
    expect((await byHand('tokyo', 'end-run')).body).toEqual({ start: day(1), end: day(3) });
    await at(`${day(3)}T15:00:00Z`);
    expect(await runOf('tokyo')).toEqual([day(4), day(14)]);
  });

  test('of a league may be today: users change their tiers when it is over', async () => {
    const tiers = [
      { key: 'bronze', name: 'Bronze', promote: 1 },
      { key: 'silver', name: 'Silver', demote: 1 },
    ];
    await configure(metricBoard('league', { ...WEEKLY, league: { groupSize: 5, tiers } }));
    await at(`${day(2)}T08:00:00Z`);
    await send('ann', 5);
    await byHand('league', 'pause');
    await send('bob', 9);
    await byHand('league', 'resume');
    await send('bob', 1);
    const tierOf = async (user: string) => {
      const { body } = await call('GET', `/v1/users/${user}/leaderboards/league`);
      return [body.start, body.tier.key, body.value];
    };
    expect([await tierOf('ann'), await tierOf('bob')]).toEqual([
      [day(1), 'bronze', 5],
      [day(1), 'bronze', 1],
    ]);
    expect((await byHand('league', 'end-run')).body).toEqual({ start: day(1), end: day(2) });
    await at(`${day(3)}T00:00:00Z`);
    await send('ann', 2);
    await send('bob', 2);
    expect([await tierOf('ann'), await tierOf('bob')]).toEqual([
      [day(3), 'silver', 2],
      [day(3), 'bronze', 2],
    ]);
    expect(await runOf('league')).toEqual([day(3), day(14)]);
  });

  test('is refused where it cannot be', async () => {
    await configure(metricBoard('weekly', { ...WEEKLY, end: day(12) }), metricBoard('total'));
    await at(`${day(3)}T08:00:00Z`);
    const refusal = async (key: string, lastDay: string) => {
      const { status, body } = await byHand(key, 'end-run', { lastDay });
      return [status, body.error];
    };
    expect(await refusal('weekly', day(2))).toEqual([
      422,
      expect.stringContaining(`from ${day(3)} to ${day(12)}`),
    ]);
    expect(await refusal('weekly', day(13))).toEqual([422, expect.stringContaining('lastDay must be')]);
    expect(await refusal('total', day(5))).toEqual([422, expect.stringContaining('has no runs')]);
    expect((await admin('POST', `/leaderboards/${newId()}/end-run`, { reason: 'x' })).status).toBe(404);
    const id = await server.idOf('/leaderboards', 'weekly');
    expect((await admin('POST', `/leaderboards/${id}/end-run`, { lastDay: day(5) })).status).toBe(422);
    // A misspelt field would end the run at once.
    const misspelt = await byHand('weekly', 'end-run', { lastday: day(5) });
    expect([misspelt.status, misspelt.body.error]).toEqual([422, 'lastday is not known']);
    expect(await runOf('weekly')).toEqual([day(1), day(7)]);
  });
});

describe('a paused leaderboard', () => {
  test('counts nothing that happens or arrives in the pause', async () => {
    const daily = { runUnit: 'month', runInterval: 1 };
    await configure(
      metricBoard('sums', daily),
      metricBoard('best', { ...daily, aggregation: 'best' }),
      metricBoard('latest', { aggregation: 'latest' }),
      metricBoard('total'),
    );
    const values = () =>
      Promise.all(
        ['sums', 'best', 'latest', 'total'].map(async (key) => (await page(key)).rankings[0]?.value),
      );
    const everywhere = async (verb: string) => {
      for (const key of ['sums', 'best', 'latest', 'total'])
        expect((await byHand(key, verb)).status).toBe(200);
    };
    await at(`${day(2)}T08:00:00Z`);
    await send('ann', 3);
    await at(`${day(2)}T09:00:00Z`);
    await everywhere('pause');
    expect((await page('sums')).paused).toBe(true);
    await at(`${day(2)}T10:00:00Z`);
    const { eventId } = (await call('POST', '/v1/metrics/lessons/event', { user: { id: 'ann' }, value: 7 }))
      .body;
    expect(await values()).toEqual([3, 3, 3, 3]);
    await at(`${day(2)}T11:00:00Z`);
    await everywhere('resume');
    expect(await page('sums')).not.toHaveProperty('paused');
    // A total has gone on.
    await at(`${day(2)}T12:00:00Z`);
    expect(await values()).toEqual([3, 3, 3, 10]);
    const late = { user: { id: 'ann' }, value: 50, timestamp: `${day(2)}T10:30:00Z` };
    expect((await call('POST', '/v1/metrics/lessons/event', late)).status).toBe(201);
    expect(await values()).toEqual([3, 3, 3, 60]);
    await send('ann', 2);
    expect(await values()).toEqual([5, 3, 2, 62]);
    // What the pause has not counted is not taken back.
    const undo = await admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'A test' });
    expect(undo.status).toBe(200);
    expect(await values()).toEqual([5, 3, 2, 55]);
  });

  test('is paused once, with the reason in the audit log', async () => {
    await configure(metricBoard('total'));
    for (const verb of ['pause', 'pause', 'resume', 'resume'])
      expect((await byHand('total', verb)).body).toEqual({ paused: verb === 'pause' });
    const id = await server.idOf('/leaderboards', 'total');
    const audit = (await admin('GET', `/audit?id=${id}`)).body;
    expect(audit).toHaveLength(3);
    expect(audit[0].after.pauses).toMatchObject([{ reason: 'A test', resumeReason: 'A test' }]);
  });
});
