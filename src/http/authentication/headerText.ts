/** Headers that name what a call has passed and what was ignored. */
export const IGNORED_FIELDS = 'X-Ignored-Fields';
export const IGNORED_PARAMETERS = 'X-Ignored-Parameters';

/**
 * Longest text of a caller in the headers of an answer. Proxies refuse answers with long headers (nginx: 4 kB
 * in all) and may take the server for broken.
 */
const CALLER_TEXT_CHARS_MAX = 200;

/** The beginning of a text of a caller, in printable ASCII and without quotes, for a quoted string. */
export const quotable = (text: string): string =>
  text
    .slice(0, CALLER_TEXT_CHARS_MAX)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, "'");

/** Names given by a caller, percent-encoded because they may hold any text: as many as fit. */
export function nameList(names: Iterable<string>): string {
  let list = '';
  for (const name of names) {
    const longer = list + (list && ', ') + encodeName(name);
    if (longer.length > CALLER_TEXT_CHARS_MAX) break;
    list = longer;
  }
  return list || '...';
}

/** A lone surrogate has no encoding. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.slice(0, CALLER_TEXT_CHARS_MAX).toWellFormed());
