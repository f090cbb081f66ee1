import { join } from 'node:path';
import type { Env } from '../../base/env.ts';
import { createFileMailer, createSmtpMailer, type Mailer } from './mailer.ts';

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
