const WITH_ZONE =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * Milliseconds since 1970 of an ISO 8601 instant such as 2026-12-24T18:00:00Z. null for other text, such as
 * 30 February. Fractions of a millisecond are cut off.
 */
export function parseInstant(text: string): number | null {
  const found = WITH_ZONE.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour, minute, second = 0, fraction = '', sign, hours = 0, minutes = 0] = found;
  const date = new Date(0);
  // Date.UTC takes the years 0 to 99 as those of the twentieth century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + ms;
  // 24:00 is the end of a day.
  const isTime = Number(minute) < 60 && Number(second) < 60 && time <= 86_400_000;
  if (!isTime) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return date.getTime() + time - (sign === '-' ? -offset : offset);
}
