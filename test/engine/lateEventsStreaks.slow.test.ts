import { expect, test } from 'vitest';
import { useRelaying } from '../support/relaying.ts';
import { DAY_MS, START_MS } from '../support/testTime.ts';

/** Streaks with late events after an administrator's operations, and with freezes that are earned. */

const relaying = useRelaying();

async function configure(freezes?: object): Promise<void> {
  await relaying.engine.configure({
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    settings: { lateEvents: { maxAgeSeconds: 9 * 86_400 } },
    streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }], ...(freezes && { freezes }) },
  });
  relaying.createRelay().start();
}

/** Sets the time to noon of a day of the test, by hours later. */
const goTo = (day: number, hours = 0): void => {
  relaying.engine.clock.set(START_MS + day * DAY_MS + hours * 3_600_000);
};
/** Records an event now, or that of an earlier day. */
const record = (day?: number, hours = 0): Promise<unknown> =>
  relaying.engine.record('lessons', {
    user: { id: 'ann' },
    value: 1,
    ...(day !== undefined && {
      timestamp: new Date(START_MS + day * DAY_MS + hours * 3_600_000).toISOString(),
    }),
  });
const amend = (op: 'reset' | 'restore'): Promise<unknown> =>
  relaying.engine.users.amendStreak(relaying.engine.rules(), 'ann', { op });

/** Length and freezes now. */
async function standing(): Promise<[length: number, freezes: number]> {
  const { user } = await relaying.engine.users.read(relaying.engine.rules(), 'ann');
  return [user.streaks.daily.length, user.freezes];
}

test('an event after a reset that arrives later begins a streak, also on the day of the reset', async () => {
  await configure();
  goTo(0);
  await record();
  goTo(1);
  await amend('reset');
  goTo(3);
  await record(2);
  expect(await standing()).toEqual([1, 0]);
  await record(1, 1);
  expect(await standing()).toEqual([2, 0]);
  await record();
  expect(await standing()).toEqual([3, 0]);
});

test('an event that keeps a restored streak may arrive after the streak has been lost again', async () => {
  await configure();
  goTo(0);
  await record();
  goTo(1);
  await record();
  goTo(4);
  expect((await standing())[0]).toBe(0);
  await amend('restore');
  goTo(7);
  expect((await standing())[0]).toBe(0);
  await record(4, 1);
  await record(5);
  await record(6);
  expect((await standing())[0]).toBe(5);
});

test('freezes are earned from the first day on, also if the event of this day comes last', async () => {
  await configure({ startCount: 0, maxCount: 2, autoEarnInterval: 2, autoEarnAmount: 1 });
  const earned = async (): Promise<unknown> => {
    await expect.poll(relaying.isDrained).toBe(true);
    const rows = await relaying.rowsOf('earned_freezes', 'earned_at');
    return rows.map(({ earned_at, freezes }) => {
      return [Math.floor(((earned_at as Date).getTime() - START_MS) / DAY_MS) + 1, freezes];
    });
  };
  for (const day of [1, 2, 3, 4]) {
    goTo(day);
    await record();
  }
  expect(await standing()).toEqual([4, 1]);
  expect(await earned()).toEqual([[3, 1]]);
  await record(0);
  expect(await standing()).toEqual([5, 2]);
  expect(await earned()).toEqual([
    [2, 1],
    [4, 1],
  ]);
});

test('late events that come in order make one streak from the first day on', async () => {
  await configure();
  goTo(6, 1);
  await relaying.engine.record('lessons', { user: { id: 'bob' }, value: 1 });
  for (let day = 1; day <= 6; day++) await record(day);
  const { user } = await relaying.engine.users.read(relaying.engine.rules(), 'ann');
  const { length, firstDay } = user.streaks.daily;
  expect([length, firstDay]).toEqual([6, Math.floor(START_MS / DAY_MS) + 1]);
});
