import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliveryId, newId } from '../../src/base/ids.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import type { NoticeFacts } from '../../src/db/deliveries/notificationDeliveries.ts';
import { useImports } from '../support/importing.ts';
import { PUBLIC_URL, useNotifying } from '../support/notifying.ts';
import { UNREGISTERED } from '../support/pushService.ts';
import { until } from '../support/until.ts';

/** What becomes of a notification that has fallen due, whatever made it due. */
const server = useNotifying('test/support/application.yaml');
const TEMPLATES = '/admin/v1/notifications/templates';
const DELIVERIES = '/admin/v1/notifications/deliveries';
const { call } = server;

interface Wanted {
  channel?: 'email' | 'push';
  type?: string;
  facts?: NoticeFacts;
  at?: number;
}

/** Has a notification fall due for a user. @returns what became of it, as the Admin API shows it */
async function notify(userId: string, wanted: Wanted = {}): Promise<Record<string, unknown>> {
  const id = await write(userId, wanted);
  return await settled(userId, id);
}

async function write(
  userId: string,
  { channel = 'email', type = 'reactivation', facts, at }: Wanted,
): Promise<string> {
  const createdAt = at ?? server.clock.now();
  const id = deliveryId(createdAt, [newId()]);
  const json = JSON.stringify(facts ?? { messageNumber: 1, days: 3 });
  await server.write([
    { id, createdAt, tenant: DEFAULT_TENANT, userId, channel, type, dueAt: createdAt, facts: json },
  ]);
  return id;
}

async function find(userId: string, id: string): Promise<Record<string, unknown>> {
  const { body } = await call('GET', `${DELIVERIES}?limit=100&userId=${userId}`);
  return body.find((delivery: { id: string }) => delivery.id === id);
}

async function settled(userId: string, id: string): Promise<Record<string, unknown>> {
  await until(async () => (await find(userId, id)).status !== 'pending');
  return find(userId, id);
}

let users = 0;
async function createUser(fields: object = {}): Promise<string> {
  const id = `user-${++users}`;
  const { status } = await call('PUT', `/v1/users/${id}`, {
    email: `${id}@example.com`,
    name: 'Ada Lovelace',
    ...fields,
  });
  expect(status).toBe(200);
  return id;
}

const arrivedAt = (userId: string) =>
  server.mail.emails.filter(({ recipients }) => recipients[0]!.startsWith(`${userId}@`));
const pushedTo = (token: string) => server.push.pushes.filter((push) => push.token === token);

/**
 * Moves the clock to 10 seconds before an hour.
 * @returns a zone in which this hour is 22:00, so that the next attempt would come at night
 */
