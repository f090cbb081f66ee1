import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Importing, useImports } from '../support/importing.ts';
import { metricBoard } from '../support/items.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Events of the past on a league. */

const LEAGUE = {
  groupSize: 10,
  tiers: [
    { key: 'bronze', name: 'Bronze', promote: 1 },
    { key: 'silver', name: 'Silver' },
  ],
};
const server = useServer({
  config: {
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    leaderboards: [
      metricBoard('league', { start: dayFromStart(-9), runUnit: 'day', runInterval: 7, league: LEAGUE }),
    ],
  },
  relay: true,
});
let imports: Importing;
beforeAll(async () => {
  imports = await useImports(server);
});
afterAll(() => imports?.close());

const lesson = (id: string, daysAgo: number, value = 1): object => ({
  timestamp: `${dayFromStart(-daysAgo)}T18:00:00Z`,
  metric: 'lessons',
  user: { id },
  value,
});

test('events of the past count in the present run of a league, and put nobody into a run that is over', async () => {
  await imports.import('events', [lesson('lea', 9), lesson('lea', 8), lesson('lea', 2), lesson('lou', 1, 2)]);
  const place = (id: string) => server.get(`/v1/users/${id}/leaderboards/league`);
  expect(await place('lou')).toMatchObject({ rank: 1, value: 2, tier: { key: 'bronze' } });
  expect(await place('lea')).toMatchObject({ rank: 2, value: 1, tier: { key: 'bronze' } });
  await server.expectSameStores();
});
