import { ServiceError } from '../../base/errors.ts';
import { IMPORT_PLAYED_ROWS_MAX, IMPORT_ROWS_MAX } from '../../base/importLimits.ts';
import type { ImportRow } from '../../contract/imports.ts';
import { storeChunk } from '../../db/imports/importParts.ts';
import { addRefusals, findImport, type ImportRecord, type Refusal } from '../../db/imports/importRows.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { lineOf, linesByPart, partOf, readRow } from '../../rules/importedRows.ts';

export interface ImportChunk {
  /** Number of the chunk, from 0. */
  chunk: number;
  rows: readonly ImportRow[];
  /** The file ends with this chunk. */
  isLast: boolean;
}

/**
 * Stores the next chunk of an import. The number of chunks received, which the same transaction raises, is
 * the token: a chunk that is sent again changes nothing.
 * @throws ServiceError `notFound`, or `invalid` if chunks are missing before this one or the import is
 * complete
 */
export function receiveChunk(
  pool: Pool,
  of: Pick<ImportRecord, 'tenant' | 'id'>,
  { chunk, rows, isLast }: ImportChunk,
  now: number,
): Promise<ImportRecord> {
  return transaction(pool, async (client) => {
    const known = await findImport(client, of, true);
    if (known === null) throw new ServiceError('notFound', `Import ${of.id} does not exist`);
    if (chunk < known.chunks) return known;
    assertTakes(known, chunk, rows.length);
    const { parts, refusals } = sortRows(known, rows);
    await storeChunk(client, of.id, { chunk, parts, received: rows.length, isLast }, now);
    await addRefusals(client, of.id, refusals);
    return (await findImport(client, of))!;
  });
}

function assertTakes(
  { state, chunks, received, secondsPerDay }: ImportRecord,
  chunk: number,
  rows: number,
): void {
  if (state === 'cancelled') throw new ServiceError('invalid', 'The import is cancelled');
  if (state !== 'receiving') throw new ServiceError('invalid', 'The import has its last chunk');
  if (chunk > chunks) throw new ServiceError('invalid', `chunk must be ${chunks}, which is the next one`);
  const rowsMax = secondsPerDay === null ? IMPORT_ROWS_MAX : IMPORT_PLAYED_ROWS_MAX;
  if (received + rows > rowsMax)
    throw new ServiceError(
      'invalid',
      `An import ${secondsPerDay === null ? '' : 'with secondsPerDay '}must not have more than ${rowsMax} rows`,
    );
}

/** Lines by part; rows that name no user are refused at once. */
function sortRows(
  { kind, tenant }: ImportRecord,
  rows: readonly ImportRow[],
): { parts: Map<number, string>; refusals: Refusal[] } {
  const lines: [part: number, line: string][] = [];
  const refusals: Refusal[] = [];
  for (const row of rows) {
    try {
      lines.push([partOf(readRow(kind, row).userId), lineOf(row)]);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refusals.push({ ...row, tenant, userId: null, reason: error.message });
    }
  }
  return { parts: linesByPart(lines), refusals };
}
