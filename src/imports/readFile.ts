import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { IMPORT_ROW_CHARS_MAX } from '../base/importLimits.ts';
import type { ImportKind, ImportRow } from '../contract/imports.ts';
import { checkHeader } from './checkHeader.ts';
import { decodeText } from './decodeText.ts';
import { eventOfColumns } from './eventOfColumns.ts';
import { assertLength, readLines } from './readLines.ts';

/** First bytes of a gzip file (RFC 1952, 2.3.1). */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * The rows of a file, each with the number of its line. The name tells the format: `.csv` or `.csv.gz` is CSV
 * with a header, anything else one JSON object a line. A row of CSV becomes the JSON of its columns or event.
 * @throws Error that names the line, if the file cannot be divided into rows
 */
export function readFile(path: string, kind: ImportKind): AsyncGenerator<ImportRow> {
  return /\.csv(\.gz)?$/i.test(path) ? readCsv(path, kind) : readJsonLines(path);
}

async function openFile(path: string): Promise<Readable> {
  const handle = await open(path);
  const { buffer } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
  await handle.close();
  const file = createReadStream(path);
  return buffer.equals(GZIP_MAGIC) ? through(file, createGunzip()) : file;
}

/** Like `pipe`, but reading the end also throws the errors of the start. */
function through<T extends Transform>(start: Readable, end: T): T {
  pipeline(start, end, () => {});
  return end;
}

async function* readJsonLines(path: string): AsyncGenerator<ImportRow> {
  let line = 0;
  for await (const row of readLines(decodeText(await openFile(path)))) {
    line++;
    if (row.trim() !== '') yield { line, row };
  }
}

async function* readCsv(path: string, kind: ImportKind): AsyncGenerator<ImportRow> {
  const parser = through(
    Readable.from(decodeText(await openFile(path))),
    parse({
      columns: (names: string[]) => checkHeader(kind, names),
      info: true,
      skip_empty_lines: true,
      max_record_size: IMPORT_ROW_CHARS_MAX,
    }),
  );
  for await (const { record, info } of parser as AsyncIterable<CsvRow>) {
    const row = JSON.stringify(kind === 'events' ? eventOfColumns(record) : record);
    assertLength(info.lines, row);
    yield { line: info.lines, row };
  }
}

interface CsvRow {
  record: Record<string, string>;
  info: { lines: number };
}
