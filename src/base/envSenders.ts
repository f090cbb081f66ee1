import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Variables, webUrl } from './envValues.ts';

/* Variables of the services that send emails and push notifications. */

export interface MailAddress {
  name: string | null;
  address: string;
}

/** The required fields of a Google service account's JSON file. */
export interface ServiceAccount {
  project_id: string;
  client_email: string;
  private_key: string;
  token_uri: string;
}

/** Firebase Cloud Messaging: the account that sends, and the URL of the service. */
export interface Fcm {
  account: ServiceAccount;
  endpoint: string;
}

export const MAIL_FROM = 'laurel@localhost';
export const FCM_ENDPOINT = 'https://fcm.googleapis.com';
const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** The URL may contain a password, so the error does not show it. */
export function smtpUrl(source: Variables): string | null {
  const text = source.SMTP_URL || null;
  if (text === null || isSmtpUrl(text)) return text;
  throw new Error(
    'SMTP_URL must be a URL such as smtp://user:password@mail.example:587; in a user name or password, write # as %23, % as %25 and @ as %40',
  );
}

function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\/\S+$/.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return hostname !== '';
}

/** `hello@example.com`, or `Example <hello@example.com>` */
export function mailFrom(source: Variables): MailAddress {
  const text = source.LAUREL_MAIL_FROM || MAIL_FROM;
  const [, name, inBrackets] = /^([^<>\r\n]*)<([^<>]+)>$/.exec(text) ?? [];
  const address = (inBrackets ?? text).trim();
  if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address)) {
    throw new Error(`LAUREL_MAIL_FROM must be an address such as Example <hello@example.com>, not "${text}"`);
  }
  if (source.SMTP_URL && !source.LAUREL_MAIL_FROM)
    throw new Error('LAUREL_MAIL_FROM is required with SMTP_URL');
  return { name: name?.trim() || null, address };
}

const SERVICE_ACCOUNT = 'FCM_SERVICE_ACCOUNT must be the JSON of a service account, or the path of its file';

/**
 * FCM_SERVICE_ACCOUNT is the path of a file or its content. Errors show nothing of it, because it holds a
 * secret.
 */
function parseServiceAccount(given: string): Partial<ServiceAccount> {
  let text = given;
  try {
    if (!given.startsWith('{')) text = readFileSync(given, 'utf8');
  } catch (error) {
    throw new Error(`${SERVICE_ACCOUNT}; the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(SERVICE_ACCOUNT);
  }
}

export function fcm(source: Variables): Fcm | null {
  const given = source.FCM_SERVICE_ACCOUNT?.trim();
  if (!given) return null;
  const {
    project_id,
    client_email,
    private_key,
    token_uri = GOOGLE_TOKEN_URI,
  } = parseServiceAccount(given) ?? {};
  if (!project_id || !client_email || !private_key) {
    throw new Error('FCM_SERVICE_ACCOUNT must have project_id, client_email and private_key');
  }
  try {
    createPrivateKey(private_key);
  } catch {
    throw new Error('private_key in FCM_SERVICE_ACCOUNT must be a private key in PEM');
  }
  const endpoint = webUrl(source, 'FCM_ENDPOINT') ?? FCM_ENDPOINT;
  return { account: { project_id, client_email, private_key, token_uri }, endpoint };
}
