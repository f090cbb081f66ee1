import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { IMPORT_ROW_CHARS_MAX } from '../base/importLimits.ts';
import { through } from './through.ts';

/** Records that are given together, so that a record costs no wait of its own. */
const RECORDS_TOGETHER = 1_000;

/** A row of CSV. */
export interface CsvRecord {
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
