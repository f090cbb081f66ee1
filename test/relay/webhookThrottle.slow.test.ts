import { Compile } from 'typebox/compile';
import { beforeEach, describe, expect, test } from 'vitest';
import { WEBHOOKS } from '../../src/contract/webhooks.ts';
import { readCells } from '../../src/db/installation.ts';
import { Relay } from '../../workers/relay/relay.ts';
import { writeAndDie } from '../support/deadRelay.ts';
import type { Json } from '../support/reading.ts';
import { silent } from '../support/relaying.ts';
import { until } from '../support/until.ts';
import { useWebhooks } from '../support/webhooks.ts';

/** Webhooks about what changes continuously: the first change at once, then one delivery in 15 minutes. */
const POINTS = { type: 'metric', metric: 'lessons', metricThreshold: 1, points: 10 };
const BOARD = { rankBy: 'metric', metric: 'lessons', start: '2026-03-01' };
const LOWEST = { sortOrder: 'asc', aggregation: 'best', ties: 'shared' };
const CONFIG = {
  attributes: { user: [{ key: 'city', name: 'City' }] },
  metrics: ['lessons', 'laps'].map((key) => ({ key, name: key })),
  points: [{ key: 'xp', name: 'XP', levels: [{ key: 'b', name: 'B', points: 25 }], triggers: [POINTS] }],
  leaderboards: [
    { key: 'all', name: 'All', ...BOARD },
    { key: 'city', name: 'City', ...BOARD, breakdownAttributes: ['city'] },
    { key: 'laps', name: 'Laps', ...BOARD, metric: 'laps', ...LOWEST },
  ],
};

const server = useWebhooks(CONFIG, { tenantEach: true });
const { createWebhook, deliveries, moveTo, record, settled, answer: call } = server;
const schemas = new Map(WEBHOOKS.map(({ type, payload }) => [type, Compile(payload)]));

/** The full hour in which a test begins, after those of all tests before. */
let hourMs = 0;
/** An instant so many minutes after this hour. */
const at = (minutes: number): string => new Date(hourMs + minutes * 60_000).toISOString();
beforeEach(async () => {
  const { now } = await call('GET', '/admin/v1/test-clock');
  hourMs = Math.ceil(Date.parse(now) / 3_600_000) * 3_600_000;
  await moveTo(at(7));
});

/**
 * The bodies that a path has received, once there are so many. Each is what the contract says of its type.
 */
async function bodiesAt(path: string, count: number): Promise<Json[]> {
  await until(() => server.receiver.of(path).length >= count);
  const found = server.receiver.of(path);
  for (const { body } of found) expect([...schemas.get(body.type)!.Errors(body)]).toEqual([]);
  expect(found).toHaveLength(count);
  return found.map(({ body }) => body);
}

/** Waits until the history has so many awards of a user. */
const awardsOf = (userId: string, count: number): Promise<unknown> =>
  until(async () => (await call('GET', `/v1/users/${userId}/points/xp?awards=10`)).awards.length === count);

/**
 * The deliveries of a webhook that are due later, once there are so many: type and due time. One that is due
 * already stays pending until its outcome is recorded.
 */
const pending = async (id: string, count: number): Promise<string[]> => {
  const { now } = await call('GET', '/admin/v1/test-clock');
  return until(async () => {
    const later = (await deliveries(id, '&status=pending')).filter(({ due }) => due > now);
    return later.length === count && later.map(({ type, due }) => `${type} ${due}`).toSorted();
  }) as Promise<string[]>;
};

