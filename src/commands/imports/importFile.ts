import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { handled } from '../../base/handled.ts';
import { hashId } from '../../base/ids.ts';
import { IMPORT_CHUNK_BYTES_MAX, IMPORT_CHUNK_ROWS_MAX } from '../../base/importLimits.ts';
import type { Progress } from '../../base/progress.ts';
import type { Import, ImportKind, ImportRow } from '../../contract/imports.ts';
import type { ServiceClient } from '../replay/serviceClient.ts';
import { readFile, surveyFile } from './readFile.ts';

/** Time between two looks at an import that is being applied. */
const POLL_MS = 500;
/** Room of a chunk for what is around its rows. */
const ENVELOPE_BYTES = 1_000;

export interface FileToImport {
  path: string;
  kind: ImportKind;
  merge: 'add' | null;
}

/**
 * Imports a file: sends its rows in chunks, then waits until the service has applied them. The id of the
 * import follows from the content of the file, so a command that was killed continues its import when it
 * is started again. A file of events that is done is not imported again, because its users have that past,
 * nor is one that adds, because it has.
 * @returns the import, which is done, paused or cancelled
 */
export async function importFile(
  service: ServiceClient,
  file: FileToImport,
  progress: Progress,
): Promise<Import> {
  // A file that cannot be read as a whole leaves no import behind.
  const { rows: total, columns } = await surveyFile(file.path, file.kind);
  const begun = await begin(service, file, columns);
  const sent = await send(service, file, { begun, total }, progress);
  return waitUntilApplied(service, sent, progress);
}

async function begin(
  service: ServiceClient,
  { path, kind, merge }: FileToImport,
  columns: readonly string[],
): Promise<Import> {
  const content = await hashOf(path);
  for (let attempt = 0; ; attempt++) {
    const id = hashId([content, kind, merge ?? '', attempt]);
    const found = await service.createImport({ id, kind, merge, columns, name: basename(path) });
    if (found === null) continue;
    const isForOnce = kind === 'events' || merge === 'add';
    if (found.state === 'done' ? isForOnce : found.state !== 'cancelled') return found;
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest('hex');
}

async function send(
  service: ServiceClient,
  { path, kind }: FileToImport,
  { begun, total }: { begun: Import; total: number },
  progress: Progress,
): Promise<Import> {
  if (begun.state !== 'receiving' && begun.state !== 'paused') return begun;
  // The next chunk is read while one is under way.
  let sending = Promise.resolve(begun);
  progress.begin('rows sent', total);
  try {
    let chunk = 0;
    for await (const { rows, isLast } of chunksOf(readFile(path, kind))) {
      const body = chunk >= begun.chunks && `{"chunk":${chunk},"rows":[${rows.join()}],"isLast":${isLast}}`;
      await sending;
      if (body) sending = handled(service.addImportChunk(begun.id, body));
      chunk++;
      progress.advance(rows.length);
    }
    return await sending;
  } finally {
    progress.end();
  }
}

/** Chunks of the same rows, as JSON, whenever the same file is read. The last one may be empty. */
async function* chunksOf(
  rows: AsyncIterable<ImportRow[]>,
): AsyncGenerator<{ rows: string[]; isLast: boolean }> {
  let [chunk, bytes]: [string[], number] = [[], ENVELOPE_BYTES];
  for await (const some of rows) {
    for (const { line, row } of some) {
      const json = `{"line":${line},"row":${JSON.stringify(row)}}`;
      const size = Buffer.byteLength(json) + 1;
      if (chunk.length === IMPORT_CHUNK_ROWS_MAX || bytes + size > IMPORT_CHUNK_BYTES_MAX) {
        yield { rows: chunk, isLast: false };
        [chunk, bytes] = [[], ENVELOPE_BYTES];
      }
      chunk.push(json);
      bytes += size;
    }
  }
  yield { rows: chunk, isLast: true };
}

async function waitUntilApplied(service: ServiceClient, sent: Import, progress: Progress): Promise<Import> {
  let [latest, shown] = [sent, 0];
  progress.begin('rows applied', sent.rows.received);
  try {
    for (;;) {
      const handled = latest.rows.applied + latest.rows.refused;
      progress.advance(handled - shown);
      shown = handled;
      if (latest.finished !== null || latest.state === 'paused' || latest.state === 'cancelled')
        return latest;
      await sleep(POLL_MS);
      latest = await service.readImport(latest.id);
    }
  } finally {
    progress.end();
  }
}
