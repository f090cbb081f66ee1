import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import {
  createFileMailer,
  createSmtpMailer,
  type Mailer,
  MailRefusedError,
  type OutgoingEmail,
} from '../../src/notifications/messages/mailer.ts';
import { type MailServer, parseEmail, startMailServer } from '../support/mailServer.ts';

const FROM = { name: 'Laurel', address: 'hello@laurel.example' };
const NOW = Date.parse('2026-11-18T17:00:00Z');
const UNSUBSCRIBE = `https://laurel.example/preferences/${'x'.repeat(300)}`;
const EMAIL: OutgoingEmail = {
  id: '0193a1b2-0000-8000-8000-000000000001',
  to: 'ada@example.com',
  fromName: 'Sprachraum',
  subject: 'Glückwunsch, Ada!',
  html: '<p>Du hast <b>Zehn Lektionen</b> geschafft.</p>',
  text: 'Du hast Zehn Lektionen geschafft.',
  unsubscribeUrl: UNSUBSCRIBE,
  now: NOW,
};

let server: MailServer;
let mailer: Mailer;
beforeAll(async () => {
  server = await startMailServer();
  mailer = createSmtpMailer(server.url, FROM, 2);
});
afterAll(async () => {
  mailer.close();
  await server.close();
});
beforeEach(() => {
  server.emails.length = 0;
  server.refuse = () => null;
  server.onMessage = () => {};
});

describe('an e-mail', () => {
  test('arrives with both parts, and with headers that unsubscribe with one click', async () => {
    await mailer.send(EMAIL);
    const [email] = server.emails;
    expect(email).toMatchObject({
      recipients: ['ada@example.com'],
      from: { name: 'Sprachraum', address: 'hello@laurel.example' },
      to: [{ address: 'ada@example.com' }],
      subject: EMAIL.subject,
      date: '2026-11-18T17:00:00.000Z',
      messageId: `<${EMAIL.id}@laurel.example>`,
    });
    expect(email!.html).toContain(EMAIL.html);
    expect(email!.text).toContain(EMAIL.text);
    expect(email!.header('List-Unsubscribe')).toBe(`<${UNSUBSCRIBE}>`);
    expect(email!.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(email!.header('Auto-Submitted')).toBe('auto-generated');
  });

  test.each([
    ['long lines, dots and spaces', `.\n..\na = b  \n${'long '.repeat(400)}\n.`],
    ['few letters of another script', `Grüße, ${'Ada '.repeat(60)}`],
    ['another script', '連続記録が今夜終わります。\n'.repeat(20)],
  ])('arrives as it was written, with %s', async (_, text) => {
    await mailer.send({ ...EMAIL, text, html: `<pre>${text}</pre>` });
    const [email] = server.emails;
    expect(email!.text!.replaceAll('\r\n', '\n').trimEnd()).toBe(text.trimEnd());
    expect(email!.html!.replaceAll('\r\n', '\n')).toContain(`<pre>${text}</pre>`);
  });

  test('has no such headers without a public URL, and the name of LAUREL_MAIL_FROM without one of the tenant', async () => {
    await mailer.send({ ...EMAIL, fromName: null, unsubscribeUrl: null });
    const [email] = server.emails;
    expect(email!.from).toMatchObject({ name: 'Laurel' });
    expect(email!.header('List-Unsubscribe')).toBeUndefined();
  });

  test('goes to one address whatever the address says', async () => {
    const sent = mailer.send({ ...EMAIL, to: 'a@example.com, b@example.com' });
    await expect(sent).rejects.toThrow();
    expect(server.emails).toEqual([]);
  });

  test('is written into a file where there is no mail server', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'laurel-mail-'));
    const files = createFileMailer(folder, FROM);
    await files.send(EMAIL);
    await files.send(EMAIL);
    expect(await readdir(folder)).toEqual([`${EMAIL.id}.eml`]);
    const email = await parseEmail(await readFile(join(folder, `${EMAIL.id}.eml`)));
    expect(email).toMatchObject({ subject: EMAIL.subject, messageId: `<${EMAIL.id}@laurel.example>` });
    await rm(folder, { recursive: true });
  });
});

