import { createHmac } from 'node:crypto';

const SECRET_MARK = 'whsec_';

/** Valid secrets of a webhook, newest first. There are two while a secret is being replaced. */
export type Secrets = readonly [string, ...string[]];

const hmac = (key: string | Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64');

/**
 * The headers that sign a body. Those of Standard Webhooks 1.0 contain a signature with each valid secret.
 * The header `header` contains the base64 HMAC-SHA256 of the body, with the text of the newest secret as the
 * key.
 * @param id id of the delivery, the same for every attempt
 * @param now time of the attempt, ms
 */
export function signatureHeaders(
  header: string,
  secrets: Secrets,
  { id, now, body }: { id: string; now: number; body: string },
): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_MARK.length), 'base64');
    return `v1,${hmac(key, `${id}.${seconds}.${body}`)}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
    [header]: hmac(secrets[0], body),
  };
}
