import { expect } from 'vitest';
import type { TestServer } from './server.ts';

/** A league whose first run is over: ann, cid and eve were promoted, and ann, ben and dan play again. */

const board = { name: 'League', rankBy: 'metric', metric: 'lessons', runUnit: 'day', runInterval: 7 };

export const leagueConfig = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  leaderboards: [
    {
      ...board,
      key: 'league',
      start: '2031-03-03',
      league: {
        groupSize: 2,
        tiers: [
          { key: 'bronze', name: 'Bronze', promote: 1 },
          { key: 'silver', name: 'Silver', promote: 1, demote: 1 },
          { key: 'gold', name: 'Gold', demote: 1 },
        ],
      },
    },
    { ...board, key: 'weekly', name: 'Weekly', start: '2031-03-03' },
  ],
};

const WEEKS: [now: string, scores: Record<string, number>][] = [
  ['2031-03-05T12:00:00Z', { ann: 5, ben: 3, cid: 4, dan: 1, eve: 2 }],
  ['2031-03-12T12:00:00Z', { ann: 1, ben: 2, dan: 1 }],
];

/** @returns the id of the league */
export async function playLeague(server: TestServer): Promise<string> {
  const call = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status } = await server.call(method, path, body);
    expect([path, status < 300]).toEqual([path, true]);
  };
  await call('POST', '/admin/v1/test-clock', { now: '2031-03-03T12:00:00Z' });
  await call('PUT', '/admin/v1/config', leagueConfig);
  for (const [now, scores] of WEEKS) {
    await call('POST', '/admin/v1/test-clock', { now });
    for (const [id, value] of Object.entries(scores)) {
      const user = { id, name: id[0]!.toUpperCase() + id.slice(1) };
      await call('POST', '/v1/metrics/lessons/event', { user, value });
    }
  }
  const { body } = await server.call('GET', '/admin/v1/leaderboards');
  return body.find(({ key }: { key: string }) => key === 'league').id;
}
