import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { PartitionUnit } from '../db/partitions.ts';

/**
 * A backup is a compressed file of lines, each JSON: the first one is a BackupHeader, then come rows of the
 * tables (BackupRows), and a BackupEnd tells that the file is complete.
 */
export const BACKUP_FORMAT = 'laurel-backup/1';

export interface BackupHeader {
  format: string;
  /** Names of the migrations that made the tables. */
  migrations: string[];
  /** Periods that have partitions (src/db/partitions.ts). */
  partitions: Record<PartitionUnit, number[]>;
}

export interface BackupRows {
  table: string;
  rows: string[];
}

export interface BackupEnd {
  /** Number of rows in the file. */
  end: number;
  /** Last number of each sequence. */
  sequences: Record<string, string | null>;
}

export type BackupLine = BackupHeader | BackupRows | BackupEnd;

/** Writes the file under another name first, so that a file of this name is complete and on disk. */
export async function writeBackupFile(path: string, lines: AsyncIterable<BackupLine>): Promise<void> {
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
