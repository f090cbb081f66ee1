/**
 * The wait that a Retry-After header asks for, ms: seconds, or a date (RFC 9110, 10.2.3); null for neither.
 * @param date header of the same response: the time of its sender, by which the date is meant
 */
export function retryAfterMs(
  text: string | null | undefined,
  now: number,
  date?: string | undefined,
): number | null {
  if (text === null || text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const theirNow = date === undefined ? now : Date.parse(date);
  const wait = Date.parse(text) - (Number.isNaN(theirNow) ? now : theirNow);
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
