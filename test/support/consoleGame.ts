import { expect } from 'vitest';
import type { TestServer } from './server.ts';
import { START_MS } from './testTime.ts';
import { untilRelayed } from './untilRelayed.ts';

/** Five users play for two weeks of the demo, each less often than the one before. */

const DAY_MS = 86_400_000;
export const DAYS = 14;
export const USERS = ['ada', 'bob', 'cem', 'dana', 'eve'];

/** The instant some days after the start. */
export const at = (day: number): string => new Date(START_MS + day * DAY_MS).toISOString();

/** The server needs a relay: the game is in the history afterwards. */
export async function playTwoWeeks(server: TestServer): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    const events = USERS.filter((_, i) => day % (i + 1) === 0).map((id) => ({
      key: 'lessons',
      value: 1,
      user: { id, name: id[0]!.toUpperCase() + id.slice(1), attributes: { city: 'berlin' } },
      attributes: { skill: day % 2 === 0 ? 'speaking' : 'reading' },
    }));
    const words = { key: 'words', value: 40, user: { id: 'ada' } };
    const { status } = await server.call('POST', '/admin/v1/metrics/events', [...events, words]);
    expect(status).toBe(202);
    await server.call('POST', '/admin/v1/test-clock', { now: at(day + 1), stopped: true });
  }
  await untilRelayed(server);
}
