/** Under a limit, a time slice has this share of the attempts of a second. */
const SHARE_OF_LIMIT = 0.1;

/** Attempts of one time slice, and time slices per second of all workers, under a limit of attempts. */
export function slicesWithin(perSecond: number | null): { attemptsMax: number; perSecond: number | null } {
  if (perSecond === null) return { attemptsMax: Infinity, perSecond: null };
  const attemptsMax = Math.max(1, Math.floor(perSecond * SHARE_OF_LIMIT));
  return { attemptsMax, perSecond: Math.floor(perSecond / attemptsMax) };
}
