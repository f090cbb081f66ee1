import { signal } from '@preact/signals';
import type { Role } from '../../base/roles.ts';
import { t } from '../text/translate.ts';

/**
 * The signed-in key and its role. The secret of the session is in a cookie that scripts cannot read, so all
 * tabs share the session.
 */
export interface Session {
  id: string;
  /** The name of the key. */
  name: string;
  role: Role;
  /** A session of one tenant cannot read data of the account. */
  scope: 'account' | 'tenant';
}

const PATH = '/console/session';
const TENANT = 'laurel.tenant';
/** The session is only valid with this header, which pages of other origins cannot set. */
export const BESIDE_COOKIE = { 'X-Requested-With': 'console' };

/** null: not signed in. undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** Id of the tenant that this tab shows; null for the account. */
export const tenant = signal<string | null>(sessionStorage.getItem(TENANT));
/** Whether the session is for the whole account. */
export const isForAccount = (): boolean => session.value?.scope === 'account';
/** Whether the session may read a screen or a part of one. */
export const canRead = ({ scope }: { scope?: 'account' }): boolean => scope === undefined || isForAccount();
/** A path of the API about the whole account; null for a session of one tenant, which cannot read it. */
export const ofAccount = <P extends string>(path: P): P | null => (isForAccount() ? path : null);

/** Shown on the sign-in screen: why the session ended. */
export const signOutReason = signal<string | null>(null);

export function chooseTenant(chosen: string | null): void {
  if (chosen === null) sessionStorage.removeItem(TENANT);
  else sessionStorage.setItem(TENANT, chosen);
  tenant.value = chosen;
}

export const SESSION_OVER = t('Your session has ended. Sign in again.');

/** Shows the sign-in screen. */
export function forgetSession(reason: string | null): void {
  chooseTenant(null);
  signOutReason.value = reason;
  session.value = null;
}

/** Errors of single sign-on, by the code in the address. */
const REFUSALS: Record<string, string> = {
  'no-role': t('You have no access to this console. Ask an administrator.'),
  expired: t('This sign-in has expired, or was started in another browser. Sign in again.'),
  refused: t('The identity provider refused the sign-in. Try again.'),
  unavailable: t('The identity provider does not respond. Try again later.'),
};

/** The sign-in methods of the server. */
export interface WaysIn {
  key: boolean;
  singleSignOn: boolean;
}

/** @throws Error with the reason, in words for the user */
export async function fetchWaysIn(): Promise<WaysIn> {
  const response = await fetch('/console/sign-in').catch(() => {
    throw new Error(UNREACHABLE);
  });
  return response.json();
}

/** Address that signs in at the identity provider and returns to this screen. */
export const singleSignOnUrl = (): string =>
  `/console/oidc/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;

const UNREACHABLE = t('Can’t reach laurel. Try again.');

/** @throws Error with the reason, in words for the user */
async function fetchSession(method: string, headers: object = {}, body?: object): Promise<Session | null> {
  const response = await fetch(PATH, {
    method,
    headers: { ...BESIDE_COOKIE, 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error(UNREACHABLE);
  });
  const answer = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** Number of sign-ins and sign-outs in this tab: answers to requests before the last one are outdated. */
let changes = 0;

/** Notifies the other tabs of the browser of sign-ins and sign-outs. */
const otherTabs = new BroadcastChannel('laurel.session');
otherTabs.onmessage = async () => {
  const change = ++changes;
  const opened = await fetchSession('GET').catch(() => null);
  if (change !== changes) return;
  if (opened === null) return forgetSession(SESSION_OVER);
  signOutReason.value = null;
  session.value = opened;
};

/** @throws Error if the key is not valid */
export async function signIn(key: string): Promise<void> {
  const opened = await fetchSession('POST', { 'X-API-KEY': key }, {});
  changes++;
  signOutReason.value = null;
  session.value = opened;
  otherTabs.postMessage(null);
}

/** Ends the session in all tabs. @throws Error if the server could not be told */
export async function signOut(): Promise<void> {
  await fetchSession('DELETE');
  changes++;
  forgetSession(null);
  otherTabs.postMessage(null);
}

/** Reads a value from the hash of the address, and removes it. */
function takeFromAddress(name: string): string | null {
  const value = new URLSearchParams(location.hash.slice(1)).get(name);
  if (value !== null) history.replaceState(null, '', location.pathname + location.search);
  return value;
}

/** Opens the session of the link in the address, else resumes the session of this browser. */
export async function resumeSession(): Promise<void> {
  const refusal = takeFromAddress('sign-in');
  if (refusal !== null) signOutReason.value = REFUSALS[refusal] ?? null;
  const link = takeFromAddress('link');
  try {
    if (link !== null) session.value = await fetchSession('POST', {}, { link });
  } catch (error) {
    signOutReason.value = (error as Error).message;
  }
  if (session.value) return;
  const change = changes;
  try {
    const resumed = await fetchSession('GET');
    if (change === changes) session.value = resumed;
  } catch (error) {
    if (change === changes) forgetSession((error as Error).message);
  }
}
