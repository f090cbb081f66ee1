import type { HttpRequest } from 'uWebSockets.js';

/**
 * The cookie of a session of the console. Scripts cannot read it, and browsers do not send it from pages of
 * other sites. A page of the same site, such as another port, could send it. So it counts only beside a
 * header that pages of other origins cannot set without a preflight.
 */

const NAME = 'laurel_session';
const BESIDE = 'x-requested-with';
const COOKIE = new RegExp(`(?:^|;)\\s*${NAME}=([^;]+)`);

/** The secret of the session; empty without one. */
export function presentedSession(req: HttpRequest): string {
  if (req.getHeader(BESIDE) === '') return '';
  return COOKIE.exec(req.getHeader('cookie'))?.[1] ?? '';
}

/**
 * Header that stores a session in the browser. An empty secret with 0 seconds removes it.
 * @param isSecure whether the browser may send it over TLS only
 */
export function sessionCookie(
  secret: string,
  seconds: number,
  isSecure: boolean,
): { 'Set-Cookie': string; 'Cache-Control': string } {
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`;
  return { 'Set-Cookie': `${NAME}=${secret}; ${attributes}`, 'Cache-Control': 'no-store' };
}
