import { beforeAll, describe, expect, test } from 'vitest';
import { checkEntityLimits, LIVE_LEADERBOARDS_MAX } from '../../src/admin/entities/configRules.ts';
import { BATCH_EVENTS_MAX, CALL_EVENTS_MAX, CALLS_COST_US_MAX } from '../../src/base/limits.ts';
import { KINDS } from '../../src/contract/kinds/allKinds.ts';
import { type Call, CallBudget } from '../../src/engine/calls/callBudget.ts';
import { CellQueue, type Lane, type Pending } from '../../src/engine/calls/cellQueue.ts';
import { primariesOf } from '../../src/redis/connection/redisClient.ts';
import { emptyConfig, type Leaderboard, type Metric } from '../../src/rules/config.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import { items } from '../support/items.ts';
import { configureRedis } from '../support/redisData.ts';
import { useServer } from '../support/useServer.ts';

const USERS = 300;
const BATCHES = 3;

const achievement = (i: number) => {
  return { key: `a${i}`, name: 'A', trigger: 'metric', metric: 'heavy', metricValue: i + 1 };
};
const leaderboard = (i: number) => {
  return {
    key: `b${i}`,
    name: 'B',
    rankBy: 'metric',
    metric: 'heavy',
    start: '2020-01-01',
    maxParticipants: 1_000,
  };
};

describe('the largest configuration', () => {
  const server = useServer({
    config: {
      metrics: items('heavy', 'light'),
      achievements: Array.from({ length: KINDS.achievements.limit }, (_, i) => achievement(i)),
      leaderboards: Array.from({ length: LIVE_LEADERBOARDS_MAX }, (_, i) => leaderboard(i)),
    },
  });
  beforeAll(async () => {
    await configureRedis(server.redis, 'slowlog-log-slower-than', '1000', 'slowlog-max-len', '10000');
    await Promise.all(primariesOf(server.redis).map((primary) => primary.slowlog('RESET')));
  });

  test('keeps nobody else waiting under full batches', { timeout: 300_000 }, async () => {
    let isLoaded = true;
    const batches = Promise.all(
      Array.from({ length: BATCHES }, (_, batch) => {
        const events = Array.from({ length: BATCH_EVENTS_MAX }, (_, i) => {
          return {
            key: 'heavy',
            user: { id: `user-${(batch * BATCH_EVENTS_MAX + i) % USERS}` },
            value: 1 + (i % 3),
          };
        });
        return server.call('POST', '/admin/v1/metrics/events', events);
      }),
    ).finally(() => {
      isLoaded = false;
    });
    const waits: number[] = [];
    while (isLoaded) {
      const start = performance.now();
      const { status } = await server.call('POST', '/v1/metrics/light/event', {
        user: { id: 'other' },
        value: 1,
      });
      waits.push(performance.now() - start);
      expect(status).toBe(201);
    }
    for (const { status, body } of await batches) {
      expect(status).toBe(202);
      expect(body).toMatchObject({ accepted: BATCH_EVENTS_MAX });
    }
    waits.sort((a, b) => a - b);
    const logs = await Promise.all(
      primariesOf(server.redis).map((primary) => primary.slowlog('GET', 10_000)),
    );
    const log = logs.flat() as [number, number, number, string[]][];
    const scripts = log.filter(([, , , command]) => /^eval/i.test(command[0]!)).map(([, , us]) => us / 1000);
    const p99 = waits[Math.ceil(waits.length * 0.99) - 1]!;
    process.stdout.write(
      `longest script ${Math.max(...scripts)} ms, unconcerned metric: ${waits.length} events, p99 ${p99.toFixed(1)} ms\n`,
    );
    expect(scripts.length).toBeGreaterThan((BATCHES * BATCH_EVENTS_MAX) / CALL_EVENTS_MAX);
  });

  test('cannot be exceeded', async () => {
    const one = { key: 'one-more', name: 'One', trigger: 'api' };
    const { body } = await server.call('POST', '/admin/v1/achievements', [one]);
    expect(body.created).toEqual([]);
    expect(JSON.stringify(body)).toContain(
      `key exceeds the limit of ${KINDS.achievements.limit} achievements`,
    );
  });
});

test('each entity beyond the limits is reported', () => {
  const config = emptyConfig(1);
  config.metrics = Array.from(
    { length: KINDS.metrics.limit + 2 },
    (_, i) => ({ id: `m${i}`, key: `m${i}` }) as Metric,
  );
  config.leaderboards = Array.from(
    { length: LIVE_LEADERBOARDS_MAX + 1 },
    (_, i) => ({ id: `b${i}`, key: `b${i}`, status: 'active' }) as Leaderboard,
  );
  expect(checkEntityLimits(config).map(({ id, message }) => [id, message])).toEqual([
    [`m${KINDS.metrics.limit}`, `exceeds the limit of ${KINDS.metrics.limit} metrics`],
    [`m${KINDS.metrics.limit + 1}`, `exceeds the limit of ${KINDS.metrics.limit} metrics`],
    [`b${LIVE_LEADERBOARDS_MAX}`, `exceeds the limit of ${LIVE_LEADERBOARDS_MAX} live leaderboards`],
  ]);
});

