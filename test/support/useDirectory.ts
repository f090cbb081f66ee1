import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A directory for the tests of a file or of a `describe`, which is removed after them. */
export function useDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-test-'));
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