describe('points.changed', () => {
  test('is sent at once, then with all further awards after 15 minutes, each award once', async () => {
    const { id } = await createWebhook('/points', ['points.changed']);
    const first = await record('ann');
    const [sent] = await bodiesAt('/points', 1);
    expect(sent).toMatchObject({ user: { id: 'ann' }, points: { key: 'xp', total: 10, added: 10 } });
    expect(sent.points).toEqual(first.points.xp);

    await moveTo(at(10));
    const second = await record('ann');
    await moveTo(at(12));
    const third = await record('ann', 2);
    expect(await pending(id, 1)).toEqual([`points.changed ${at(22)}`]);
    await moveTo(at(22));
    const [, together] = await bodiesAt('/points', 2);
    expect(together.points).toMatchObject({ total: 40, added: 30, level: { key: 'b' } });
    expect(together.points.awards).toEqual([...second.points.xp.awards, ...third.points.xp.awards]);

    await moveTo(at(60));
    const fourth = await record('ann');
    const [, , alone] = await bodiesAt('/points', 3);
    expect(alone.points).toEqual(fourth.points.xp);
    expect(await deliveries(id)).toHaveLength(3);
  });

  test('awards of late events are sent, at once or with others', async () => {
    await createWebhook('/late', ['points.changed']);
    const late = (minutes: number) =>
      call('POST', '/v1/metrics/lessons/event', {
        user: { id: 'lea' },
        value: 1,
        timestamp: at(minutes),
      });
    const first = await late(-120);
    const [sent] = await bodiesAt('/late', 1);
    expect(sent.points).toEqual(first.points.xp);
    const others = [await record('lea'), await late(-300)];
    await awardsOf('lea', 3);
    await moveTo(at(30));
    const [, together] = await bodiesAt('/late', 2);
    expect(together.points).toMatchObject({ total: 30, added: 20 });
    expect(together.points.awards).toEqual(others.flatMap(({ points }) => points.xp.awards));
  });

  test('a worker that starts keeps to what others have planned', async () => {
    const { id } = await createWebhook('/restart', ['points.changed']);
    await record('ben');
    await bodiesAt('/restart', 1);
    await record('ben');
    await pending(id, 1);
    await server.restartWorker();
    const changes = [await record('ben'), await record('ben')];
    await awardsOf('ben', 4);
    expect(await pending(id, 1)).toEqual([`points.changed ${at(22)}`]);
    await moveTo(at(23));
    const [, together] = await bodiesAt('/restart', 2);
    expect(together.points).toMatchObject({ total: changes[1]!.points.xp.total, added: 30 });
  });

  test('whoever gets the id of an erased user begins anew', async () => {
    const { id } = await createWebhook('/again', ['points.changed']);
    await record('gil');
    await bodiesAt('/again', 1);
    await record('gil', 2);
    await pending(id, 1);
    await call('DELETE', '/admin/v1/users/gil');
    await until(async () => (await server.call('GET', '/v1/users/gil')).status === 404);
    const first = await record('gil');
    const [, sent] = await bodiesAt('/again', 2);
    expect(sent.points).toEqual(first.points.xp);
    const others = [await record('gil'), await record('gil')];
    await awardsOf('gil', 3);
    await moveTo(at(23));
    const [, , together] = await bodiesAt('/again', 3);
    expect(together.points.awards).toEqual(others.flatMap(({ points }) => points.xp.awards));
  });

  test('also if the erased user had another id before', async () => {
    const { id } = await createWebhook('/renamed', ['points.changed']);
    const isThere = async (userId: string) =>
      (await server.call('GET', `/v1/users/${userId}`)).status === 200;
    await record('gus', 2);
    await settled(id, 1);
    await call('POST', '/admin/v1/users/gus/rename', { id: 'hal' });
    await until(async () => !(await isThere('gus')) && (await isThere('hal')));
    await call('DELETE', '/admin/v1/users/hal');
    await until(async () => !(await isThere('hal')));
    const first = await record('hal');
    const [, sent] = await bodiesAt('/renamed', 2);
    expect(sent.points).toEqual(first.points.xp);
  });

  test('an award is in one delivery, also if two deliveries are due at once', async () => {
    const { id } = await createWebhook('/backlog', ['points.changed']);
    const first = await record('eli');
    await bodiesAt('/backlog', 1);
    const others = [await record('eli')];
    await pending(id, 1);
    await server.restartWorker(async () => {
      const relay = await server.startRelay();
      const clock = { now: at(60), stopped: true, awaitHistory: false };
      await call('POST', '/admin/v1/test-clock', clock);
      others.push(await record('eli'));
      await until(async () => (await deliveries(id, '&status=pending')).length === 2);
      await relay.stop();
    });
    expect((await settled(id, 3)).map(({ status }) => status).toSorted()).toEqual([
      'dropped',
      'sent',
      'sent',
    ]);
    const [, together] = await bodiesAt('/backlog', 2);
    expect(together.points).toMatchObject({ total: first.points.xp.total + 20, added: 20 });
    expect(together.points.awards).toEqual(others.flatMap(({ points }) => points.xp.awards));
  });

  test('a new webhook is sent the first change after its creation, and others keep to their interval', async () => {
    const { id } = await createWebhook('/old', ['points.changed']);
    await record('dan');
    await bodiesAt('/old', 1);
    await record('dan');
    const due = await pending(id, 1);
    await server.restartWorker(async () => {
      await record('dan');
      await moveTo(at(8));
      await createWebhook('/new', ['points.changed']);
      await record('dan');
    });
    const [sent] = await bodiesAt('/new', 1);
    expect(sent.points).toMatchObject({ total: 40 });
    expect(await pending(id, 1)).toEqual(due);
  });

  test('tells the cause of an award whose trigger is deleted before the award is in the history', async () => {
    const [system] = await call('GET', '/admin/v1/points?limit=1');
    const triggers = `/admin/v1/points/${system.id}/triggers`;
    const { created } = await call('POST', triggers, [
      { type: 'user_creation', points: 7, status: 'active' },
    ]);
    await createWebhook('/cause', ['points.changed']);
    let awards: Json[] = [];
    await server.restartWorker(async () => {
      ({ awards } = (await record('cas')).points.xp);
      await call('DELETE', `${triggers}?ids=${created[0].id}`);
    });
    expect(awards).toHaveLength(2);
    const [sent] = await bodiesAt('/cause', 1);
    expect(sent.points.awards).toEqual(awards);
  });
});

