import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { WEBHOOK_EVENTS, WEBHOOKS } from '../../src/contract/webhooks.ts';
import type { Json } from '../support/reading.ts';
import { until } from '../support/until.ts';
import { useWebhooks } from '../support/webhooks.ts';

/**
 * Webhooks about e-mails that are due, without any template: each once, at the hour of the e-mail in the
 * user's zone.
 */
const CONFIG = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [{ key: 'first', name: 'First', trigger: 'metric', metric: 'lessons', metricValue: 1 }],
};
const TYPES = WEBHOOK_EVENTS.filter((type) => type.startsWith('emails.'));
const PATH = '/due';
/** Wednesday, 4 March 2026, 12:07 UTC: in Berlin 13:07, in Los Angeles 04:07. */
const USERS = { ann: 'Europe/Berlin', bob: 'America/Los_Angeles' };

const server = useWebhooks(CONFIG);
const { answer: call, createWebhook, moveTo, record } = server;
const schemas = new Map(WEBHOOKS.map(({ type, payload }) => [type, Compile(payload)]));

const bodies = (): Json[] => server.receiver.of(PATH).map(({ body }) => body);

/** Moves the clock, waits for the next webhook, and checks that it is the only one. */
async function next(now: string): Promise<Json> {
  const before = bodies().length;
  await moveTo(now);
  await until(() => bodies().length > before);
  expect(bodies()).toHaveLength(before + 1);
  const body = bodies().at(-1)!;
  expect([...schemas.get(body.type)!.Errors(body)]).toEqual([]);
  return body;
}

test('each is sent once, at the local hour of its e-mail, and not for the control group', async () => {
  expect(TYPES).toHaveLength(4);
  await createWebhook(PATH, TYPES);
  for (const [id, tz] of Object.entries(USERS)) await record({ id, tz });
  await call('PATCH', '/admin/v1/settings', { experimentation: { controlRatio: 100 } });
  await record({ id: 'controlled', tz: USERS.ann });

  const achievement = { key: 'first', achievedAt: '2026-03-04T12:07:00.000Z' };
  expect(await next('2026-03-04T16:01:00Z')).toMatchObject({
    type: 'emails.achievement_due',
    timestamp: '2026-03-04T16:00:00.000Z',
    user: { id: 'ann', tz: USERS.ann, control: false },
    achievement,
  });
  const ofBob = { user: { id: 'bob' } };
  expect(await next('2026-03-05T01:01:00Z')).toMatchObject({
    ...ofBob,
    type: 'emails.achievement_due',
    timestamp: '2026-03-05T01:00:00.000Z',
    achievement,
  });

  // Four hours before the end of the day after the event, on which the streak would be lost.
  const streak = { length: 1, frequency: 'daily', expires: '2026-03-05' };
  expect(await next('2026-03-05T19:01:00Z')).toMatchObject({
    type: 'emails.streak_reminder_due',
    timestamp: '2026-03-05T19:00:00.000Z',
    user: { id: 'ann' },
    streak,
  });
  expect(await next('2026-03-06T04:01:00Z')).toMatchObject({
    ...ofBob,
    type: 'emails.streak_reminder_due',
    timestamp: '2026-03-06T04:00:00.000Z',
    streak,
  });

  const reactivation = { messageNumber: 1, daysSinceLastActive: 3 };
  expect(await next('2026-03-07T09:01:00Z')).toMatchObject({
    type: 'emails.reactivation_due',
    timestamp: '2026-03-07T09:00:00.000Z',
    user: { id: 'ann' },
    reactivation,
  });
  expect(await next('2026-03-07T18:01:00Z')).toMatchObject({
    ...ofBob,
    type: 'emails.reactivation_due',
    timestamp: '2026-03-07T18:00:00.000Z',
    reactivation,
  });

  // On Monday at 09:00; in Los Angeles the clock has gone forward the day before.
  const recap = { periodStart: '2026-03-02', periodEnd: '2026-03-08' };
  // Ann's next reactivation is due at 10:00, an hour later.
  expect(await next('2026-03-09T08:01:00Z')).toMatchObject({
    type: 'emails.recap_due',
    timestamp: '2026-03-09T08:00:00.000Z',
    user: { id: 'ann' },
    recap,
  });
  expect(await next('2026-03-09T09:01:00Z')).toMatchObject({
    type: 'emails.reactivation_due',
    user: { id: 'ann' },
    reactivation: { messageNumber: 2, daysSinceLastActive: 5 },
  });
  expect(await next('2026-03-09T16:01:00Z')).toMatchObject({
    ...ofBob,
    type: 'emails.recap_due',
    timestamp: '2026-03-09T16:00:00.000Z',
    recap,
  });
  expect(bodies().map(({ user }) => user.id)).not.toContain('controlled');
});
