import { IMPORT_ROW_CHARS_MAX } from '../base/importLimits.ts';

/** A row of CSV. */
export interface CsvRecord {
  /** On which the row begins. */
  line: number;
  fields: string[];
  /** Length in the file. */
  chars: number;
}

/**
 * The rows of CSV (RFC 4180) in a text that arrives in pieces, those of a piece together. Empty lines are
 * left out. At most one row is in memory, besides a piece.
 * @throws Error that names the line of a row that is too long or has a wrong quote
 */
export async function* readRecords(pieces: AsyncIterable<string>): AsyncGenerator<CsvRecord[]> {
  let [rest, line] = ['', 1];
  for await (const piece of pieces) {
    const found = recordsIn(rest + piece, line, false);
    ({ rest, line } = found);
    assertChars(line, rest.length);
    if (found.records.length > 0) yield found.records;
  }
  if (rest !== '') yield recordsIn(rest, line, true).records;
}

/** @returns the whole records; `rest`: the text behind them, which begins on `line` */
function recordsIn(text: string, first: number, isEnd: boolean) {
  const records: CsvRecord[] = [];
  let [start, line, quote] = [0, first, text.indexOf('"')];
  while (start < text.length) {
    const feed = endOf(text, '\n', start);
    if (quote !== -1 && quote < start) quote = text.indexOf('"', start);
    const isPlain = quote === -1 || quote > feed;
    const { fields, end } = isPlain
      ? { fields: withoutReturn(text.slice(start, feed)).split(','), end: feed }
      : quotedRecord(text, start, line, isEnd);
    if (end === text.length && !isEnd) break;
    assertChars(line, end - start);
    const isEmpty = isPlain && fields.length === 1 && fields[0] === '';
    if (!isEmpty) records.push({ line, fields, chars: end - start });
    line += isPlain ? 1 : text.slice(start, end).split('\n').length;
    start = end + 1;
  }
  return { records, rest: text.slice(start), line };
}

/** A row with quotes. One whose quote is not closed reaches to the end of the text, where it may go on. */
function quotedRecord(
  text: string,
  start: number,
  line: number,
  isEnd: boolean,
): { fields: string[]; end: number } {
  const fields: string[] = [];
  for (let at = start; ; ) {
    const field = text[at] === '"' ? quotedField(text, at, line) : plainField(text, at, line);
    if (field === null) {
      if (isEnd) throw new Error(`line ${line}: a quote is not closed`);
      return { fields, end: text.length };
    }
    fields.push(field.value);
    if (field.end === text.length || text[field.end] === '\n') return { fields, end: field.end };
    at = field.end + 1;
  }
}

/** @returns null if the quote is not closed */
function quotedField(text: string, at: number, line: number): { value: string; end: number } | null {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return null;
  const end = close + (/^\r(\n|$)/.test(text.slice(close + 1, close + 3)) ? 2 : 1);
  if (end < text.length && text[end] !== ',' && text[end] !== '\n')
    throw new Error(`line ${line}: a comma must follow a closing quote; a quote inside quotes is doubled`);
  return { value: text.slice(at + 1, close).replaceAll('""', '"'), end };
}

function plainField(text: string, at: number, line: number): { value: string; end: number } {
  const end = Math.min(endOf(text, ',', at), endOf(text, '\n', at));
  const value = text.slice(at, end);
  if (value.includes('"')) throw new Error(`line ${line}: a field with quotes inside must be in quotes`);
  return { value: text[end] === ',' ? value : withoutReturn(value), end };
}

function endOf(text: string, separator: string, from: number): number {
  const found = text.indexOf(separator, from);
  return found === -1 ? text.length : found;
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

function assertChars(line: number, chars: number): void {
  if (chars > IMPORT_ROW_CHARS_MAX)
    throw new Error(`line ${line} is longer than ${IMPORT_ROW_CHARS_MAX} characters`);
}