describe('a refusal', () => {
  const refusalOf = async (): Promise<Error & Partial<MailRefusedError>> =>
    mailer.send(EMAIL).then(
      () => expect.fail('was sent'),
      (error) => error,
    );

  test.each([
    ['550 No such user', 'address'],
    ['553 5.1.3 Bad address', 'address'],
    ['550 5.7.1 Relaying denied', 'message'],
  ])('of the recipient, %s, is final', async (answer, refused) => {
    server.refuse = () => answer;
    const error = await refusalOf();
    expect(error).toBeInstanceOf(MailRefusedError);
    expect([error.refused, error.message]).toEqual([refused, answer]);
  });

  test('of the message is final', async () => {
    server.onMessage = () => {
      throw Object.assign(new Error('Looks like spam'), { responseCode: 554 });
    };
    expect((await refusalOf()).refused).toBe('message');
  });

  test.each(['450 4.2.1 Mailbox busy', '421 Try later'])('%s may pass', async (answer) => {
    server.refuse = () => answer;
    expect(await refusalOf()).not.toBeInstanceOf(MailRefusedError);
  });

  test('of a connection may pass', async () => {
    const nobody = createSmtpMailer('smtp://127.0.0.1:1', FROM, 1);
    const error = await nobody.send(EMAIL).catch((thrown) => thrown);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error).not.toBeInstanceOf(MailRefusedError);
    nobody.close();
  });
});

describe('the environment', () => {
  test('names the sender', () => {
    expect(readEnv({ LAUREL_MAIL_FROM: 'Sprachraum <hi@example.com>' }).mailFrom).toEqual({
      name: 'Sprachraum',
      address: 'hi@example.com',
    });
    expect(readEnv({ LAUREL_MAIL_FROM: 'hi@example.com' }).mailFrom.name).toBeNull();
    expect(readEnv({ LAUREL_PUBLIC_URL: 'https://laurel.example/' }).publicUrl).toBe(
      'https://laurel.example',
    );
  });

  test.each([
    [{ SMTP_URL: 'mail.example' }, 'SMTP_URL must be a URL such as'],
    [{ SMTP_URL: 'smtp://:587' }, 'SMTP_URL must be a URL such as'],
    [{ SMTP_URL: 'smtp://mail.example:99999' }, 'SMTP_URL must be a URL such as'],
    [{ SMTP_URL: 'smtp://mail.example:smtp' }, 'SMTP_URL must be a URL such as'],
    [{ SMTP_URL: 'smtp://user:pa#ss@mail.example' }, 'write # as %23'],
    [{ SMTP_URL: 'smtp://user:pa%ss@mail.example' }, '% as %25'],
    [{ SMTP_URL: 'smtp://mail.example' }, 'LAUREL_MAIL_FROM is required with SMTP_URL'],
    [{ LAUREL_MAIL_FROM: 'nobody' }, 'LAUREL_MAIL_FROM must be an address such as'],
    [{ LAUREL_PUBLIC_URL: 'laurel.example' }, 'LAUREL_PUBLIC_URL must be a URL such as'],
    [{ LAUREL_PUBLIC_URL: 'https://laurel.example/?a=1' }, 'LAUREL_PUBLIC_URL must be a URL such as'],
    [{ LAUREL_PUBLIC_URL: 'https://ada:secret@laurel.example' }, 'LAUREL_PUBLIC_URL must be a URL such as'],
    [
      { FCM_SERVICE_ACCOUNT: '{"private_key": "secret"' },
      'FCM_SERVICE_ACCOUNT must be the JSON of a service account',
    ],
    [{ FCM_SERVICE_ACCOUNT: '/missing/account.json' }, 'the file cannot be read (ENOENT)'],
    [{ FCM_SERVICE_ACCOUNT: 'null' }, 'the file cannot be read (ENOENT)'],
    [
      { FCM_SERVICE_ACCOUNT: '{"project_id": "a", "client_email": "b", "private_key": "secret"}' },
      'private_key in FCM_SERVICE_ACCOUNT must be a private key in PEM',
    ],
    [{ FCM_SERVICE_ACCOUNT: '{}' }, 'FCM_SERVICE_ACCOUNT must have project_id, client_email and private_key'],
  ])('%j is refused', (env, message) => {
    expect(() => readEnv(env)).toThrow(message);
  });

  test('does not appear in errors when it holds a secret', () => {
    const account = Buffer.from('{"private_key": "secret"}').toString('base64').repeat(200);
    expect(() => readEnv({ FCM_SERVICE_ACCOUNT: account })).toThrow(/^(?!.*eyJ).*ENAMETOOLONG/);
    expect(() => readEnv({ SMTP_URL: 'smtp://user:pa#ss@mail.example' })).toThrow(/^(?!.*pa#ss)/);
  });
});
