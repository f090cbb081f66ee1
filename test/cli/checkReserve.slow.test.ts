import { expect, test } from 'vitest';
import { items, metricBoard } from '../support/items.ts';
import { useServer } from '../support/useServer.ts';

const server = useServer({
  config: { metrics: items('lessons'), leaderboards: [metricBoard('small', { maxParticipants: 4 })] },
  relay: true,
});

test('a user who has changed behind the last rank, and moved up since, is no difference', async () => {
  await server.record({ id: 'cy' }, 1);
  for (const [i, id] of ['ann', 'bo', 'dee', 'eve'].entries()) await server.record({ id }, 10 + i);
  // A move behind the last rank is not in the history.
  await server.record({ id: 'cy' }, 2);
  for (const id of ['ann', 'bo', 'dee'])
    await server.admin('POST', `/users/${id}/leaderboards/small/hide`, { reason: 'Test' });
  const { rankings } = await server.get('/v1/leaderboards/small');
  expect(rankings.at(-1)).toMatchObject({ userId: 'cy', rank: 2, value: 3 });
  await server.expectSameStores();
});
