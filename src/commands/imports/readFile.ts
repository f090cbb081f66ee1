import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { IMPORT_ROW_CHARS_MAX } from '../../base/importLimits.ts';
import type { ImportKind, ImportRow } from '../../contract/imports.ts';
import { checkHeader, eventMaker } from './csvColumns.ts';

/** Bytes of a read: many rows, so that a row costs no wait of its own. */
const READ_BYTES = 256 * 1024;
/** Most characters of JSON that a character of CSV becomes. */
const JSON_CHARS_MAX = 6;
/** Characters of JSON around the columns, at most. */
const OVERHEAD_CHARS = 100;

/** First bytes of a gzip file (RFC 1952, 2.3.1). */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * The rows of a file, each with the number of its line, those of one read together. The name tells the
 * format: `.csv` or `.csv.gz` is CSV with a header, anything else one JSON object a line. A row of CSV
 * becomes the JSON of its columns or event.
 * @throws Error that names the line, if the file cannot be divided into rows
 */
export async function* readFile(path: string, kind: ImportKind): AsyncGenerator<ImportRow[]> {
  if (!isCsv(path)) yield* readJsonLines(path);
  else {
    for await (const { records, jsonOf } of readCsv(path, kind))
      yield records.map((record) => ({ line: record.line, row: jsonOf(record) }));
  }
}

/** The number of rows of a file, and its columns if it has a header. @throws like `readFile` */
export async function surveyFile(
  path: string,
  kind: ImportKind,
): Promise<{ rows: number; columns: string[] }> {
  let rows = 0;
  let columns: string[] = [];
  if (!isCsv(path)) {
    for await (const some of readJsonLines(path)) rows += some.length;
    return { rows, columns };
  }
  for await (const { records, jsonOf, overhead, columns: found } of readCsv(path, kind)) {
    columns = found;
    for (const record of records)
      if (JSON_CHARS_MAX * record.chars + overhead > IMPORT_ROW_CHARS_MAX) jsonOf(record);
    rows += records.length;
  }
  return { rows, columns };
}

const isCsv = (path: string): boolean => /\.csv(\.gz)?$/i.test(path);

async function openFile(path: string): Promise<Readable> {
  const handle = await open(path);
  const { buffer } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
  await handle.close();
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
  return buffer.equals(GZIP_MAGIC) ? through(file, createGunzip({ chunkSize: READ_BYTES })) : file;
}

async function* readJsonLines(path: string): AsyncGenerator<ImportRow[]> {
  let line = 0;
  for await (const lines of readLines(decodeText(await openFile(path)))) {
    const rows: ImportRow[] = [];
    for (const row of lines) {
      line++;
      if (row.trim() !== '') rows.push({ line, row });
    }
    yield rows;
  }
}

/** Rows of CSV, and what makes the JSON of one. */
interface CsvRows {
  records: CsvRecord[];
  jsonOf(record: CsvRecord): string;
  /** Characters that the columns add to the JSON, at most. */
  overhead: number;
  columns: string[];
}

async function* readCsv(path: string, kind: ImportKind): AsyncGenerator<CsvRows> {
  let header: Omit<CsvRows, 'records'> | null = null;
  for await (const records of readRecords(decodeText(await openFile(path)))) {
    header ??= readHeader(kind, records.shift()!.fields);
    for (const { line, fields } of records) {
      if (fields.length === header.columns.length) continue;
      throw new Error(`line ${line} has ${fields.length} columns instead of ${header.columns.length}`);
    }
    yield { ...header, records };
  }
}

function readHeader(kind: ImportKind, names: string[]): Omit<CsvRows, 'records'> {
  const columns = checkHeader(kind, names);
  const contentOf = kind === 'events' ? eventMaker(columns) : objectMaker(columns);
  const jsonOf = ({ line, fields }: CsvRecord): string => {
    const row = JSON.stringify(contentOf(fields));
    assertLength(line, row);
    return row;
  };
  return { jsonOf, overhead: OVERHEAD_CHARS + 2 * JSON.stringify(columns).length, columns };
}

const objectMaker =
  (columns: readonly string[]) =>
  (fields: readonly string[]): object =>
    Object.fromEntries(columns.map((column, i) => [column, fields[i]]));

/** Records that are given together, so that a record costs no wait of its own. */
const RECORDS_TOGETHER = 1_000;

interface CsvRecord {
  /** On which the row begins. */
  line: number;
  fields: string[];
  /** Length of the fields. */
  chars: number;
}

/**
 * The rows of CSV in a text that arrives in pieces, many together. Empty lines are left out.
 * @throws Error that names the line of a row that is too long or has a wrong quote
 */
export async function* readRecords(pieces: AsyncIterable<string>): AsyncGenerator<CsvRecord[]> {
  const parser = through(
    Readable.from(pieces),
    parse({
      record_delimiter: ['\n', '\r\n'],
      relax_column_count: true,
      max_record_size: IMPORT_ROW_CHARS_MAX,
    }),
  );
  let [records, line]: [CsvRecord[], number] = [[], 1];
  for await (const fields of parser as AsyncIterable<string[]>) {
    const isEmpty = fields.length === 1 && fields[0] === '';
    const text = fields.join();
    if (!isEmpty) records.push({ line, fields, chars: text.length });
    // The parser could tell the line, but that takes as long again.
    line += text.includes('\n') ? text.split('\n').length : 1;
    if (records.length < RECORDS_TOGETHER) continue;
    yield records;
    records = [];
  }
  if (records.length > 0) yield records;
}

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

function assertLength(line: number, text: string): void {
  if (text.length > IMPORT_ROW_CHARS_MAX)
    throw new Error(`line ${line} is longer than ${IMPORT_ROW_CHARS_MAX} characters`);
}

/**
 * The text of a file in UTF-8, without its byte order mark.
 * @throws Error if the file is not UTF-8
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new Error('the file is not UTF-8 text');
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}

/** Like `pipe`, but reading the end also throws the errors of the start. */
export function through<T extends Transform>(start: Readable, end: T): T {
  pipeline(start, end, () => {});
  return end;
}