async function moveBeforeNight(): Promise<string> {
  const { now } = (await call('GET', '/admin/v1/test-clock')).body;
  const hourMs = Math.ceil((Date.parse(now) + 10_000) / 3_600_000) * 3_600_000;
  const instant = new Date(hourMs - 10_000).toISOString();
  await call('POST', '/admin/v1/test-clock', { now: instant, stopped: true });
  const ahead = ((22 - new Date(hourMs).getUTCHours() + 36) % 24) - 12;
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** Has an attempt fail for a while, and waits for it. */
async function tryOnce(user: string, wanted: Wanted = {}): Promise<void> {
  const id = await write(user, wanted);
  await until(async () => (await find(user, id)).attempts === 1);
}

async function createControlled(): Promise<string> {
  await call('PATCH', '/admin/v1/settings', { experimentation: { controlRatio: 100 } });
  const user = await createUser();
  await call('PATCH', '/admin/v1/settings', { experimentation: { controlRatio: 0 } });
  return user;
}

beforeAll(async () => {
  const { body } = await call('POST', TEMPLATES, [
    ...['achievement_completed', 'streak_reminder', 'recap', 'reactivation'].map((type) => ({
      name: type,
      type,
      channel: 'email',
      status: 'active',
    })),
    { name: 'Push', type: 'reactivation', channel: 'push', status: 'active' },
  ]);
  expect(body.issues).toEqual([]);
  await server.startWorker();
});
beforeEach(() => {
  server.mail.refuse = () => null;
  server.push.answer = () => null;
});

describe('an e-mail', () => {
  test('arrives, once, and the log says so', async () => {
    const user = await createUser();
    const delivery = await notify(user);
    expect(delivery).toMatchObject({
      userId: user,
      channel: 'email',
      type: 'reactivation',
      status: 'sent',
      reason: null,
      attempts: 1,
    });
    const [email, ...others] = arrivedAt(user);
    expect(others).toEqual([]);
    expect(email).toMatchObject({
      subject: 'Ada, your progress is waiting',
      messageId: `<${delivery.id}@laurel.example>`,
    });
    expect(email!.text).toContain('You were last here 3 days ago.');
    expect(email!.header('List-Unsubscribe')).toMatch(
      new RegExp(`^<${PUBLIC_URL}/preferences/[\\w-]+\\.[\\w-]+>$`),
    );
    expect(email!.html).toContain(`${PUBLIC_URL}/preferences/`);
  });

  test('unsubscribes by the link that it carries', async () => {
    const user = await createUser();
    await notify(user);
    const link = arrivedAt(user)[0]!.header('List-Unsubscribe')!.slice(1, -1);
    const response = await fetch(link.replace(PUBLIC_URL, server.url), {
      method: 'POST',
      body: 'List-Unsubscribe=One-Click',
    });
    expect(response.status).toBe(200);
    expect(await notify(user)).toMatchObject({ status: 'suppressed', reason: 'unsubscribed' });
  });

  test('is not sent to an address again that was refused for good, until the user has another', async () => {
    const user = await createUser();
    server.mail.refuse = (address) => (address.startsWith(`${user}@`) ? '550 5.1.1 No such user' : null);
    expect(await notify(user)).toMatchObject({
      status: 'failed',
      reason: '550 5.1.1 No such user',
      attempts: 1,
    });
    server.mail.refuse = () => null;
    expect(await notify(user)).toMatchObject({ status: 'suppressed', reason: 'rejected_email', attempts: 0 });
    await call('PUT', `/v1/users/${user}`, { email: `${user}@other.example` });
    expect(await notify(user)).toMatchObject({ status: 'sent' });
  });

  test('is tried again while the mail server is busy, and given up when it would be night', async () => {
    const user = await createUser();
    server.mail.refuse = () => '451 4.3.2 Try later';
    const id = await write(user, {});
    const tried = await until(async () => {
      const delivery = await find(user, id);
      return delivery.attempts === 1 ? delivery : undefined;
    });
    expect(tried).toMatchObject({ status: 'pending', reason: '451 4.3.2 Try later' });
    await server.pool.query('update notification_deliveries set due_at = created_at where id = $1', [id]);
    await until(async () => (await find(user, id)).attempts === 2);
    server.mail.refuse = () => null;
    await server.pool.query('update notification_deliveries set due_at = created_at where id = $1', [id]);
    expect(await settled(user, id)).toMatchObject({ status: 'sent', attempts: 3 });
    expect(arrivedAt(user)).toHaveLength(1);
    server.mail.refuse = () => '451 4.3.2 Try later';
    await call('PUT', `/v1/users/${user}`, { tz: await moveBeforeNight() });
    expect(await notify(user)).toMatchObject({ status: 'failed', reason: '451 4.3.2 Try later' });
  });
});

describe('nothing is sent', () => {
  const earned = { achievements: [1] };
  test.each<[string, object, Wanted, object | null]>([
    ['no_email', { email: null }, {}, null],
    ['unsubscribed', { subscribeToEmails: false }, {}, null],
    ['invalid_email', { email: 'a@example.com,b' }, {}, null],
    ['no_device_token', {}, { channel: 'push' }, null],
    ['preferences', {}, {}, { reactivation: ['push'] }],
    ['preferences', {}, { type: 'achievement_completed', facts: earned }, { achievement_completed: [] }],
    [
      'inactive',
      { deviceTokens: ['t'] },
      { channel: 'push', type: 'achievement_completed', facts: earned },
      null,
    ],
    ['inactive', {}, { type: 'recap', facts: { frequency: 'yearly', period: 20_000 } }, null],
    ['no_activity', {}, { type: 'recap', facts: { frequency: 'weekly', period: 20_000 } }, null],
    ['extended', {}, { type: 'streak_reminder', facts: { frequency: 'daily', period: 20_775 } }, null],
    ['late', {}, { at: Date.parse('2026-11-17T17:00:00Z') }, null],
  ])('%s: %j, %j', async (reason, fields, wanted, notifications) => {
    const user = await createUser(fields);
    if (notifications) await call('PATCH', `/v1/users/${user}/preferences`, { notifications });
    expect(await notify(user, wanted)).toMatchObject({ status: 'suppressed', reason });
    expect(arrivedAt(user)).toEqual([]);
  });

  test('to an imported user for a day, unless the file says otherwise', async () => {
    const imports = await useImports(server);
    const now = server.clock.now();
    const instant = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
    const row = (id: string, more: object = {}) => ({ id, email: `${id}@example.com`, ...more });
    await imports.import('users', [
      row('by-default'),
      row('at-once', { messagesFrom: instant(-1) }),
      row('next-week', { messagesFrom: instant(7 * 24) }),
    ]);
    const user = { id: 'by-events', email: 'by-events@example.com' };
    await imports.import('events', [{ timestamp: instant(-240), metric: 'lessons', value: 1, user }]);
    await imports.close();
    for (const id of ['by-default', 'next-week', 'by-events'])
      expect([id, await notify(id)]).toMatchObject([id, { status: 'suppressed', reason: 'imported' }]);
    expect(await notify('at-once')).toMatchObject({ status: 'sent' });
  });

  test('to a user of the control group', async () => {
    const user = await createControlled();
    expect(await notify(user)).toMatchObject({ status: 'suppressed', reason: 'control_group' });
  });

  test('of a reminder, once a freeze or a pause keeps the streak', async () => {
    const now = server.clock.now();
    const tomorrow = Math.floor(now / 86_400_000) + 1;
    const reminder = { type: 'streak_reminder', facts: { frequency: 'daily', period: tomorrow } };
    const date = new Date(tomorrow * 86_400_000).toISOString().slice(0, 10);
    const extend = async (): Promise<string> => {
      const user = await createUser();
      const { status } = await call('POST', '/v1/metrics/lessons/event', { user: { id: user }, value: 1 });
      expect(status).toBe(201);
      return user;
    };
    const user = await extend();
    expect(await notify(user, reminder)).toMatchObject({ status: 'sent' });
    const paused = await extend();
    const { body } = await call('POST', '/admin/v1/streaks/pauses', {
      pauses: [{ userId: paused, start: date, end: date }],
    });
    expect(body.issues).toEqual([]);
    expect(await notify(paused, reminder)).toMatchObject({ status: 'suppressed', reason: 'extended' });
    const frozen = await extend();
    await call('PATCH', '/admin/v1/streaks/settings', { freezes: { startCount: 0, maxCount: 1 } });
    expect(
      (await call('POST', '/admin/v1/streaks/freezes', { freezes: [{ userId: frozen }] })).body.issues,
    ).toEqual([]);
    expect(await notify(frozen, reminder)).toMatchObject({ status: 'suppressed', reason: 'extended' });
    await call('PATCH', '/admin/v1/streaks/settings', { freezes: null });
  });

  test('to a user who does not exist', async () => {
    expect(await notify('nobody')).toMatchObject({ status: 'suppressed', reason: 'unknown_user' });
  });
});

describe('of several templates', () => {
  test('the one for the most attributes of the user is sent, or none', async () => {
    const attributes = (await call('GET', '/admin/v1/attributes?limit=100')).body as {
      id: string;
      key: string;
    }[];
    const attributeId = attributes.find(({ key }) => key === 'plan')!.id;
    const forPlan = (attributeValue: string) => ({ userAttributes: [{ attributeId, attributeValue }] });
    const all = (await call('GET', `${TEMPLATES}?limit=100`)).body as {
      id: string;
      type: string;
      channel: string;
    }[];
    const general = all.find(({ type, channel }) => type === 'reactivation' && channel === 'email')!;
    const template = {
      type: 'reactivation',
      channel: 'email',
      status: 'active',
      body: 'For {{ user.attributes.plan }}',
    };
    await call('POST', TEMPLATES, [{ ...template, name: 'Pro', subject: 'Pro', ...forPlan('pro') }]);
    const subjectFor = async (plan: string): Promise<string | undefined> => {
      const user = await createUser({ attributes: { plan } });
      expect(await notify(user)).toMatchObject({ status: 'sent' });
      return arrivedAt(user)[0]!.subject;
    };
    expect(await subjectFor('pro')).toBe('Pro');
    expect(await subjectFor('free')).toBe('Ada, your progress is waiting');
    await call('PATCH', TEMPLATES, [{ id: general.id, ...forPlan('team') }]);
    const user = await createUser({ attributes: { plan: 'free' } });
    expect(await notify(user)).toMatchObject({ status: 'suppressed', reason: 'attributes' });
    await call('PATCH', TEMPLATES, [{ id: general.id, userAttributes: [] }]);
  });
});

describe('a push notification', () => {
  test('reaches every device; those that are gone are taken from the user', async () => {
    const user = await createUser({ deviceTokens: ['phone', 'gone', 'tablet'] });
    server.push.answer = (token) => (token === 'gone' ? UNREGISTERED : null);
    expect(await notify(user, { channel: 'push' })).toMatchObject({ status: 'sent', channel: 'push' });
    expect(pushedTo('phone')[0]).toMatchObject({
      notification: { title: 'Your progress is waiting' },
      data: { type: 'reactivation' },
    });
    expect((await call('GET', `/v1/users/${user}`)).body.deviceTokens).toEqual(['phone', 'tablet']);
  });

  test('comes again after Retry-After, to those devices alone that do not have it', async () => {
    const user = await createUser({ deviceTokens: ['quick', 'slow'] });
    server.push.answer = (token) =>
      token === 'slow' ? { status: 429, headers: { 'Retry-After': '40' } } : null;
    const id = await write(user, { channel: 'push' });
    await until(async () => (await find(user, id)).attempts === 1);
    const { created, due } = (await find(user, id)) as { created: string; due: string };
    const waitMs = Date.parse(due) - Date.parse(created);
    expect(waitMs).toBeGreaterThanOrEqual(40_000);
    server.push.answer = () => null;
    await server.pool.query('update notification_deliveries set due_at = created_at where id = $1', [id]);
    expect(await settled(user, id)).toMatchObject({ status: 'sent', attempts: 2 });
    expect([pushedTo('quick').length, pushedTo('slow').length]).toEqual([1, 1]);
  });

  test('fails when no device is left', async () => {
    const user = await createUser({ deviceTokens: ['lost'] });
    server.push.answer = () => UNREGISTERED;
    expect(await notify(user, { channel: 'push' })).toMatchObject({
      status: 'failed',
      reason: '404 Requested entity was not found.',
    });
    expect(await notify(user, { channel: 'push' })).toMatchObject({
      status: 'suppressed',
      reason: 'no_device_token',
    });
  });
});

describe('metrics', () => {
  test('count notifications by channel, outcome and reason', async () => {
    await notify(await createUser());
    await notify(await createControlled());
    server.mail.refuse = () => '550 5.1.1 No such user';
    await notify(await createUser());
    server.mail.refuse = () => '451 4.3.2 Try later';
    await tryOnce(await createUser());
    await notify(await createUser({ tz: await moveBeforeNight() }));
    await notify(await createUser({ deviceTokens: ['counted'] }), { channel: 'push' });
    server.push.answer = () => UNREGISTERED;
    const withoutDevice = await createUser({ deviceTokens: ['broken'] });
    for (let i = 0; i < 2; i++) await notify(withoutDevice, { channel: 'push' });
    const counted = [
      ['email', 'sent', ''],
      ['email', 'retried', ''],
      ['email', 'failed', 'rejected_email'],
      ['email', 'failed', 'too_late'],
      ['email', 'suppressed', 'control_group'],
      ['push', 'sent', ''],
      ['push', 'failed', 'devices'],
      ['push', 'suppressed', 'no_device_token'],
    ];
    const lines = counted.map(
      ([channel, outcome, reason]) =>
        `laurel_deliveries_total{channel="${channel}",outcome="${outcome}",reason="${reason}"}`,
    );
    // Counts are read once a second.
    await until(async () => {
      const { body } = await call('GET', '/metrics');
      for (const line of lines) expect(body).toContain(line);
      for (const channel of ['email', 'push']) {
        expect(body).toMatch(new RegExp(`laurel_jobs\\{queue="${channel}",state="waiting"\\} \\d+`));
        expect(body).toMatch(new RegExp(`laurel_deliveries_oldest_seconds\\{channel="${channel}"\\} \\d+`));
      }
      return true;
    });
  });
});

describe('the log', () => {
  test('shows notifications of all users or of one, newest first, by what became of them', async () => {
    const user = await createUser({ deviceTokens: ['dropped'] });
    await notify(user);
    await notify(user, { type: 'recap', facts: { frequency: 'yearly', period: 20_000 } });
    server.push.answer = () => UNREGISTERED;
    await notify(user, { channel: 'push' });
    const log = async (query: string) => (await call('GET', `${DELIVERIES}?limit=100${query}`)).body;
    const all: { id: string; created: string; userId: string }[] = await log('');
    const instants = all.map(({ created }) => created);
    expect(instants).toEqual(instants.toSorted().toReversed());
    expect(await log(`&userId=${user}`)).toEqual(all.filter(({ userId }) => userId === user));
    expect(await log(`&userId=${user}`)).toHaveLength(3);
    expect(await log(`&status=failed&channel=push&userId=${user}`)).toHaveLength(1);
    for (const failed of await log('&status=failed&channel=push')) {
      expect(failed).toMatchObject({ status: 'failed', channel: 'push' });
    }
    expect((await call('GET', `${DELIVERIES}?type=recap&limit=1`)).body).toMatchObject([{ type: 'recap' }]);
    expect((await call('GET', `${DELIVERIES}?status=lost`)).status).toBe(422);
  });
});
