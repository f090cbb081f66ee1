import { readFile } from 'node:fs/promises';

const REASONS: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'permission denied',
};

/** @throws Error that names the file and says why it cannot be read */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`cannot read ${path}: ${REASONS[code] ?? message}`, { cause: error });
  }
}
