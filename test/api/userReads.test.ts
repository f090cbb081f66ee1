import { describe, expect, test, vi } from 'vitest';
import { useRecorder } from '../support/recorder.ts';
import { DAY_MS, START_MS } from '../support/testTime.ts';

const recorder = useRecorder();
const { start, record, read } = recorder;

const METRICS = [{ key: 'lessons', name: 'Lessons' }];
const STREAK = { metrics: [{ key: 'lessons', threshold: 1 }] };
const CONFIG = { metrics: METRICS, streak: STREAK };

/** Counts the calls of a script from now on; they go to Redis as before. */
function callsOf(script: string): () => number {
  const spy = vi.spyOn(recorder.engine.redis as unknown as Record<string, () => unknown>, `${script}Buffer`);
  return () => spy.mock.calls.length;
}

describe('reads of users', () => {
  test('of one turn and cell share a call, and do not settle users who need no settling', async () => {
    await start(CONFIG);
    const { userIn, cellOf } = recorder.engine;
    const other = userIn(cellOf('ann'), 'bo');
    for (const id of ['ann', other]) await record({ id });
    const [settling, reading] = [callsOf('changeUser'), callsOf('readUsers')];
    const [ann, bo, again] = await Promise.all([read('ann'), read(other), read('ann')]);
    expect([ann.counters, bo.counters, again]).toEqual([new Map([[1, 1]]), new Map([[1, 1]]), ann]);
    expect([settling(), reading()]).toEqual([0, 1]);
  });

  test('after an event show it', async () => {
    await start(CONFIG);
    for (let total = 1; total <= 3; total++) {
      await record({ id: 'ann' });
      expect((await read('ann')).counters.get(1)).toBe(total);
    }
  });

  test('settle a user whose streak is over', async () => {
    await start(CONFIG);
    await record({ id: 'ann' });
    const settling = callsOf('changeUser');
    recorder.engine.clock.set(START_MS + 2 * DAY_MS);
    expect((await read('ann')).streaks.daily).toMatchObject({ length: 0, lostLength: 1 });
    expect(settling()).toBeGreaterThan(0);
  });

  test('settle a user whose streak has been switched off and would be over', async () => {
    await start(CONFIG);
    await recorder.engine.configure({ streak: { ...STREAK, enabled: false } });
    await recorder.engine.rulesStore.load(recorder.engine.tenant);
    await record({ id: 'ann' });
    recorder.engine.clock.set(START_MS + 2 * DAY_MS);
    expect((await read('ann')).streaks.daily).toMatchObject({ length: 0 });
  });

  test('use newer rules that this server does not have yet', async () => {
    await start(CONFIG);
    await record({ id: 'ann' });
    const { engine } = recorder;
    const old = engine.rules();
    await engine.configure({ metrics: [...METRICS, { key: 'minutes', name: 'Minutes' }] });
    const { rules, user } = await engine.users.read(old, 'ann');
    expect(rules.version).toBe(old.version + 1);
    expect(user.counters).toEqual(new Map([[1, 1]]));
  });

  test('of an unknown user are refused', async () => {
    await start(CONFIG);
    await expect(read('nobody')).rejects.toMatchObject({ code: 'notFound' });
    await expect(read('')).rejects.toMatchObject({ code: 'invalid' });
  });

  test('are refused once Redis has lost its data', async () => {
    await start(CONFIG);
    await record({ id: 'ann' });
    await recorder.engine.redis.flushdb();
    await expect(read('ann')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
