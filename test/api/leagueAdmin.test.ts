import { beforeAll, expect, test } from 'vitest';
import { leagueConfig, playLeague } from '../support/leagueGame.ts';
import { useServer } from '../support/useServer.ts';

/** What administrators see of a league: tiers, groups, and what the end of a run did. */

const server = useServer({ config: 'none', relay: true });
let path: string;
beforeAll(async () => {
  path = `/admin/v1/leaderboards/${await playLeague(server)}`;
});

const get = async (what: string) => (await server.call('GET', `${path}/${what}`)).body;

test('the tiers of a league have groups, users and what the last run did', async () => {
  const none = { groups: 0, users: 0, promoted: 0, stayed: 0, demoted: 0, idle: 0 };
  expect(await get('league')).toEqual({
    run: '2031-03-10',
    lastRun: { start: '2031-03-03', end: '2031-03-09', finalized: '2031-03-10T00:00:00.000Z' },
    tiers: [
      { ...none, key: 'gold', name: 'Gold', position: 3 },
      { ...none, key: 'silver', name: 'Silver', position: 2, groups: 1, users: 3 },
      { ...none, key: 'bronze', name: 'Bronze', position: 1, groups: 1, users: 2, promoted: 3, stayed: 2 },
    ],
  });
});

test('groups of the present run are listed by tier, page by page', async () => {
  const silver = { key: 'silver', name: 'Silver' };
  const bronze = { key: 'bronze', name: 'Bronze' };
  const groups = [
    { tier: silver, group: '1', breakdownAttributeValues: [], members: 1, first: 'ann' },
    { tier: bronze, group: '1', breakdownAttributeValues: [], members: 2, first: 'ben' },
  ];
  expect(await get('league-groups')).toEqual(groups);
  expect(await get('league-groups?tier=bronze')).toEqual(groups.slice(1));
  expect(await get('league-groups?limit=1&skip=1')).toEqual(groups.slice(1));
  expect(await get('league-groups?skip=2')).toEqual([]);
});

test('results of a run are listed with tier, group and outcome', async () => {
  const all = await get('league-results');
  expect(all.map(({ userId }: { userId: string }) => userId).sort()).toEqual([
    'ann',
    'ben',
    'cid',
    'dan',
    'eve',
  ]);
  expect(await get('league-results?outcome=stayed&run=2031-03-03')).toEqual(
    expect.arrayContaining([
      {
        userId: 'ben',
        userName: 'Ben',
        tier: { key: 'bronze', name: 'Bronze' },
        group: '1',
        rank: 2,
        value: 3,
        outcome: 'stayed',
      },
    ]),
  );
  expect(await get('league-results?tier=gold')).toEqual([]);
  expect(await get('league-results?run=2031-03-10')).toEqual([]);
});

test('a leaderboard without a league has none of it', async () => {
  const { body } = await server.call('GET', '/admin/v1/leaderboards');
  const plain = body.find(({ key }: { key: string }) => key === leagueConfig.leaderboards[1]!.key);
  for (const what of ['league', 'league-groups', 'league-results']) {
    const reply = await server.call('GET', `/admin/v1/leaderboards/${plain.id}/${what}`);
    expect([what, reply.status, reply.body.error]).toEqual([what, 404, expect.stringMatching(/no league/)]);
  }
});
