import { createHmac } from 'node:crypto';

/** In front of the base64 of a secret. */
const SECRET_MARK = 'whsec_';

/** The secrets of a webhook that are valid, the newest first: another one while it is being replaced. */
export type Secrets = readonly [string, ...string[]];

const hmac = (key: string | Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64');

/**
 * The headers that sign a body. Those of Standard Webhooks 1.0 hold a signature for each valid secret; the one named `header` holds the
 * base64 HMAC-SHA256 of the body alone, with the newest secret as text for its key.
 * @param id the same for every attempt
 * @param now ms, when the attempt is made
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
