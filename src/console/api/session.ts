import { signal } from '@preact/signals';
import type { Role } from '../../contract/operation.ts';

/**
 * The signed-in key and its role. The secret of the session is in a cookie that scripts cannot read, so all
 * tabs share the session.
 */
export interface Session {
  id: string;
  /** The name of the key. */
  name: string;
  role: Role;
}

const PATH = '/console/session';
const TENANT = 'laurel.tenant';
/** The session counts only beside this header, which pages of other origins cannot set. */
export const BESIDE_COOKIE = { 'X-Requested-With': 'console' };

/** null: nobody is signed in. undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** Your own id of the tenant that this tab shows; null for the account. */
export const tenant = signal<string | null>(sessionStorage.getItem(TENANT));
/** Why nobody is signed in, in words for the user. */
export const signOutReason = signal<string | null>(null);

export function chooseTenant(chosen: string | null): void {
  if (chosen === null) sessionStorage.removeItem(TENANT);
  else sessionStorage.setItem(TENANT, chosen);
  tenant.value = chosen;
}

/** Shows how to sign in. */
export function forgetSession(reason: string | null): void {
  chooseTenant(null);
  signOutReason.value = reason;
  session.value = null;
}

const UNREACHABLE = 'laurel does not answer. Try again.';

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

/** @throws Error if the key is not valid */
export async function signIn(key: string): Promise<void> {
  const opened = await fetchSession('POST', { 'X-API-KEY': key }, {});
  signOutReason.value = null;
  session.value = opened;
}

/** Ends the session in all tabs. @throws Error if the server could not be told */
export async function signOut(): Promise<void> {
  await fetchSession('DELETE');
  forgetSession(null);
}

/** The secret of a one-time link, taken out of the address. */
function takeLink(): string | null {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link !== null) history.replaceState(null, '', location.pathname + location.search);
  return link;
}

/** Opens the session of the link in the address, else goes on with the session of this browser. */
export async function resumeSession(): Promise<void> {
  const link = takeLink();
  try {
    if (link !== null) session.value = await fetchSession('POST', {}, { link });
  } catch (error) {
    signOutReason.value = (error as Error).message;
  }
  if (session.value) return;
  try {
    session.value = await fetchSession('GET');
  } catch (error) {
    forgetSession((error as Error).message);
  }
}