/** A lane of a tenant with pending events. */
function laneOf(tenant: number, count: number, costUs: number): Lane {
  const lane = new CellQueue({ tenant } as Rules, 0).cheap;
  for (let i = 0; i < count; i++) lane.pending.push({ event: { costUs } } as Pending);
  return lane;
}
/** Sends the next call of a lane at a monotonic time (ms), when the server has waited `idleMs`. */
const begin = (budget: CallBudget, lane: Lane, atMs: number, idleMs = atMs): Call =>
  budget.begin(lane, budget.plan(lane)!, atMs, idleMs);
const eventsOfACall = (budget: CallBudget, tenant: number, costUs: number): number =>
  budget.plan(laneOf(tenant, 500, costUs))!.events;

test('calls wait once those under way cost as much as may be', () => {
  const budget = new CallBudget();
  const call = begin(budget, laneOf(1, 1, CALLS_COST_US_MAX), 0);
  expect(budget.isSpent).toBe(true);
  budget.end(call, 100, 100);
  expect(budget.isSpent).toBe(false);
});

test('a call takes events up to its budget, at least one', () => {
  const budget = new CallBudget();
  expect([10, 160, 1_000_000].map((costUs) => eventsOfACall(budget, 1, costUs))).toEqual([200, 50, 1]);
});

test('a tenant has calls in flight up to its budget, however many events they have', () => {
  const budget = new CallBudget();
  const callsOf = (costUs: number): number => {
    const lane = laneOf(1, 1_200, costUs);
    let calls = 0;
    for (; budget.plan(lane) !== null; calls++) lane.pending.splice(0, begin(budget, lane, 0).events);
    return calls;
  };
  expect([10, 20, 40, 80, 20_000].map(callsOf)).toEqual([6, 4, 2, 2, 1]);
});

test('a tenant whose calls take four times their estimate gets a quarter of the events into a call', () => {
  const budget = new CallBudget();
  for (let i = 0; i < 400; i++) {
    // Two calls under way: the second is answered 8 ms after the first.
    const calls = [0, 1].map((at) => begin(budget, laneOf(1, 10, 200), 100 * i + at));
    for (const [at, call] of calls.entries()) {
      const atMs = 100 * i + 8 * (at + 1);
      budget.end(call, atMs, atMs);
    }
  }
  expect(eventsOfACall(budget, 1, 200)).toBe(10);
  expect(eventsOfACall(budget, 2, 200)).toBe(40);
  for (let i = 0; i < 80; i++) {
    const atMs = 100_000 + 100 * i;
    budget.end(begin(budget, laneOf(1, 10, 200), atMs), atMs + 1, atMs + 1);
  }
  expect(eventsOfACall(budget, 1, 200)).toBe(40);
});

test('a call does not count as slow because the server read the reply late', () => {
  const budget = new CallBudget();
  let [atMs, idleMs] = [0, 0];
  const takes = (ms: number, waitedMs: number): void => {
    for (let i = 0; i < 400; i++) {
      const call = begin(budget, laneOf(1, 10, 200), atMs, idleMs);
      atMs += ms;
      idleMs += waitedMs;
      budget.end(call, atMs, idleMs);
    }
  };
  takes(8, 0);
  expect(eventsOfACall(budget, 1, 200)).toBe(40);
  takes(8, 4);
  expect(eventsOfACall(budget, 1, 200)).toBe(10);
  // A reply that came soon was soon there, even if the server was busy.
  takes(1, 0);
  expect(eventsOfACall(budget, 1, 200)).toBe(40);
});

test('calls that were slow while the machine was busy do not stay small', () => {
  const budget = new CallBudget();
  let atMs = 0;
  const takes = (usOfAnEvent: number, calls: number): void => {
    for (let i = 0; i < calls; i++) {
      const call = begin(budget, laneOf(1, 500, 36), atMs);
      atMs += (usOfAnEvent * call.events) / 1_000;
      budget.end(call, atMs, atMs);
    }
  };
  takes(36, 1);
  expect(eventsOfACall(budget, 1, 36)).toBe(200);
  takes(720, 1_000);
  expect(eventsOfACall(budget, 1, 36)).toBeLessThan(30);
  takes(36, 40);
  expect(eventsOfACall(budget, 1, 36)).toBe(200);
});

test('a few slow calls among usual ones do not make calls smaller', () => {
  const budget = new CallBudget();
  for (let i = 0; i < 1_000; i++) {
    const call = begin(budget, laneOf(1, 10, 200), 100 * i);
    const atMs = 100 * i + (i % 2 === 0 ? 2 : 10);
    budget.end(call, atMs, atMs);
  }
  expect(eventsOfACall(budget, 1, 200)).toBeGreaterThanOrEqual(25);
});
