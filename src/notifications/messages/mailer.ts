import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import SMTPPool from 'nodemailer/lib/smtp-pool';
import type { MailAddress } from '../../base/envSenders.ts';
import { buildMessage, type OutgoingEmail } from './mailMessage.ts';

/** Sends emails. */
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

/** The pool uses only these two fields. */
type MailMessage = Parameters<SMTPPool['send']>[0];

const CONNECT_MS_MAX = 10_000;
const SILENCE_MS_MAX = 30_000;
const MESSAGES_PER_CONNECTION = 1_000;

/** @param connections maximum number of open connections to the mail server */
export function createSmtpMailer(smtpUrl: string, from: MailAddress, connections: number): Mailer {
  const pool = new SMTPPool({
    url: smtpUrl,
    maxConnections: connections,
    maxMessages: MESSAGES_PER_CONNECTION,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
  });
  // Each email has its own error, too.
  pool.on('error', () => {});
  return {
    send: (email) =>
      new Promise((resolve, reject) => {
        const mail = { data: {}, message: buildMessage(email, from) };
        pool.send(mail as unknown as MailMessage, (error) => (error ? reject(asRefusal(error)) : resolve()));
      }),
    close: () => pool.close(),
  };
}

/** Writes each message to a file, `<id>.eml`, instead of sending it. */
export function createFileMailer(folder: string, from: MailAddress): Mailer {
  return {
    send: async (email) => {
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${email.id}.eml`);
      await writeFile(`${file}.part`, buildMessage(email, from).text);
      await rename(`${file}.part`, file);
    },
    close: () => {},
  };
}

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
