import { expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { atPace, type Pace } from '../../src/engine/availability/pace.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { EventLatency, EventLatencyReporter } from '../../src/redis/state/eventLatency.ts';
import { YieldingPace } from '../../workers/jobs/yieldingPace.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const running = new AbortController().signal;
const paceOf = async (latency: { averageMs: number | null }, jobs = 1): Promise<Pace> => {
  const pace = new YieldingPace(latency);
  let found!: Pace;
  for (let i = 0; i < jobs; i++)
    void pace.run(running, (itsPace) => {
      found = itsPace;
      return new Promise(() => {});
    });
  return found;
};

test('work in the background does not rest while no event is expected', async () => {
  expect(await paceOf({ averageMs: null })).toMatchObject({ usersPerCall: 200, callsAtOnce: 4, rest: 0 });
});

test('it settles fewer users in a call beside events, and rests the longer the more these wait', async () => {
  const rests = await Promise.all([0, 1, 2, 4, 400].map((averageMs) => paceOf({ averageMs })));
  expect(rests.map(({ usersPerCall }) => usersPerCall)).toEqual([25, 25, 25, 25, 25]);
  expect(rests.map(({ rest }) => rest)).toEqual([0, 1.5, 3, 6, 6]);
});

test('jobs that run at once share the time that one has between its rests', async () => {
  // One works for a seventh of the time, so each of four works for a part in 28.
  expect((await paceOf({ averageMs: 400 }, 4)).rest).toBe(27);
});

test('a job changes its pace as soon as events come', async () => {
  const latency: { averageMs: number | null } = { averageMs: null };
  const pace = await paceOf(latency);
  latency.averageMs = 4;
  expect(pace).toMatchObject({ usersPerCall: 25, callsAtOnce: 1, rest: 6 });
});

test('workers hear how long the calls of events take, and that there are none any more', async () => {
  const server = await startTestServer();
  const redis = connectRedis(server.redisUrl, createLog('test', 'silent'));
  await whenReady(redis);
  const latency = new EventLatency(redis, 2_000);
  expect(latency.averageMs).toBe(null);
  const reporter = new EventLatencyReporter(redis);
  let nowMs = 0;
  // The subscription takes a moment.
  await until(async () => {
    nowMs += 1_000;
    reporter.add(3, nowMs);
    return latency.averageMs === 3;
  });
  reporter.add(5, nowMs + 10);
  reporter.add(10, nowMs + 250);
  await until(async () => latency.averageMs === 7.5);
  await until(async () => latency.averageMs === 0);
  await until(async () => latency.averageMs === null);
  latency.close();
  redis.disconnect();
  await server.stop();
});

test('a rest ends with the work', async () => {
  // The rest must be long, but below the 24 days that a timer can wait even if the call takes seconds.
  const stopping = new AbortController();
  let calls = 0;
  const work = atPace({ signal: stopping.signal, usersPerCall: 1, callsAtOnce: 1, rest: 1e5 }, async () => {
    calls++;
    await new Promise((resolve) => setImmediate(resolve));
    setImmediate(() => stopping.abort());
    return true;
  });
  await work;
  expect(calls).toBe(1);
});
