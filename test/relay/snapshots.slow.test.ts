import { afterEach, describe, expect, test } from 'vitest';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { connectForJobs } from '../../src/redis/connection/redisClient.ts';
import { decodeUserState } from '../../src/redis/decoding/userState.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readPackedStates, unpackStates } from '../../src/redis/state/storedStates.ts';
import { Jobs } from '../../workers/jobs/jobs.ts';
import { type Schedule, Schedules } from '../../workers/jobs/schedules.ts';
import { allKeys } from '../support/redisData.ts';
import { NOON, silent, useRelaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';

const relaying = useRelaying();
const { drain, record, rowsOf } = relaying;

const fold = (): Promise<number> => foldRelayedStates(relaying.pool, { wait: false });

const relayedStates = async () => (await relaying.pool.query('select * from relayed_states')).rows;

/** Both parts of a user as Redis holds them. */
async function stored(userId: string): Promise<{ hot: Buffer; cold: Buffer }> {
  const { redis, tenant, cellOf } = relaying.engine;
  const [hot, cold] = await redis.hmgetBuffer(keys.user(tenant, cellOf(userId), userId), 'h', 'c');
  return { hot: hot!, cold: cold! };
}

describe('snapshots', () => {
  // States of one test are not folded in another one.
  afterEach(fold);

  test('hold the state of every changed user in Redis', async () => {
    await record({ id: 'ann', attributes: { city: 'london' } }, 2.5);
    await relaying.engine.users.identify(relaying.engine.rules(), 'bø', {
      name: 'Bø',
      email: 'bo@example.com',
    });
    await drain();
    expect(await fold()).toBe(2);
    expect(await rowsOf('user_snapshots', 'user_id')).toEqual([
      { user_id: 'ann', sequence: '1', taken_at: new Date(NOON), ...(await stored('ann')) },
      { user_id: 'bø', sequence: '1', taken_at: new Date(NOON), ...(await stored('bø')) },
    ]);
    expect(await relayedStates()).toEqual([]);
    expect(await fold()).toBe(0);
  });

  test('are in PostgreSQL together with the history, before they are folded', async () => {
    await record('ann');
    await record('ann');
    await drain();
    expect(await rowsOf('event_history')).toHaveLength(2);
    const states = await relayedStates();
    const found = states.flatMap((row) => unpackStates(row));
    expect(found.map(({ userId }) => userId)).toEqual(['ann']);
    expect(decodeUserState(found[0]!.hot, found[0]!.cold).sequence).toBe(2);
  });

  test('an older snapshot never replaces a newer one', async () => {
    await record('ann');
    await drain();
    const [older] = await relayedStates();
    await record('ann');
    await drain();
    await fold();
    const newer = await rowsOf('user_snapshots');
    expect(newer).toMatchObject([{ sequence: '2' }]);
    await relaying.pool.query('insert into relayed_states (read_at, users, states) values ($1, $2, $3)', [
      older!.read_at,
      older!.users,
      older!.states,
    ]);
    expect(await fold()).toBe(1);
    expect(await rowsOf('user_snapshots')).toEqual(newer);
  });

  test('several workers share the folding', async () => {
    for (let i = 0; i < 90; i++) {
      await record(`user-${i % 40}`);
      await drain(relaying.relays[0]);
    }
    const folded = await Promise.all([fold(), fold(), fold()]);
    expect(folded.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(40);
    const snapshots = await rowsOf('user_snapshots', 'user_id');
    expect(snapshots).toHaveLength(40);
    for (const { user_id: userId, hot, cold } of snapshots) {
      expect({ hot, cold }).toEqual(await stored(userId as string));
    }
  });

  test('unknown users are left out', async () => {
    await record('ann');
    const { redis, tenant, cells, cellOf } = relaying.engine;
    const users = ['nobody', 'ann'].map((userId) => ({ tenant, userId }));
    const packed = await readPackedStates(new Scripts(redis, cells), cellOf('ann'), users);
    expect(packed.flatMap(unpackStates)).toEqual([{ tenant, userId: 'ann', ...(await stored('ann')) }]);
  });
});

describe('schedules', () => {
  const prefix = '{laurel}:test-schedules';
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  function startSchedules(schedules: Schedule[]): Schedules {
    const jobs = new Jobs(connectForJobs(relaying.engine.redisUrl, silent), silent, prefix);
    const started = new Schedules(schedules, { jobs, log: silent });
    started.start();
    stops.push(async () => {
      await started.stop();
      await jobs.stop();
    });
    return started;
  }

  /** Names, and the number of jobs that wait for their time. */
  async function known(): Promise<{ schedulers: string[]; delayed: number }> {
    const { redis } = relaying.engine;
    return {
      schedulers: await redis.zrange(`${prefix}:schedules:repeat`, '0', '-1'),
      delayed: await redis.zcard(`${prefix}:schedules:delayed`),
    };
  }

  const yearly = (name: string): Schedule => ({ name, pattern: '0 0 1 1 *', run: async () => {} });

  test('do not depend on the number of workers, and return after Redis was emptied', async () => {
    const all = [1, 2, 3].map(() => startSchedules([yearly('one'), yearly('two')]));
    await until(async () => (await known()).schedulers.length === 2);
    await Promise.all(all.map((schedules) => schedules.reconcile()));
    expect(await known()).toEqual({ schedulers: ['one', 'two'], delayed: 2 });

    const { redis } = relaying.engine;
    await redis.del(...(await allKeys(redis, `${prefix}:*`)));
    await Promise.all(all.map((schedules) => schedules.reconcile()));
    expect(await known()).toEqual({ schedulers: ['one', 'two'], delayed: 2 });
  });

  test('follow the code: changed times are replaced, removed schedules are deleted', async () => {
    const first = startSchedules([yearly('one'), yearly('two')]);
    await first.reconcile();
    const second = startSchedules([{ ...yearly('one'), pattern: '0 0 2 1 *' }]);
    await first.stop();
    await second.reconcile();
    expect(await known()).toEqual({ schedulers: ['one'], delayed: 1 });
  });

  test('continue after Redis was emptied, each once', async () => {
    const runs: string[] = [];
    const often: Schedule = {
      name: 'often',
      pattern: '* * * * * *',
      run: async () => void runs.push('often'),
    };
    for (let worker = 0; worker < 2; worker++) startSchedules([often, yearly('one')]);
    await until(() => runs.length > 0);
    const { redis } = relaying.engine;
    await redis.del(...(await allKeys(redis, `${prefix}:*`)));
    const before = runs.length;
    await until(() => runs.length > before + 1);
    const { schedulers, delayed } = await known();
    expect(schedulers.sort()).toEqual(['often', 'one']);
    expect(delayed).toBeLessThanOrEqual(2);
  });

  test('run in one worker at a time', async () => {
    const runs: string[] = [];
    const everySecond = (worker: string): Schedule => ({
      name: 'often',
      pattern: '* * * * * *',
      run: async () => {
        runs.push(worker);
      },
    });
    startSchedules([everySecond('a')]);
    startSchedules([everySecond('b')]);
    await until(() => runs.length >= 3);
    const { redis } = relaying.engine;
    const completed = await redis.zcard(`${prefix}:schedules:completed`);
    expect(Math.abs(completed - runs.length)).toBeLessThanOrEqual(1);
  });
});
