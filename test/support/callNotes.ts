import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const noted = new Set<string>();

/**
 * Adds a line, once, to what this process tells the run about its tests: a file in the directory
 * LAUREL_TEST_CALLS.
 */
export function note(line: string): void {
  const directory = process.env.LAUREL_TEST_CALLS;
  if (directory === undefined || noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(directory, String(process.pid)), `${line}\n`);
}

export function noteTestFile(path: string): void {
  note(`file ${path}`);
}
