import { distance } from 'fastest-levenshtein';

const WORD_CHARS_MAX = 64;

/** The candidate that a word is probably a misspelling of; null if none is close. */
function closest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > WORD_CHARS_MAX) return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const far = distance(word.toLowerCase(), candidate.slice(0, WORD_CHARS_MAX).toLowerCase());
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** The end of a message about an unknown word: `; did you mean "metrics"?`, or empty. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = closest(word, candidates);
  return meant === null ? '' : `; did you mean "${meant}"?`;
}
