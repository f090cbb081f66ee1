/**
 * The lengths and times that analytics tell apart, ascending: a number belongs to the last step that is not
 * above it.
 */
export const STEPS = [0, 1, 2, 3, 5, 7, 14, 21, 30, 60, 90, 180, 365] as const;

/** The step of a number of days, or of periods in a row. */
export function stepOf(value: number): number {
  let step = 0;
  for (const next of STEPS) if (value >= next) step = next;
  return step;
}
