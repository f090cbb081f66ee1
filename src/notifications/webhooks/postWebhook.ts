import { type Agent, type Dispatcher, request } from 'undici';
import { monotonicMs } from '../../base/clock.ts';
import { WEBHOOK_ATTEMPTS_MAX, WEBHOOK_RESPONSE_BYTES_MAX } from '../../base/limits.ts';
import { retryAfterMs } from '../retryAfter.ts';

/** Timeout of one attempt to deliver a webhook, including redirects. */
const WEBHOOK_ATTEMPT_MS_MAX = 10_000;
const WEBHOOK_REDIRECTS_MAX = 3;

const SHOWN_HEADERS = ['content-type', 'content-length', 'location', 'retry-after', 'server', 'date'];
const SHOWN_HEADER_CHARS = 500;
/**
 * Redirects that are followed with the same method. 301 and 302 allow a change of method, but receivers
 * expect a POST.
 */
const REDIRECTS = new Set([301, 302, 307, 308]);

export interface WebhookResponse {
  status: number;
  headers: Record<string, string>;
  /** Start of the body, decoded as UTF-8. */
  body: string;
}

/** Result of one attempt: a response, or the error. */
export interface DeliveryAttempt {
  response: WebhookResponse | null;
  error: string | null;
  durationMs: number;
}

/** Posts a body once, following redirects. Never throws. */
export async function postWebhook(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<DeliveryAttempt> {
  const startMs = monotonicMs();
  const elapsed = () => Math.round(monotonicMs() - startMs);
  const timeout = AbortSignal.timeout(WEBHOOK_ATTEMPT_MS_MAX);
  try {
    const response = await follow(agent, url, headers, body, AbortSignal.any([timeout, signal]));
    return { response, error: null, durationMs: elapsed() };
  } catch (error) {
    const reason = timeout.aborted
      ? `no response within ${WEBHOOK_ATTEMPT_MS_MAX / 1000} s`
      : messageOf(error);
    return { response: null, error: reason, durationMs: elapsed() };
  }
}

function messageOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string };
  if (cause instanceof Error) return messageOf(cause);
  return message || code || String(error);
}

async function follow(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  let target = new URL(url);
  for (let redirects = 0; ; redirects++) {
    const reply = await request(target, { method: 'POST', dispatcher: agent, headers, body, signal });
    const response = await readResponse(reply);
    const { location } = response.headers;
    if (!REDIRECTS.has(response.status) || location === undefined) return response;
    if (redirects >= WEBHOOK_REDIRECTS_MAX) throw new Error(`more than ${WEBHOOK_REDIRECTS_MAX} redirects`);
    const next = new URL(location, target);
    const isSafe = next.protocol === 'https:' || (next.protocol === 'http:' && target.protocol === 'http:');
    if (!isSafe) throw new Error(`redirected from ${target.protocol} to ${next.protocol}`);
    target = next;
  }
}

/** Reads the start of the body. A response counts as received even if its body breaks off. */
async function readResponse({
  statusCode,
  headers,
  body,
}: Dispatcher.ResponseData): Promise<WebhookResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= WEBHOOK_RESPONSE_BYTES_MAX) break;
    }
  } catch {
    // The part that was received is shown.
  } finally {
    // The rest of the body is not read, so later errors are ignored.
    body.on('error', () => {}).destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, WEBHOOK_RESPONSE_BYTES_MAX).toString('utf8');
  const shown: Record<string, string> = {};
  for (const name of SHOWN_HEADERS) {
    const value = headers[name];
    if (value !== undefined) shown[name] = String(value).slice(0, SHOWN_HEADER_CHARS);
  }
  // PostgreSQL cannot store the character U+0000.
  return { status: statusCode, headers: shown, body: text.replaceAll('\0', '\ufffd') };
}

/**
 * Wait after the first attempt. Each further wait is four times as long, so the last attempt is a day after
 * the first.
 */
const WEBHOOK_RETRY_FIRST_MS = 15_000;
const WEBHOOK_RETRY_FACTOR = 4;
const WEBHOOK_RETRY_MS_MAX = 24 * 3_600_000;

export type Verdict =
  | { status: 'sent' }
  | { status: 'failed'; reason: string; isGone: boolean }
  | { status: 'pending'; reason: string; dueAt: number };

/** Waits are shortened by up to this share, to spread deliveries that failed together. */
const JITTER = 0.1;

/**
 * @param attempts including this one
 * @param now ms
 * @param random from 0 to 1
 */
export function judge(
  { response, error }: DeliveryAttempt,
  attempts: number,
  now: number,
  random: number,
): Verdict {
  const status = response?.status ?? 0;
  if (status >= 200 && status < 300) return { status: 'sent' };
  const reason = response === null ? error! : `answered ${status}`;
  if (status === 410) return { status: 'failed', reason, isGone: true };
  if (attempts >= WEBHOOK_ATTEMPTS_MAX) return { status: 'failed', reason, isGone: false };
  const backoff = WEBHOOK_RETRY_FIRST_MS * WEBHOOK_RETRY_FACTOR ** (attempts - 1) * (1 - JITTER * random);
  const asked = retryAfterMs(response?.headers['retry-after'], now, response?.headers.date);
  return {
    status: 'pending',
    reason,
    dueAt: Math.round(now + Math.min(asked ?? backoff, WEBHOOK_RETRY_MS_MAX)),
  };
}