describe('a batch whose relay died before it acknowledged it', () => {
  const stores = async () => {
    const { pool, redis, clock } = server;
    return { pool, redis, clock, cells: (await readCells(pool))! };
  };

  async function takeOver(): Promise<void> {
    const relay = new Relay({ ...(await stores()), log: silent, takeOverIdleMs: 1 });
    while ((await relay.runOnce()) > 0);
    await relay.stop();
  }

  test.each([
    ['nothing', []],
    ['none that comes with it', ['with']],
    ['none that comes after it', ['after']],
  ])('is reported once, and hides %s', async (_name, further) => {
    const path = `/twice-${further}`;
    const { id } = await createWebhook(path, ['points.changed']);
    const changes: Json[] = [];
    const change = async (when: string) => {
      if (further.includes(when)) changes.push(await record('ann'));
    };
    await server.restartWorker(async () => {
      await record('ann');
      await writeAndDie(await stores());
    });
    await bodiesAt(path, 1);
    await server.restartWorker(async () => {
      await change('with');
      await takeOver();
    });
    await change('after');
    const later = await pending(id, further.length);
    expect(later).toEqual(further.map(() => `points.changed ${at(22)}`));
    await moveTo(at(22));
    const [, ...bodies] = await bodiesAt(path, 1 + further.length);
    expect(bodies.map(({ points }) => points)).toEqual(changes.map(({ points }) => points.xp));
    expect(await settled(id, 1)).toHaveLength(1 + further.length);
  });
});

