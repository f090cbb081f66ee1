import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { fetch, type Response } from 'undici';
import { systemClock } from '../../base/clock.ts';
import type { ServiceAccount } from '../../base/envSenders.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import { retryAfterMs } from '../retryAfter.ts';

/**
 * Firebase Cloud Messaging, HTTP v1 API:
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
 */

export interface PushMessage {
  /** Id of the delivery; a device shows messages with the same id once. */
  id: string;
  type: string;
  title: string;
  body: string;
}

/** FCM does not know the device token any more, so it must not be used again. */
export class DeadTokenError extends Error {}

/** FCM cannot accept the message now. `retryAfterMs` is the wait that FCM asks for, or null. */
export class PushDelayedError extends Error {
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export class PushRefusedError extends Error {}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const REQUEST_MS_MAX = 10_000;
const GRANT_SECONDS = 3_600;
/** Time before its expiry at which an access token is replaced. */
const RENEW_BEFORE_MS = 60_000;
const ERROR_CHARS_MAX = 300;

interface FcmError {
  error?: {
    message?: string;
    status?: string;
    details?: { errorCode?: string; fieldViolations?: { field?: string }[] }[];
  };
}

interface AccessToken {
  token: string;
  /** ms since 1970. */
  until: number;
}

export class FcmClient {
  readonly #account: ServiceAccount;
  readonly #url: string;
  #access: AccessToken | null = null;
  readonly #requests = new SingleFlight<'access', AccessToken>();

  /** @param endpoint base URL, such as https://fcm.googleapis.com */
  constructor(account: ServiceAccount, endpoint: string) {
    this.#account = account;
    this.#url = `${endpoint.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`;
  }

  /**
   * Resolves when FCM has accepted the message for a device.
   * @throws DeadTokenError, PushDelayedError or PushRefusedError
   */
  async send(deviceToken: string, message: PushMessage): Promise<void> {
    let response = await this.#post(deviceToken, message);
    if (response.status === 401) {
      // The access token was revoked before its expiry.
      this.#access = null;
      response = await this.#post(deviceToken, message);
    }
    if (response.ok) {
      await response.body?.cancel();
      return;
    }
    throw failureOf(response, await readError(response));
  }

  async #post(deviceToken: string, { id, type, title, body }: PushMessage): Promise<Response> {
    const { token } = await this.#accessToken();
    return request(this.#url, {
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({
        message: {
          token: deviceToken,
          notification: { title, body },
          data: { id, type },
          android: { collapse_key: id },
          apns: { headers: { 'apns-collapse-id': id } },
        },
      }),
    });
  }

  /** The access token, shared by all messages until it expires. */
  async #accessToken(): Promise<AccessToken> {
    if (this.#access === null || systemClock.now() >= this.#access.until) {
      this.#access = await this.#requests.run('access', () => this.#requestAccess());
    }
    return this.#access;
  }

  /** Exchanges a signed JWT for an access token (RFC 7523). */
  async #requestAccess(): Promise<AccessToken> {
    const now = systemClock.now();
    const { client_email, private_key, token_uri } = this.#account;
    const issued = Math.floor(now / 1000);
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt(issued)
      .setExpirationTime(issued + GRANT_SECONDS)
      .sign(createPrivateKey(private_key));
    const response = await request(token_uri, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }).toString(),
    });
    if (!response.ok) {
      const problem = (await response.text()).slice(0, ERROR_CHARS_MAX);
      throw new PushDelayedError(`FCM refused access: ${response.status} ${problem}`, retryAfterOf(response));
    }
    const { access_token, expires_in } = (await response.json()) as {
      access_token: string;
      expires_in: number;
    };
    return { token: access_token, until: now + expires_in * 1000 - RENEW_BEFORE_MS };
  }
}

/** @throws PushDelayedError if there is no response in time */
async function request(
  url: string,
  options: { headers: Record<string, string>; body: string },
): Promise<Response> {
  try {
    return await fetch(url, {
      ...options,
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new PushDelayedError(cause instanceof Error ? `${message}: ${cause.message}` : message, null);
  }
}

async function readError(response: Response): Promise<FcmError['error']> {
  try {
    return ((await response.json()) as FcmError).error;
  } catch {
    return undefined;
  }
}

function failureOf(response: Response, error: FcmError['error']): Error {
  const codes = error?.details?.map(({ errorCode }) => errorCode) ?? [];
  const message = `${response.status} ${error?.message ?? error?.status ?? ''}`
    .trim()
    .slice(0, ERROR_CHARS_MAX);
  if (codes.includes('UNREGISTERED')) return new DeadTokenError(message);
  const invalidFields = error?.details?.flatMap(({ fieldViolations = [] }) => fieldViolations) ?? [];
  const isOfToken = invalidFields.every(({ field }) => field === 'message.token');
  if (response.status === 400 && error?.status === 'INVALID_ARGUMENT' && isOfToken)
    return new DeadTokenError(message);
  const mayPass = response.status === 401 || response.status === 429 || response.status >= 500;
  return mayPass ? new PushDelayedError(message, retryAfterOf(response)) : new PushRefusedError(message);
}

const retryAfterOf = ({ headers }: Response): number | null =>
  retryAfterMs(headers.get('retry-after'), systemClock.now());
