import {
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_RETRY_FACTOR,
  WEBHOOK_RETRY_FIRST_MS,
  WEBHOOK_RETRY_MS_MAX,
} from '../../base/limits.ts';
import type { DeliveryAttempt } from './postWebhook.ts';

/** The consequence of an attempt. */
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
  const asked = retryAfterMs(response?.headers['retry-after'], response?.headers.date, now);
  return {
    status: 'pending',
    reason,
    dueAt: Math.round(now + Math.min(asked ?? backoff, WEBHOOK_RETRY_MS_MAX)),
  };
}

/** Seconds, or a date, which is meant by the clock of the receiver; null for neither. */
function retryAfterMs(text: string | undefined, date: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const until = Date.parse(text);
  const theirNow = date === undefined ? now : Date.parse(date);
  const wait = until - (Number.isNaN(theirNow) ? now : theirNow);
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
