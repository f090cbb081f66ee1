import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Env } from '../../base/env.ts';
import type { MailAddress } from '../../base/envSenders.ts';
import type { EmailContent } from './compose.ts';

export interface OutgoingEmail extends EmailContent {
  /** Id of the delivery, the same for every attempt. */
  id: string;
  to: string;
  /** Name of the sender; null uses the name in LAUREL_MAIL_FROM. */
  fromName: string | null;
  /** URL for one-click unsubscription by POST (RFC 8058); null without a public URL. */
  unsubscribeUrl: string | null;
  /** The service's time, ms. */
  now: number;
}

export interface Mailer {
  /**
   * Resolves when the message has been accepted.
   * @throws MailRefusedError if it is refused permanently; other errors may be temporary
   */
  send(email: OutgoingEmail): Promise<void>;
  close(): void;
}

/** The mail server refuses the address or the message permanently. */
export class MailRefusedError extends Error {
  readonly refused: 'address' | 'message';

  constructor(refused: 'address' | 'message', message: string) {
    super(message);
    this.refused = refused;
  }
}

const CONNECT_MS_MAX = 10_000;
const SILENCE_MS_MAX = 30_000;
const MESSAGES_PER_CONNECTION = 1_000;

/** @param connections maximum number of open connections to the mail server */
export function createSmtpMailer(smtpUrl: string, from: MailAddress, connections: number): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: connections,
    maxMessages: MESSAGES_PER_CONNECTION,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (email) => {
      try {
        await transport.sendMail(messageOf(email, from));
      } catch (error) {
        throw asRefusal(error as SmtpError);
      }
    },
    close: () => transport.close(),
  };
}

/** Writes each message to a file, `<id>.eml`, instead of sending it. */
export function createFileMailer(folder: string, from: MailAddress): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    send: async (email) => {
      const { message } = await transport.sendMail(messageOf(email, from));
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${email.id}.eml`);
      await writeFile(`${file}.part`, message as Buffer);
      await rename(`${file}.part`, file);
    },
    close: () => {},
  };
}

function messageOf(email: OutgoingEmail, from: MailAddress): SendMailOptions {
  const { id, to, fromName, unsubscribeUrl, subject, html, text, now } = email;
  const name = fromName ?? from.name ?? '';
  return {
    from: { name, address: from.address },
    // An object, because a string could contain several addresses.
    to: { name: '', address: to },
    subject,
    html,
    text,
    // nodemailer would count the letters of each text, several times, to choose the same encoding.
    ...([name, subject, html, text].every(isNearlyAscii) && { textEncoding: 'quoted-printable' }),
    date: new Date(now),
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl !== null && {
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

const isNearlyAscii = (text: string): boolean => Buffer.byteLength(text) <= 1.1 * text.length;

interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/** RFC 3463: codes 5.7.x report a policy of the server, not a problem of the address. */
const POLICY = /^5\d\d[ -]5\.7\./;

function asRefusal(error: SmtpError): Error {
  const { code, command, response = '', responseCode = 0 } = error;
  const isPermanent = responseCode >= 500 && responseCode < 600;
  if (code === 'EENVELOPE' && command === 'API') return new MailRefusedError('address', error.message);
  if (!isPermanent) return response === '' ? error : new Error(response);
  if (command === 'RCPT TO')
    return new MailRefusedError(POLICY.test(response) ? 'message' : 'address', response);
  return code === 'EMESSAGE' ? new MailRefusedError('message', response) : error;
}

/** Folder of the data directory to which emails are written if no mail server is configured. */
const MAIL_FOLDER = 'mail';

export const mailFolder = ({ dataDir }: Pick<Env, 'dataDir'>): string => join(dataDir, MAIL_FOLDER);

/** @param connections maximum number of open connections to the mail server */
export function createMailer(
  env: Pick<Env, 'smtpUrl' | 'mailFrom' | 'dataDir'>,
  connections: number,
): Mailer {
  const { smtpUrl, mailFrom } = env;
  if (smtpUrl !== null) return createSmtpMailer(smtpUrl, mailFrom, connections);
  return createFileMailer(mailFolder(env), mailFrom);
}
