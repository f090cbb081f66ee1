import { describe, expect, test } from 'vitest';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { isInDanger } from '../../src/notifications/messages/decide.ts';
import { dayOfDate } from '../../src/rules/calendar.ts';
import { useRecorder } from '../support/recorder.ts';

/** Days off of daily streaks, as dated cases. 18 November 2026 is a Wednesday. */
const recorder = useRecorder();
const { start, at, recorded, read } = recorder;

const CONFIG = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { customizationEnabled: true, daysOff: [0, 6], metrics: [{ key: 'lessons', threshold: 1 }] },
} satisfies ConfigFile;

const noon = (day: number) => at(`2026-11-${day}T12:00:00Z`);
const daily = async () => (await read('ann')).streaks.daily;
const prefer = (daysOff: number[]) =>
  recorder.engine.users.prefer(recorder.engine.rules(), 'ann', { streak: { daysOff } });

/** Records an event on each day, the last of which is a Friday. */
async function untilFriday(): Promise<void> {
  for (const day of [18, 19, 20]) {
    noon(day);
    await recorded('ann');
  }
}

describe('a day off', () => {
  test('without an event neither breaks nor extends the streak', async () => {
    await start(CONFIG);
    await untilFriday();
    noon(23);
    expect((await daily()).length).toBe(3);
    expect((await recorded('ann')).streak.length).toBe(4);
    // Monday was needed, and so is Tuesday.
    noon(25);
    expect((await daily()).length).toBe(0);
  });

  test('with an event extends the streak', async () => {
    await start(CONFIG);
    await untilFriday();
    noon(22);
    expect(await recorded('ann')).toMatchObject({ extended: true, streak: { length: 4 } });
  });

  test('uses no freeze; the day after it does', async () => {
    await start({ ...CONFIG, streak: { ...CONFIG.streak, freezes: { startCount: 1, maxCount: 1 } } });
    await untilFriday();
    noon(23);
    expect((await read('ann')).freezes).toBe(1);
    noon(24);
    expect(await read('ann')).toMatchObject({ freezes: 0, streaks: { daily: { length: 3 } } });
  });

  test.each([
    ['tenant', () => recorder.engine.configure({ ...CONFIG, streak: { ...CONFIG.streak, daysOff: [6] } })],
    ['user', () => prefer([6])],
  ])('that the %s sets after a reminder was planned makes it needless', async (_who, set) => {
    await start({ ...CONFIG, streak: { ...CONFIG.streak, daysOff: [] } });
    await untilFriday();
    noon(21);
    const period = dayOfDate('2026-11-21');
    const isNeeded = async () => {
      const user = await read('ann');
      return isInDanger(recorder.engine.rules(), user, { frequency: 'daily', period }, false);
    };
    expect(await isNeeded()).toBe(true);
    await set();
    expect(await isNeeded()).toBe(false);
  });

  test('of the user replaces those of the tenant; an empty list means none', async () => {
    await start(CONFIG);
    await untilFriday();
    await prefer([]);
    noon(22);
    expect((await daily()).length).toBe(0);
  });

  test('of the user does not count while customization is off', async () => {
    await start(CONFIG);
    await untilFriday();
    await prefer([]);
    await recorder.engine.configure({ ...CONFIG, streak: { ...CONFIG.streak, customizationEnabled: false } });
    noon(23);
    expect((await daily()).length).toBe(3);
  });

  test('is judged by the settings in force when it ends', async () => {
    await start(CONFIG);
    await untilFriday();
    noon(22);
    await read('ann');
    await prefer([6]);
    // Saturday has ended, and Sunday counts now.
    at('2026-11-22T23:00:00Z');
    expect((await daily()).length).toBe(3);
    at('2026-11-23T00:00:01Z');
    expect((await daily()).length).toBe(0);
  });

  test('is that of the date in the zone of the user', async () => {
    await start({ ...CONFIG, streak: { ...CONFIG.streak, daysOff: [6] } });
    at('2026-11-20T12:00:00Z');
    await recorded({ id: 'ann', tz: 'Pacific/Auckland' }); // Saturday there
    // Sunday there counts.
    at('2026-11-22T10:59:59Z');
    expect((await daily()).length).toBe(1);
    at('2026-11-22T11:00:00Z');
    expect((await daily()).length).toBe(0);
  });

  test('is refused for other frequencies and without customization', async () => {
    await start({ ...CONFIG, streak: { ...CONFIG.streak, frequency: 'weekly', daysOff: [] } });
    await recorded('ann');
    await expect(prefer([0])).rejects.toThrow('streak.daysOff must be empty unless the frequency');
    await recorder.engine.configure({ ...CONFIG, streak: { ...CONFIG.streak, customizationEnabled: false } });
    await expect(prefer([0])).rejects.toMatchObject({ code: 'forbidden' });
  });
});
