// node verify.mjs SECRET ID TIMESTAMP SIGNATURES < body; ends with 0 when the webhook is genuine.
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * Whether laurel sent this body. `headers` are those of the request, in lower case; `body` is its text,
 * unparsed.
 */
export function verify(secret, headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return headers['webhook-signature'].split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

if (process.argv[1]?.endsWith('verify.mjs')) {
  const [secret, id, timestamp, signatures] = process.argv.slice(2);
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures };
  process.exitCode = verify(secret, headers, Buffer.concat(chunks).toString('utf8')) ? 0 : 1;
}
