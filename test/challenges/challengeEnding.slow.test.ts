import { beforeAll, expect, test } from 'vitest';
import { item, items } from '../support/items.ts';
import { useNotifying } from '../support/notifying.ts';
import type { Json } from '../support/reading.ts';
import { TestDays } from '../support/testDays.ts';
import { until } from '../support/until.ts';

/** Notifications that the run of a challenge is about to end, by the test clock. */
const server = useNotifying('test/support/application.yaml');
const { call, moveTo } = server;

const CONFIG = {
  metrics: items('lessons'),
  challenges: [
    item('weekly', {
      start: '2026-01-01',
      runUnit: 'week',
      runInterval: 1,
      goals: [
        { ...item('ten'), metric: 'lessons', target: 10 },
        { ...item('days'), metric: 'lessons', aggregate: 'days', target: 3 },
      ],
      complete: 'any',
    }),
  ],
  templates: [{ name: 'Ending', type: 'challenge_ending', channel: 'email', hoursBefore: 6 }],
};

beforeAll(async () => {
  await server.configure(CONFIG);
  await server.startWorker();
});

const act = (id: string, value: number, tz = 'Africa/Abidjan'): Promise<Json> =>
  server.record({ id, tz, email: `${id}@example.com` }, value);

/** What became of the notifications of a user. */
const outcomes = async (userId: string): Promise<Json[]> =>
  (await call('GET', `/admin/v1/notifications/deliveries?userId=${userId}`)).body.map(
    ({ status, reason, due }: Json) => [status, reason, due],
  );

test('users who are not done are reminded once, hours before the end in their zone', async () => {
  const days = await TestDays.begin(server, { monday: true });
  await moveTo(`${days.date(2)}T12:00:00Z`);
  await act('open', 4);
  await act('done', 10);
  await act('later', 4);
  await act('east', 4, 'Asia/Tokyo');
  await server.relayed();
  const sunday = days.date(6);
  expect(await outcomes('open')).toEqual([['pending', null, `${sunday}T18:00:00.000Z`]]);
  expect(await outcomes('done')).toEqual([]);
  await moveTo(`${sunday}T12:00:00Z`);
  // Whoever goes on is reminded no second time, and whoever gets done is not reminded.
  await act('open', 1);
  await act('later', 6);
  await server.relayed();
  await moveTo(`${sunday}T18:00:00Z`);
  await until(async () => (await outcomes('open'))[0]![0] === 'sent');
  expect(await outcomes('open')).toHaveLength(1);
  expect(await outcomes('later')).toEqual([['suppressed', 'completed', `${sunday}T18:00:00.000Z`]]);
  expect(await outcomes('east')).toEqual([['sent', null, `${sunday}T09:00:00.000Z`]]);
  const { subject, text } = server.mail.emails.find(({ recipients }) => recipients[0]!.startsWith('open'))!;
  expect(subject).toBe('Weekly ends soon');
  expect(text).toContain('6 hours are left.');
  expect(text).toContain('5 of 10');
});

test('a user who travels is not reminded again', async () => {
  const days = await TestDays.begin(server, { monday: true });
  await moveTo(`${days.date(2)}T12:00:00Z`);
  await act('traveller', 1, 'Asia/Tokyo');
  await server.relayed();
  await moveTo(`${days.date(6)}T10:00:00Z`);
  await act('traveller', 1, 'Africa/Abidjan');
  await server.relayed();
  await moveTo(`${days.date(6)}T19:00:00Z`);
  await until(async () => (await outcomes('traveller')).every(([status]: Json) => status !== 'pending'));
  expect((await outcomes('traveller')).map(([status, reason]: Json) => [status, reason])).toEqual([
    ['suppressed', 'duplicate'],
    ['sent', null],
  ]);
});
