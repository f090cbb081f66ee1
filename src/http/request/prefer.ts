/** The preference for an answer without what the client does not look at (RFC 7240, section 4.2). */
export const RETURN_MINIMAL = 'return=minimal';
const FIRST_RETURN = /(?:^|,)\s*return\s*=\s*"?([a-z]+)"?\s*(?:[;,]|$)/i;

/** Whether the first preference `return` in the value of a `Prefer` header is `minimal`. */
export function prefersMinimal(prefer: string): boolean {
  if (prefer === '') return false;
  if (prefer === RETURN_MINIMAL) return true;
  const [, value] = FIRST_RETURN.exec(prefer) ?? [];
  return value?.toLowerCase() === 'minimal';
}
