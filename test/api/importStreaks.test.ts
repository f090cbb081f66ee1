import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Importing, useImports } from '../support/importing.ts';
import { lessonStreak } from '../support/items.ts';
import { useServer } from '../support/useServer.ts';

/** Streaks of users who are imported (docs/moving-in.md). */

const server = useServer({
  config: {
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    streak: lessonStreak({ frequency: 'daily', freezes: { startCount: 0, maxCount: 3 } }),
  },
  // 20 November on Kiritimati, 18 November in Pago Pago.
  now: '2026-11-19T10:30:00Z',
  relay: true,
});
const { call, get } = server;
let imports: Importing;
beforeAll(async () => {
  imports = await useImports(server);
});
afterAll(() => imports?.close());

const row = (id: string, length: number, lastDate: string, more: object = {}): object => ({
  id,
  'streak.length': length,
  'streak.lastDate': lastDate,
  ...more,
});

describe('a row without a time zone', () => {
  const create = (id: string, tz: string) => call('PUT', `/v1/users/${id}`, { tz });
  const reasons = async (rows: object[]): Promise<string[]> => {
    const { id } = await imports.import('users', rows);
    return (await imports.refused(id)).map(({ reason }) => reason);
  };

  test('says the last day of the streak in the zone of the user', async () => {
    await create('tokyo', 'Asia/Tokyo');
    await create('lima', 'America/Lima');
    const rows = ['tokyo', 'lima', 'new'].map((id) => row(id, 3, '2026-11-17'));
    expect(await reasons(rows)).toEqual([]);
    const extended = async (id: string) => (await get(`/v1/users/${id}/streak`)).extended;
    expect(await extended('tokyo')).toBe('2026-11-16T15:00:00.000Z');
    expect(await extended('lima')).toBe('2026-11-17T05:00:00.000Z');
    expect(await extended('new')).toBe('2026-11-17T00:00:00.000Z');
  });

  test('is refused if the last day has not begun in the zone of the user', async () => {
    await create('ahead', 'Pacific/Kiritimati');
    await create('behind', 'Pacific/Pago_Pago');
    const refusal = 'streak.lastDate must not be in the future';
    expect(await reasons([row('ahead', 3, '2026-11-20'), row('behind', 3, '2026-11-19')])).toEqual([refusal]);
    expect(await reasons([row('new-2', 3, '2026-11-20')])).toEqual([refusal]);
    expect((await get('/v1/users/ahead/streak')).length).toBe(3);
    expect((await get('/v1/users/behind/streak')).length).toBe(0);
    expect((await call('GET', '/v1/users/new-2')).status).toBe(404);
  });
});
