import { expect } from 'vitest';
import { START_MS } from './testTime.ts';
import type { ServerUnderTest } from './useServer.ts';

/** Five users play for two weeks of the demo, each less often than the one before. */

const DAY_MS = 86_400_000;
export const DAYS = 14;
export const USERS = ['ada', 'bob', 'cem', 'dana', 'eve'];

/** The instant some days after the start. */
export const at = (day: number): string => new Date(START_MS + day * DAY_MS).toISOString();

/** The server needs a relay: the game is in the history afterwards. */
export async function playTwoWeeks(server: ServerUnderTest): Promise<void> {
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
    await server.moveTo(at(day + 1));
  }
  await server.relayed();
}

/** Has the guards of lessons hold each value above 100, and sends such events. */
export async function sendHeld(
  server: ServerUnderTest,
  events: readonly { value: number; userId: string }[],
): Promise<void> {
  const [metric] = (await server.call('GET', '/admin/v1/metrics')).body;
  const guards = { maxValue: 100, action: 'hold' };
  await server.call('PATCH', '/admin/v1/metrics', [{ id: metric.id, guards }]);
  const sent = events.map(({ value, userId }) => ({ key: 'lessons', value, user: { id: userId } }));
  await server.call('POST', '/admin/v1/metrics/events', sent);
}
