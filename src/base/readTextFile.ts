import { readFile } from 'node:fs/promises';

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
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
