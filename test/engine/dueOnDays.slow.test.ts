import { expect, test } from 'vitest';
import type { Json } from '../support/reading.ts';
import { until } from '../support/until.ts';
import { useWebhooks } from '../support/webhooks.ts';

/** Webhooks that depend on days: days off, anniversaries and the period of recaps. 4 March 2026 is a Wednesday. */
const server = useWebhooks({
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { daysOff: [0, 6], metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [{ key: 'year', name: 'One year', trigger: 'anniversary', anniversaryYears: 1 }],
});
const { answer: call, createWebhook, moveTo, record } = server;
const bodies = (path: string): Json[] => server.receiver.of(path).map(({ body }) => body);
const arrived = (path: string, count: number) => until(() => bodies(path).length >= count);
const berlin = (id: string, fields: object = {}) => record({ id, tz: 'Europe/Berlin', ...fields });

/** An anniversary is reported when its day begins, and its e-mail is due in the evening. */
async function checkAnniversary(): Promise<void> {
  await createWebhook('/completed', ['achievement.completed', 'emails.achievement_due']);
  await berlin('silent', { signUpDate: '2025-03-04' });
  await berlin('ann', { signUpDate: '2025-03-05' });
  await moveTo('2026-03-04T23:01:00Z');
  await arrived('/completed', 1);
  const achievement = { key: 'year', trigger: 'anniversary', anniversaryYears: 1 };
  expect(bodies('/completed')[0]).toMatchObject({
    type: 'achievement.completed',
    user: { id: 'ann', signUpDate: '2025-03-05' },
    achievement: { ...achievement, achievedAt: '2026-03-04T23:00:00.000Z' },
  });
  await moveTo('2026-03-05T16:01:00Z');
  await arrived('/completed', 2);
  expect(bodies('/completed').slice(1)).toMatchObject([
    {
      type: 'emails.achievement_due',
      timestamp: '2026-03-05T16:00:00.000Z',
      user: { id: 'ann' },
      achievement,
    },
  ]);
}

/** No reminder comes on a day off; the next day that counts has one. */
async function checkReminders(): Promise<void> {
  await createWebhook('/reminders', ['emails.streak_reminder_due']);
  await moveTo('2026-03-06T12:00:00Z');
  await berlin('bob');
  const streak = (await call('GET', '/v1/users/bob/streak')) as Json;
  expect(streak).toMatchObject({ length: 1, expires: '2026-03-09' });
  await moveTo('2026-03-09T18:59:00Z');
  await moveTo('2026-03-09T19:01:00Z');
  const ofBob = () => bodies('/reminders').filter(({ user }) => user.id === 'bob');
  await until(() => ofBob().length > 0);
  expect(ofBob()).toMatchObject([
    {
      timestamp: '2026-03-09T19:00:00.000Z',
      user: { id: 'bob' },
      streak: { length: 1, expires: '2026-03-09' },
    },
  ]);
}

/** Recaps are due by month if the aggregation period is monthly. */
async function checkRecaps(): Promise<void> {
  await createWebhook('/recaps', ['emails.recap_due']);
  await call('PATCH', '/admin/v1/settings', { aggregationPeriod: 'monthly' });
  await moveTo('2026-03-10T12:00:00Z');
  await berlin('kim');
  await moveTo('2026-03-31T12:00:00Z');
  await moveTo('2026-04-01T07:01:00Z');
  await until(() => bodies('/recaps').some(({ user }) => user.id === 'kim'));
  expect(bodies('/recaps').filter(({ user }) => user.id === 'kim')).toMatchObject([
    { timestamp: '2026-04-01T07:00:00.000Z', recap: { periodStart: '2026-03-01', periodEnd: '2026-03-31' } },
  ]);
}

test('anniversaries, reminders around days off and monthly recaps are sent on their days', async () => {
  await checkAnniversary();
  await checkReminders();
  await checkRecaps();
});
