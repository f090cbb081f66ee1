import { copyFile, open, readdir, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Log } from '../base/log.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * Removes the zeros that a crash of the machine leaves at the end of the append-only file. The length of the
 * file was on disk, but the data was not, so no command in it was ever answered. Redis itself removes an
 * incomplete command. The damaged file is kept as a copy in `directory`.
 */
export async function repairAppendOnlyFile(directory: string, log: Log): Promise<void> {
  const file = await appendOnlyFile(directory);
  if (file === null) return;
  const zeros = await countZerosAtEnd(file);
  if (zeros.count === 0) return;
  const copy = join(directory, `${basename(file)}.damaged-at-${zeros.size}`);
  await copyFile(file, copy);
  await truncate(file, zeros.size - zeros.count);
  log.warn(
    { file, copy },
    `removed ${zeros.count} zero bytes from the end of the append-only file of Redis; the copy still has them`,
  );
}

/** Advice for an administrator if Redis refuses its append-only file. */
export function adviceOnDamage(directory: string): string {
  return `The append-only file in ${directory} is damaged before its end. Copy the directory, then either run
  redis-check-aof --fix on the file that the log names (it drops everything after the damage),
or move ${directory} away, start again, and run \`laurel restore\` (it rebuilds Redis from PostgreSQL).`;
}

/** The file that Redis appended to last. Redis 7 keeps a directory of files, Redis 6 a single file. */
async function appendOnlyFile(directory: string): Promise<string | null> {
  const parts = (await readdir(join(directory, 'appendonlydir')).catch(() => []))
    .map((name) => ({ name, sequence: Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1]) }))
    .filter(({ sequence }) => !Number.isNaN(sequence))
    .sort((a, b) => a.sequence - b.sequence);
  const last = parts.at(-1);
  if (last !== undefined) return join(directory, 'appendonlydir', last.name);
  return (await readdir(directory)).includes('appendonly.aof') ? join(directory, 'appendonly.aof') : null;
}

async function countZerosAtEnd(file: string): Promise<{ size: number; count: number }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      await handle.read(chunk, 0, end - start, start);
      for (let i = end - start - 1; i >= 0; i--) {
        if (chunk[i] !== 0) return { size, count: size - (start + i + 1) };
      }
      end = start;
    }
    return { size, count: size };
  } finally {
    await handle.close();
  }
}
