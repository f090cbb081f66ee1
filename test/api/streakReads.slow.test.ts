import { describe, expect, test } from 'vitest';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { useImports } from '../support/importing.ts';
import { items, lessonStreak } from '../support/items.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** Reads of a streak with its latest periods while nothing reaches PostgreSQL. */

const configOf = (more: object = {}): object => ({
  metrics: items('lessons'),
  streak: lessonStreak({ frequency: 'daily', freezes: { startCount: 2, maxCount: 2 }, ...more }),
});
const server = useServer({
  config: configOf(),
  env: { LAUREL_HISTORY_WAIT_MS: '0' },
  serverEach: true,
});

/** Length of each period, with what kept the streak. */
async function periodsOf(query = ''): Promise<string[]> {
  const { streakHistory } = await server.get(`/v1/users/ann/streak${query}`);
  return streakHistory.map(
    ({ length, usedFreeze, usedPause }: { length: number; usedFreeze: boolean; usedPause: boolean }) =>
      `${length}${usedFreeze ? ' freeze' : ''}${usedPause ? ' pause' : ''}`,
  );
}
const statusOf = async (query = ''): Promise<number> =>
  (await server.call('GET', `/v1/users/ann/streak${query}`)).status;

/** The text with the latest periods in the state of the user. */
async function packedPeriods(): Promise<string> {
  const cells = (await readCells(server.pool))!;
  const state = await readUserState(server.redis, cells, { tenant: DEFAULT_TENANT, userId: 'ann' });
  return state!.recentPeriods.packed;
}

describe('the latest seven periods of a streak', () => {
  test('need no history; longer forms do', async () => {
    const days = await TestDays.begin(server);
    for (const day of [0, 1, 2, 4, 9]) {
      await days.moveTo(day);
      await server.record('ann');
    }
    expect(await periodsOf()).toEqual(['3 freeze', '4', '4 freeze', '0', '0', '0', '1']);
    expect(await periodsOf('?historyPeriods=2')).toEqual(['0', '1']);
    expect(await statusOf('?historyPeriods=8')).toBe(503);
    await server.startRelay();
    await server.relayed();
    expect(await periodsOf('?historyPeriods=10')).toEqual(['1', '2', '3', ...(await periodsOf())]);
  });

  test('take 32 bytes of the state, however many there were', async () => {
    const days = await TestDays.begin(server);
    for (let day = 0; day < 12; day++) {
      await days.moveTo(day);
      await server.record('ann');
      expect(await packedPeriods()).toHaveLength(32);
    }
    expect(await periodsOf()).toEqual(['6', '7', '8', '9', '10', '11', '12']);
  });

  test('are in the history only, while a reset is among them or another frequency is in force', async () => {
    const days = await TestDays.begin(server, { monday: true });
    await days.moveTo(0);
    await server.record('ann');
    await server.admin('POST', '/streaks/reset', { users: [{ id: 'ann' }], reason: 'A test' });
    expect(await statusOf()).toBe(503);
    await days.moveTo(6);
    await server.record('ann');
    expect(await statusOf()).toBe(503);
    await days.moveTo(7);
    expect(await periodsOf()).toEqual(['0', '0', '0', '0', '0', '1', '0']);

    await server.configure(configOf({ frequency: 'weekly' }));
    expect(await statusOf()).toBe(503);
    for (let week = 2; week <= 8; week++) {
      await days.moveTo(7 * week);
      await server.record('ann');
    }
    expect(await periodsOf()).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });

  test('are those of a streak that was imported', async () => {
    const relay = await server.startRelay();
    const imports = await useImports(server);
    const days = await TestDays.begin(server);
    await days.moveTo(0);
    const row = { id: 'ann', 'streak.length': 12, 'streak.lastDate': days.date(-1) };
    await imports.import('users', [row]).finally(imports.close);
    await relay.stop();
    await server.record('ann');
    expect(await periodsOf()).toEqual(['7', '8', '9', '10', '11', '12', '13']);
  });
});
