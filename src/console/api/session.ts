import { signal } from '@preact/signals';

/** Who is signed in. The key stays in this tab: it is in sessionStorage alone. */
export interface Session {
  key: string;
  /** Your own id of the tenant that is shown; null for the account. */
  tenant: string | null;
}

const STORED = 'laurel.session';

function readStored(): Session | null {
  const stored = sessionStorage.getItem(STORED);
  return stored === null ? null : (JSON.parse(stored) as Session);
}

export const session = signal<Session | null>(readStored());
/** Why the last session ended, in words for the user. */
export const signOutReason = signal<string | null>(null);

export function signIn(signedIn: Session): void {
  sessionStorage.setItem(STORED, JSON.stringify(signedIn));
  signOutReason.value = null;
  session.value = signedIn;
}

export function signOut(reason: string | null = null): void {
  const key = session.value?.key;
  // A session that cannot be ended now expires. A key that was refused has ended already.
  if (key && reason === null)
    void fetch('/console/session', { method: 'DELETE', headers: { 'X-API-KEY': key } }).catch(() => {});
  sessionStorage.removeItem(STORED);
  signOutReason.value = reason;
  session.value = null;
}

/** The secret of a one-time link, taken out of the address. */
export function takeLink(): string | null {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link !== null) history.replaceState(null, '', location.pathname + location.search);
  return link;
}

/** @throws Error with the reason, in words for the user */
export async function exchangeLink(link: string): Promise<string> {
  const response = await fetch('/console/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ link }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer.key;
}