describe('leaderboards', () => {
  test('are reported in their order, with shared ranks', async () => {
    const lap = (id: string, value: number): Promise<Json> =>
      call('POST', '/v1/metrics/laps/event', { user: { id }, value });
    const { id } = await createWebhook('/orders', ['leaderboard.changed', 'leaderboard.rank_changed']);
    await lap('gil', 60);
    await bodiesAt('/orders', 2);
    await moveTo(at(8));
    await lap('hal', 50);
    await moveTo(at(9));
    await lap('ivy', 50);
    const ranks = (await bodiesAt('/orders', 4)).slice(2);
    expect(ranks.map(({ user, leaderboard }) => [user.id, leaderboard]).toSorted()).toMatchObject([
      ['hal', { rank: 1, value: 50, previousRank: null, previousValue: null }],
      ['ivy', { rank: 1, value: 50, previousRank: null, previousValue: null }],
    ]);
    await pending(id, 1);
    await moveTo(at(23));
    const { leaderboard } = (await bodiesAt('/orders', 5))[4]!;
    expect(leaderboard).toMatchObject({
      ...LOWEST,
      rankings: [
        { userId: 'hal', rank: 1, value: 50 },
        { userId: 'ivy', rank: 1, value: 50 },
        { userId: 'gil', rank: 3, value: 60 },
      ],
    });
  });

  test('are reported at once, then as they are after 15 minutes', async () => {
    await record('ann', 10);
    await moveTo(at(8));
    const { id } = await createWebhook('/boards', ['leaderboard.changed', 'leaderboard.rank_changed']);
    const eve = { id: 'eve', attributes: { city: 'rome' } };
    await record(eve, 100);
    const first = await bodiesAt('/boards', 4);
    expect(first.map(({ type, leaderboard: { key } }) => `${type} ${key}`).toSorted()).toEqual([
      ...['leaderboard.changed all', 'leaderboard.changed city'],
      ...['leaderboard.rank_changed all', 'leaderboard.rank_changed city'],
    ]);
    const of = (bodies: Json[], type: string, board: string) =>
      bodies.find((body) => body.type === type && body.leaderboard.key === board)!;
    expect(of(first, 'leaderboard.changed', 'city').leaderboard).toMatchObject({
      status: 'active',
      breakdownAttributeValue: 'rome',
      rankings: [{ userId: 'eve', userName: null, rank: 1, value: 100 }],
    });
    expect(of(first, 'leaderboard.rank_changed', 'all')).toMatchObject({
      user: { id: 'eve' },
      leaderboard: { rank: 1, value: 100, previousRank: null, previousValue: 0 },
    });

    // A rank that stays is not reported.
    await record('eve', 1);
    await record({ id: 'fay', attributes: { city: 'rome' } }, 200);
    await record('eve', 1);
    const ranks = (await bodiesAt('/boards', 6)).slice(4);
    expect(ranks.map(({ type, user }) => `${type} ${user.id}`)).toEqual(
      Array.from({ length: 2 }, () => 'leaderboard.rank_changed fay'),
    );
    await pending(id, 2);
    await moveTo(at(23));
    const boards = (await bodiesAt('/boards', 8)).slice(6);
    expect(of(boards, 'leaderboard.changed', 'city').leaderboard.rankings).toMatchObject([
      { userId: 'fay', rank: 1, value: 200 },
      { userId: 'eve', rank: 2, value: 102 },
    ]);

    for (const [i, userId] of ['eve', 'fay'].entries()) {
      await record(userId, 200);
      await bodiesAt('/boards', 10 + 2 * i);
    }
    // Eve overtakes fay and falls back before the delivery is due.
    await record('eve', 200);
    await pending(id, 4);
    await record('fay', 200);
    await pending(id, 6);
    await moveTo(at(39));
    const dropped = (await settled(id, 18)).filter(({ status }) => status === 'dropped');
    expect(dropped.map(({ type, userId, reason }) => [type, userId, reason])).toEqual(
      Array.from({ length: 2 }, () => ['leaderboard.rank_changed', 'eve', 'nothing has changed']),
    );
    await call('DELETE', '/admin/v1/users/ann');
    const logged = async (): Promise<string> =>
      (await deliveries(id)).map(({ request }) => request?.body).join();
    // Rankings that named the user are no longer in the log, the others are. A worker erases what the call
    // has not.
    await until(async () => !(await logged()).includes('"ann"'));
    expect(await logged()).toContain('"eve"');
  });

  test('are reported again after changes of several users at one instant', async () => {
    const { id } = await createWebhook('/instant', ['leaderboard.changed']);
    await record('jan', 10);
    await bodiesAt('/instant', 1);
    // The first change of the second user has the same instant and the same sequence number.
    await record('kim', 20);
    expect(await pending(id, 1)).toEqual([`leaderboard.changed ${at(22)}`]);
    await moveTo(at(22));
    const [, { leaderboard }] = (await bodiesAt('/instant', 2)) as [Json, Json];
    expect(leaderboard.rankings).toMatchObject([{ userId: 'kim' }, { userId: 'jan' }]);
  });

  test('are reported for both rankings when a user moves from one to the other', async () => {
    await record({ id: 'gil', attributes: { city: 'oslo' } }, 5);
    // The webhook reports nothing about an event that was relayed before it exists.
    await awardsOf('gil', 1);
    await createWebhook('/moves', ['leaderboard.changed']);
    await call('PUT', '/v1/users/gil', { attributes: { city: 'bergen' } });
    const rankings = (await bodiesAt('/moves', 2)).map(({ leaderboard }) => [
      leaderboard.breakdownAttributeValue,
      leaderboard.rankings.map(({ userId }: Json) => userId),
    ]);
    expect(rankings.toSorted()).toEqual([
      ['bergen', ['gil']],
      ['oslo', []],
    ]);
  });
});
