import { describe, expect, test } from 'vitest';
import { countedGoal, item, items, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';
import { weeksApart } from '../support/weeksApart.ts';

/** What administrators see of the runs of challenges. Each test begins on a Wednesday, two weeks after the one before. */

const CONFIG = {
  metrics: items('lessons'),
  points: [xp([])],
  challenges: [
    item('weekly', {
      start: '2026-01-01',
      runUnit: 'week',
      runInterval: 1,
      goals: [countedGoal('one', 1), countedGoal('two', 2), countedGoal('three', 3)],
      complete: { atLeast: 2 },
      rewards: { points: [{ system: 'xp', points: 5 }] },
    }),
  ],
};

const server = useServer({ config: CONFIG, relay: true, tenantEach: true });
const { admin } = server;
const { day, at } = weeksApart(server, 2);
const challengeId = async (): Promise<string> => (await admin('GET', '/challenges')).body[0].id;
const runs = async (query = ''): Promise<Json> => {
  await server.relayed();
  return (await admin('GET', `/challenges/${await challengeId()}/runs${query}`)).body;
};
const send = (user: string): Promise<Json> => server.record(user, 1, 'lessons');

describe('runs', () => {
  test('the funnel of a run, and the median time to complete', async () => {
    await send('ann');
    await send('ben');
    await at(0, '12:00:00');
    await send('ann');
    await send('ann');
    await send('ann');
    const [run, before] = await runs('?limit=2');
    expect(run).toMatchObject({
      run: day(-2),
      end: day(4),
      users: 2,
      goals: [
        { key: 'one', users: 2 },
        { key: 'two', users: 1 },
        { key: 'three', users: 1 },
      ],
      completed: 1,
      claimed: null,
    });
    expect(Math.abs(run.medianSeconds / 7_200 - 1)).toBeLessThan(0.05);
    expect(before).toMatchObject({ run: day(-9), users: 0, completed: 0, medianSeconds: null });
  });

  test('a late event counts in its run', async () => {
    await at(6, '09:00:00');
    await send('ann');
    await server.record('cem', 1, 'lessons', { timestamp: `${day(4)}T10:00:00Z` });
    const [now, before] = await runs('?limit=2');
    expect([now.run, now.users]).toEqual([day(5), 1]);
    expect([before.run, before.users]).toEqual([day(-2), 1]);
  });
});

test('claims are counted if users claim rewards themselves', async () => {
  await admin('PATCH', '/challenges', [{ id: await challengeId(), claim: 'manual' }]);
  for (let i = 0; i < 2; i++) await send('ann');
  expect((await runs('?limit=1'))[0]).toMatchObject({ completed: 1, claimed: 0 });
  await server.answer('POST', '/v1/users/ann/challenges/weekly/claim');
  expect((await runs('?limit=1'))[0]).toMatchObject({ completed: 1, claimed: 1 });
});

test('an undo says first which goals fall', async () => {
  await send('ann');
  const { eventId } = await send('ann');
  await server.relayed();
  const path = `/users/ann/events/${eventId}/undo`;
  const { challenges } = (await admin('GET', path)).body;
  expect(challenges).toEqual(
    [
      ['two', 2, 1],
      ['three', 2, 1],
    ].map(([key, progress, progressAfter]) => ({
      challenge: item('weekly'),
      run: day(-2),
      goal: item(String(key)),
      progress,
      progressAfter,
    })),
  );
  await admin('POST', path, { reason: 'a test' });
  const { goals } = (await server.call('GET', '/v1/users/ann/challenges/weekly')).body;
  expect(goals.map(({ progress }: Json) => progress)).toEqual([1, 1, 1]);
});

describe('drawn goals', () => {
  test('are those that the users get', async () => {
    for (const user of ['ann', 'ben', 'cem', 'dan']) await send(user);
    await server.relayed();
    const [challenge] = (await admin('GET', '/challenges')).body;
    const { start, runUnit, runInterval, goals } = challenge;
    const given = { start, runUnit, runInterval, goals, pick: 1 };
    const drawn = (await admin('POST', '/challenges/draw', { id: challenge.id, ...given })).body;
    expect(drawn.map(({ id }: Json) => id)).toEqual(['ann', 'ben', 'cem']);
    await admin('PATCH', '/challenges', [{ id: challenge.id, pick: 1, complete: 'all' }]);
    for (const { id, runs: shown } of drawn) {
      const { body } = await server.call('GET', `/v1/users/${id}/challenges/weekly`);
      expect(shown[0].run).toBe(body.run);
      expect(shown[0].goals.map(({ key }: Json) => key)).toEqual(body.goals.map(({ key }: Json) => key));
    }
  });

  test('of a new challenge are those that the users get once it exists', async () => {
    await send('ann');
    await server.relayed();
    const [{ goals }] = (await admin('GET', '/challenges')).body;
    const fresh = { key: 'fresh', name: 'Fresh', runUnit: 'day', runInterval: 1, goals, pick: 1 };
    const { runUnit, runInterval, pick } = fresh;
    const [drawn] = (await admin('POST', '/challenges/draw', { runUnit, runInterval, goals, pick })).body;
    await admin('POST', '/challenges', [{ ...fresh, status: 'active' }]);
    const { body } = await server.call('GET', '/v1/users/ann/challenges/fresh');
    expect(drawn.runs[0].goals.map(({ key }: Json) => key)).toEqual(body.goals.map(({ key }: Json) => key));
    expect(drawn.runs[1].goals).not.toEqual(drawn.runs[0].goals);
  });

  test('a request that names no run is refused', async () => {
    const dated = await admin('POST', '/challenges/draw', { start: 'soon', goals: items('a'), pick: 1 });
    expect([dated.status, dated.body.error]).toEqual([422, 'start must be an existing date, YYYY-MM-DD']);
    const refused = await admin('POST', '/challenges/draw', { runUnit: 'day', goals: items('a'), pick: 1 });
    expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('runInterval')]);
  });
});
