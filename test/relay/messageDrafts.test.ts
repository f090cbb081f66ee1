import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailServer, startMailServer } from '../support/mailServer.ts';
import { useServer } from '../support/useServer.ts';

/** Messages that are being written: a preview, and a test to one address. */
let mail: MailServer;
const server = useServer(async () => {
  mail = await startMailServer();
  return { env: { SMTP_URL: mail.url, LAUREL_MAIL_FROM: 'Laurel <hello@laurel.example>' } };
});
beforeAll(() => server.record({ id: 'ada', name: 'Ada' }));
afterAll(() => mail?.close());

const post = (path: string, body: object) => server.call('POST', `/admin/v1/notifications${path}`, body);
const DRAFT = { type: 'streak_reminder', channel: 'email', subject: 'Go on, {{ user.name }}' };

test('a draft is shown for a sample and for a user, with its variables', async () => {
  const sample = await post('/preview', DRAFT);
  expect(sample).toMatchObject({ status: 200, body: { subject: 'Go on, Ada Lovelace' } });
  const { body } = await post('/preview', { ...DRAFT, body: '<b>{{ streak.length }}</b>', userId: 'ada' });
  expect(body).toMatchObject({ subject: 'Go on, Ada', body: '<b>1</b>' });
  expect(body.html).toContain('<b>1</b>');
  expect(body.variables).toContainEqual({ name: 'user.name', value: 'Ada' });
  expect(body.variables).toContainEqual({ name: 'metrics.lessons', value: 1 });
  const push = await post('/preview', { ...DRAFT, channel: 'push' });
  expect(push.body).not.toHaveProperty('html');
});

test('a mistake is named, and so is an unknown user', async () => {
  const unknown = await post('/preview', { ...DRAFT, body: '{{ user.nme }}' });
  expect(unknown).toMatchObject({ status: 422 });
  expect(unknown.body.error).toMatch(/^body names the unknown variable user\.nme/);
  expect((await post('/preview', { ...DRAFT, userId: 'nobody' })).status).toBe(404);
});

test('a test is sent to one address, and a refusal is answered', async () => {
  expect(await post('/test', { ...DRAFT, userId: 'ada', to: 'me@example.com' })).toMatchObject({
    status: 200,
    body: { to: 'me@example.com', subject: 'Test: Go on, Ada' },
  });
  expect(mail.emails).toMatchObject([{ recipients: ['me@example.com'], subject: 'Test: Go on, Ada' }]);
  expect(mail.emails[0]!.header('list-unsubscribe')).toBe(undefined);
  expect((await post('/test', { ...DRAFT, to: 'me@a.example, you@b.example' })).status).toBe(422);
  mail.refuse = () => '550 5.1.1 unknown mailbox';
  const refused = await post('/test', { ...DRAFT, to: 'you@example.com' });
  expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('unknown mailbox')]);
  const [entry] = (await server.call('GET', '/admin/v1/audit')).body;
  expect(entry).toMatchObject({ kind: 'testMessages', after: { to: 'me@example.com' } });
});
