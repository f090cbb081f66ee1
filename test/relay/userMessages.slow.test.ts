import { beforeAll, describe, expect, test } from 'vitest';
import { useNotifying } from '../support/notifying.ts';
import { until } from '../support/until.ts';

/** Messages that administrators send to many users. */
const server = useNotifying('test/support/application.yaml');
const { call } = server;
const MESSAGES = '/admin/v1/notifications/messages';
const email = { subject: 'Sorry, {{ user.name }}', body: '<p>We are <b>back</b>, {{ user.name }}.</p>' };
const push = { subject: 'We are back', body: 'Go on, {{ user.name }}' };
const ids = (...users: string[]) => users.map((id) => ({ id }));

const send = (idempotencyKey: string, users: string[], texts: object = { email, push }) =>
  call('POST', MESSAGES, { users: ids(...users), ...texts, reason: 'A test', idempotencyKey });

let users = 0;
async function createUser(fields: object = {}): Promise<string> {
  const id = `user-${++users}`;
  const profile = { email: `${id}@example.com`, name: 'Ada', tz: 'Etc/UTC', ...fields };
  expect((await call('PUT', `/v1/users/${id}`, profile)).status).toBe(200);
  return id;
}

const deliveriesOf = async (userId: string): Promise<Record<string, unknown>[]> =>
  (await call('GET', `/admin/v1/notifications/deliveries?userId=${userId}`)).body;

/** Waits until workers have settled all deliveries of a user. @returns their states by channel */
async function settled(userId: string): Promise<Record<string, unknown>> {
  const pending = async () => (await deliveriesOf(userId)).some(({ status }) => status === 'pending');
  await until(async () => !(await pending()));
  return Object.fromEntries(
    (await deliveriesOf(userId)).map(({ channel, status, reason }) => [channel, reason ?? status]),
  );
}

const arrivedAt = (userId: string) =>
  server.mail.emails.filter(({ recipients }) => recipients[0]!.startsWith(`${userId}@`));

beforeAll(() => server.startWorker());

describe('a message', () => {
  test('reaches each user once, and the log, the timeline and the audit log say so', async () => {
    const ada = await createUser({ deviceTokens: ['token-ada'] });
    const bob = await createUser({ name: 'Bob' });
    const sent = await send('once', [ada, bob, ada, 'nobody']);
    expect(sent).toMatchObject({
      status: 201,
      body: { users: [ada, bob], issues: [{ index: 3, userId: 'nobody', severity: 'error' }] },
    });
    expect(await settled(ada)).toEqual({ email: 'sent', push: 'sent' });
    expect(await settled(bob)).toEqual({ email: 'sent', push: 'no_device_token' });
    const [mail, ...others] = arrivedAt(ada);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ subject: 'Sorry, Ada' });
    expect(mail!.html).toContain('<p>We are <b>back</b>, Ada.</p>');
    expect(mail!.header('List-Unsubscribe')).toContain('/preferences/');
    expect(server.push.pushes.filter(({ token }) => token === 'token-ada')).toHaveLength(1);
    const audited = (await call('GET', `/admin/v1/audit?userId=${ada}`)).body;
    expect(audited).toMatchObject([
      { kind: 'userMessages', after: { email: email.subject, push: push.subject, reason: 'A test' } },
    ]);
    const { body } = await call('GET', `/admin/v1/users/${ada}/timeline`);
    const messages = body.items.filter(({ kind }: { kind: string }) => kind === 'notification');
    expect(messages.map(({ type, channel }: Record<string, string>) => `${type} ${channel}`).sort()).toEqual([
      'message email',
      'message push',
    ]);
  });

  test('that is sent again under its key goes to those who are left', async () => {
    const [first, second] = [await createUser(), await createUser()];
    await send('again', [first], { email });
    await settled(first);
    const again = await send('again', [first, second], { email });
    expect(again).toMatchObject({ status: 201, body: { users: [second], issues: [] } });
    expect(await settled(second)).toEqual({ email: 'sent' });
    expect(await send('again', [first, second], { email })).toMatchObject({
      status: 200,
      body: { users: [] },
    });
    const calls = await Promise.all([1, 2, 3].map(() => send('at once', [first], { email })));
    expect(calls.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    await settled(first);
    expect([arrivedAt(first).length, arrivedAt(second).length]).toEqual([2, 1]);
  });

  test('does not reach users who are blocked or do not want it', async () => {
    const unsubscribed = await createUser({ subscribeToEmails: false });
    const without = await createUser({ email: null });
    const unwilling = await createUser({ deviceTokens: ['token-unwilling'] });
    const path = `/v1/users/${unwilling}/preferences`;
    await call('PATCH', path, { notifications: { message: ['push'] } });
    const blocked = await createUser({ deviceTokens: ['token-blocked'] });
    await call('POST', `/admin/v1/users/${blocked}/block`, { reason: 'A bot' });
    const all = [unsubscribed, without, unwilling, blocked];
    const { body } = await call('POST', `${MESSAGES}/preview`, { users: ids(...all, 'nobody'), email, push });
    expect(body).toMatchObject({
      users: 1,
      channels: [
        { channel: 'email', users: 0 },
        { channel: 'push', users: 1 },
      ],
      shown: { userId: unsubscribed, email: { subject: 'Sorry, Ada' }, push: { body: 'Go on, Ada' } },
      issues: [{ index: 4, userId: 'nobody' }],
    });
    expect(body.channels[0].suppressed).toEqual(
      ['unsubscribed', 'no_email', 'preferences', 'blocked'].map((reason) => ({ reason, users: 1 })),
    );
    await send('unwanted', all);
    const outcomes = await Promise.all(all.map(settled));
    expect(outcomes).toEqual([
      { email: 'unsubscribed', push: 'no_device_token' },
      { email: 'no_email', push: 'no_device_token' },
      { email: 'preferences', push: 'sent' },
      { email: 'blocked', push: 'blocked' },
    ]);
  });

  test('waits at night for the morning of the user', async () => {
    const user = await createUser({ tz: 'Pacific/Auckland' });
    await send('night', [user], { email });
    const [delivery] = await deliveriesOf(user);
    expect(delivery).toMatchObject({ status: 'pending', due: '2026-11-18T20:00:00.000Z' });
  });
});

test.each([
  ['without a channel', {}, /email, push or both/],
  ['with an empty body', { email: { subject: 'Hello', body: '' } }, /body/],
  [
    'with an unknown variable',
    { push: { ...push, body: '{{ user.nme }}' } },
    /^push\.body names the unknown/,
  ],
  [
    'with a variable of another type',
    { email: { ...email, subject: '{{ recap.unit }}' } },
    /^email\.subject/,
  ],
])('a message %s is refused and stores nothing', async (_what, texts, error) => {
  const user = await createUser();
  const preview = await call('POST', `${MESSAGES}/preview`, { users: ids(user), ...texts });
  for (const { status, body } of [preview, await send('bad', [user], texts)]) {
    expect([status, body.error]).toEqual([422, expect.stringMatching(error)]);
  }
  expect(await deliveriesOf(user)).toEqual([]);
});

test('another text under a key is refused', async () => {
  const user = await createUser();
  await send('one text', [user], { email });
  expect(await send('one text', [await createUser()], { email, push })).toMatchObject({
    status: 422,
    body: { error: 'idempotencyKey was used for another text' },
  });
});
