import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { IMPORT_ROW_CHARS_MAX } from '../base/importLimits.ts';
import type { ImportKind, ImportRow } from '../contract/imports.ts';
import { checkHeader } from './checkHeader.ts';
import { decodeText } from './decodeText.ts';
import { eventMaker } from './eventMaker.ts';
import { assertLength, readLines } from './readLines.ts';
import { type CsvRecord, readRecords } from './readRecords.ts';
import { through } from './through.ts';

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
      throw new Error(`line ${line} must have ${header.columns.length} columns, and has ${fields.length}`);
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
