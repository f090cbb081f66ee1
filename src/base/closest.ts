/** Number of characters to insert, delete or replace to turn one word into another. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}

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
