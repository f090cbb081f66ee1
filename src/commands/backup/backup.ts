import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Progress } from '../../base/progress.ts';
import { holdFence } from '../../db/history/relayFence.ts';
import { createPartitions, listPeriods, type PartitionUnit } from '../../db/partitions.ts';
import { type Pool, type PoolClient, transaction } from '../../db/pool.ts';
import {
  estimateRows,
  listMigrations,
  listTables,
  readRows,
  readSequences,
  replaceRows,
  writeRows,
  writeSequences,
} from '../../db/wholeTables.ts';

/**
 * Writes everything that PostgreSQL holds to a file, as of one moment, while servers and workers go on.
 * @returns number of rows
 */
export async function backUp(pool: Pool, path: string, progress: Progress): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    progress.begin('rows', await estimateRows(client));
    const written = { rows: 0 };
    await writeBackupFile(path, linesOf(client, progress, written));
    progress.end();
    return written.rows;
  } finally {
    client.release(true);
  }
}

async function* linesOf(
  client: PoolClient,
  progress: Progress,
  written: { rows: number },
): AsyncGenerator<BackupLine> {
  const [migrations, partitions] = [await listMigrations(client), await listPeriods(client)];
  yield { format: BACKUP_FORMAT, migrations, partitions };
  for (const table of await listTables(client)) {
    for await (const rows of readRows(client, table)) {
      yield { table, rows };
      written.rows += rows.length;
      progress.advance(rows.length);
    }
  }
  // Sequences go on outside the transaction, so that they are read last.
  yield { end: written.rows, sequences: await readSequences(client) };
}

/**
 * Reads a whole file.
 * @returns its number of rows
 * @throws Error if it is no backup, of another version, damaged or incomplete
 */
export async function verifyBackup(pool: Pool, path: string): Promise<number> {
  let [rows, end] = [0, -1];
  let isFirst = true;
  for await (const line of readLines(path)) {
    if (isFirst) assertHeader(line, await listMigrations(pool), path);
    isFirst = false;
    if ('table' in line) rows += line.rows.length;
    if ('end' in line) end = line.end;
  }
  if (end !== rows) throw new Error(`${path} is incomplete`);
  return rows;
}

async function* readLines(path: string): AsyncGenerator<BackupLine> {
  try {
    yield* readBackupFile(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function assertHeader(line: BackupLine, migrations: string[], path: string): asserts line is BackupHeader {
  if (!('format' in line) || line.format !== BACKUP_FORMAT)
    throw new Error(`${path} is not a backup of laurel`);
  if (String(line.migrations) === String(migrations)) return;
  const [ofFile, own] = [line.migrations.at(-1), migrations.at(-1)];
  throw new Error(`${path} has the schema ${ofFile}, not ${own}: restore it with the version that wrote it`);
}

/**
 * Replaces everything that PostgreSQL holds by what a verified file does, in one transaction. Relays write
 * nothing that they have read before.
 */
export function restoreBackup(pool: Pool, path: string, progress: Progress): Promise<void> {
  return transaction(pool, async (client) => {
    await holdFence(client);
    await replaceRows(client, async () => {
      for await (const line of readBackupFile(path)) {
        if ('table' in line) {
          await writeRows(client, line.table, line.rows);
          progress.advance(line.rows.length);
        } else if ('end' in line) {
          await writeSequences(client, line.sequences);
        } else {
          for (const [unit, periods] of Object.entries(line.partitions))
            await createPartitions(client, unit as PartitionUnit, periods);
        }
      }
    });
  });
}

/**
 * A backup is a compressed file of lines, each JSON: the first one is a BackupHeader, then come rows of the
 * tables (BackupRows), and a BackupEnd tells that the file is complete.
 */
const BACKUP_FORMAT = 'laurel-backup/1';

interface BackupHeader {
  format: string;
  /** Names of the migrations that made the tables. */
  migrations: string[];
  /** Periods that have partitions (src/db/partitions.ts). */
  partitions: Record<PartitionUnit, number[]>;
}

interface BackupRows {
  table: string;
  rows: string[];
}

interface BackupEnd {
  /** Number of rows in the file. */
  end: number;
  /** Last number of each sequence. */
  sequences: Record<string, string | null>;
}

type BackupLine = BackupHeader | BackupRows | BackupEnd;

/** Writes the file under another name first, so that a file of this name is complete and on disk. */
async function writeBackupFile(path: string, lines: AsyncIterable<BackupLine>): Promise<void> {
  // Only the owner may read it: it contains all personal data.
  const target = await open(path, 'wx', 0o600);
  const partial = `${path}.partial`;
  try {
    await pipeline(
      Readable.from(textOf(lines)),
      createGzip(),
      createWriteStream(partial, { mode: 0o600, flush: true }),
    );
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    await rm(path, { force: true });
    throw error;
  } finally {
    await target.close();
  }
}

async function* textOf(lines: AsyncIterable<BackupLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/** @throws Error if the file cannot be read, or is damaged or cut off */
export async function* readBackupFile(path: string): AsyncGenerator<BackupLine> {
  let rest = '';
  const text = createGunzip().setEncoding('utf8');
  // The loop below gets the errors of both streams.
  pipeline(createReadStream(path), text).catch(() => {});
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as BackupLine;
  }
}
