import { beforeAll, expect, test } from 'vitest';
import { items, perLesson, xp } from '../support/items.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Boosts begin and end with local dates: what is shown of them, and what they do, at every instant around
 * their dates.
 */

const USERS = {
  ann: { tz: 'Pacific/Kiritimati', attributes: { plan: 'pro' } }, // 14 hours ahead of UTC
  zed: { attributes: { plan: 'pro' } },
  bob: { tz: 'Pacific/Pago_Pago' }, // 11 hours behind
};
const BOOSTS = [
  { name: 'Double', start: '2030-03-11', end: '2030-03-12', multiplier: 2, rounding: 'up' },
  { name: 'Pro', start: '2030-03-12', multiplier: 1.3, rounding: 'nearest', userAttributes: { plan: 'pro' } },
  { name: 'Ann', start: '2030-03-11', end: '2030-03-11', multiplier: 1.25, rounding: 'down', userId: 'ann' },
];
const CONFIG = {
  attributes: { user: items('plan') },
  metrics: items('lessons'),
  points: [xp([perLesson(5)], { boosts: BOOSTS })],
};

interface Boost {
  name: string;
  status: string;
}

const server = useServer({ config: CONFIG, relay: true });
const { answer: call } = server;

const statuses = (boosts: Boost[]): string =>
  boosts.map(({ name, status }) => `${name} ${status}`).join(', ');

async function award(userId: keyof typeof USERS): Promise<number> {
  const event = { user: { id: userId, ...USERS[userId] }, value: 1 };
  return (await call('POST', '/v1/metrics/lessons/event', event)).points.xp.added;
}

async function systemId(): Promise<string> {
  return (await call('GET', '/admin/v1/points'))[0].id;
}

const INSTANTS = [
  {
    now: '2030-03-10T09:59:59Z',
    everybody: 'Double scheduled, Pro scheduled',
    admin: 'Double scheduled, Pro scheduled, Ann scheduled',
    ann: 'Double scheduled, Pro scheduled, Ann scheduled',
    bob: 'Double scheduled',
    awards: { ann: 5, zed: 5, bob: 5 },
  },
  {
    now: '2030-03-10T10:00:00Z', // the 11th of Kiritimati
    everybody: 'Double scheduled, Pro scheduled',
    admin: 'Double scheduled, Pro scheduled, Ann scheduled',
    ann: 'Double active, Pro scheduled, Ann active',
    bob: 'Double scheduled',
    awards: { ann: 12, zed: 5, bob: 5 }, // 5 × 2 × 1.25 = 12.5, once, and down as one of them says
  },
  {
    now: '2030-03-11T11:00:00Z', // the 12th of Kiritimati, the 11th of Pago Pago
    everybody: 'Double active, Pro scheduled',
    admin: 'Double active, Pro scheduled, Ann active',
    ann: 'Double active, Pro active',
    bob: 'Double active',
    awards: { ann: 13, zed: 10, bob: 10 },
  },
  {
    now: '2030-03-12T23:59:59Z', // the 13th of Kiritimati
    everybody: 'Double active, Pro active',
    admin: 'Double active, Pro active, Ann finished',
    ann: 'Pro active',
    bob: 'Double active',
    awards: { ann: 7, zed: 13, bob: 10 }, // 6.5 to the nearest
  },
  {
    now: '2030-03-13T11:00:00Z', // the 13th everywhere
    everybody: 'Double finished, Pro active',
    admin: 'Double finished, Pro active, Ann finished',
    ann: 'Pro active',
    bob: '',
    awards: { ann: 7, zed: 7, bob: 5 },
  },
];

/** What users are shown and awarded at an instant. */
async function observe(now: string) {
  await call('POST', '/admin/v1/test-clock', { now, stopped: true });
  for (const id of ['ann', 'zed', 'bob'] as const) await call('PUT', `/v1/users/${id}`, USERS[id]);
  return {
    everybody: statuses(await call('GET', '/v1/points/xp/boosts?includeFinished=true')),
    admin: statuses(await call('GET', `/admin/v1/points/${await systemId()}/boosts`)),
    ann: statuses(await call('GET', '/v1/users/ann/points/xp/boosts')),
    bob: statuses(await call('GET', '/v1/users/bob/points/xp/boosts')),
    awards: { ann: await award('ann'), zed: await award('zed'), bob: await award('bob') },
  };
}

/** By instant. */
const observed = new Map<string, Awaited<ReturnType<typeof observe>>>();
let awardsOfAnn: string[];
beforeAll(async () => {
  for (const { now } of INSTANTS) observed.set(now, await observe(now));
  const { awards } = await call('GET', '/v1/users/ann/points/xp?awards=5');
  awardsOfAnn = awards.map(
    ({ awarded, boosts }: { awarded: number; boosts: Boost[] }) => `${awarded}: ${statuses(boosts)}`,
  );
});

test.each(INSTANTS)(
  'at $now, their status follows the date of the tenant, and of the user in reads of one user',
  ({ now, ...expected }) => {
    const { awards: _, ...shown } = observed.get(now)!;
    expect({ ...shown, awards: expected.awards }).toEqual(expected);
  },
);

test.each(INSTANTS)('at $now, they multiply what users are awarded', ({ now, awards }) => {
  expect(observed.get(now)!.awards).toEqual(awards);
});

test('awards keep the boosts that multiplied them, with their current status', () => {
  expect(awardsOfAnn).toEqual([
    '7: Pro active',
    '7: Pro active',
    '13: Double finished, Pro active',
    '12: Double finished, Ann finished',
    '5: ',
  ]);
});

test('administrators begin and end them at once', async () => {
  const boosts = `/admin/v1/points/${await systemId()}/boosts`;
  const { created } = await call('POST', boosts, [
    { name: 'Bob', start: '2030-03-13', multiplier: 3, userId: 'bob' },
  ]);
  expect(await award('bob')).toBe(15);
  await call('PATCH', boosts, [{ id: created[0].id, multiplier: 4 }]);
  expect(await award('bob')).toBe(20);
  await call('PATCH', boosts, [{ id: created[0].id, start: '2030-03-12', end: '2030-03-12' }]);
  expect(await award('bob')).toBe(5);
});

test('the product of large amounts is exact', async () => {
  const points = [
    {
      key: 'large',
      name: 'Large',
      triggers: [perLesson(70_000_000_000)],
      boosts: [
        { name: 'Tenth', start: '2030-03-01', multiplier: 1.1, rounding: 'up' },
        { name: 'Third', start: '2030-03-01', multiplier: 1.3, rounding: 'up' },
      ],
    },
  ];
  await call('PUT', '/admin/v1/config', { points });
  const event = { user: { id: 'eve' }, value: 1 };
  const { added } = (await call('POST', '/v1/metrics/lessons/event', event)).points.large;
  expect(added).toBe(100_100_000_000);
});
