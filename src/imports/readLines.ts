import { IMPORT_ROW_CHARS_MAX } from '../base/importLimits.ts';

/**
 * The lines of a text that arrives in pieces, those of a piece together. At most one line is in memory,
 * besides a piece.
 * @throws Error that names the first line that is too long
 */
export async function* readLines(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let [rest, line] = ['', 1];
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    for (const text of lines) assertLength(line++, text);
    assertLength(line, rest);
    yield lines.map((text) => (text.endsWith('\r') ? text.slice(0, -1) : text));
  }
  if (rest !== '') yield [rest];
}

export function assertLength(line: number, text: string): void {
  if (text.length > IMPORT_ROW_CHARS_MAX)
    throw new Error(`line ${line} is longer than ${IMPORT_ROW_CHARS_MAX} characters`);
}
