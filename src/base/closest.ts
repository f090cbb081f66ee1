import { distance } from 'fastest-levenshtein';
import { ServiceError } from './errors.ts';

const WORD_CHARS_MAX = 64;

/** Number of letters that are wrong, missing or too much; two swapped ones count once. */
function mistakes(word: string, meant: string): number {
  const count = distance(word, meant);
  const isSwap = count === 2 && [...word].sort().join('') === [...meant].sort().join('');
  return isSwap ? 1 : count;
}

/** The candidate that a word is probably a misspelling of; null if none is close. */
export function closest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > WORD_CHARS_MAX) return null;
  let best: string | null = null;
  let least = Math.min(word.length, Math.max(1, Math.floor(word.length / 3)) + 1);
  for (const candidate of candidates) {
    const far = mistakes(word.toLowerCase(), candidate.slice(0, WORD_CHARS_MAX).toLowerCase());
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** The end of a message about an unknown word: `; did you mean "metrics"?`, or empty. */
export const meaning = (meant: string | null): string => (meant === null ? '' : `; did you mean "${meant}"?`);

/** The same for a word of a list. */
export const didYouMean = (word: string, candidates: Iterable<string>): string =>
  meaning(closest(word, candidates));

/**
 * The error for the key of something that does not exist.
 * @param what such as Leaderboard
 */
export const unknownKey = (what: string, key: string, known: Iterable<string>): ServiceError =>
  new ServiceError('notFound', `${what} ${key} does not exist${didYouMean(key, known)}`);
