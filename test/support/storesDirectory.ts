import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm';
/** More than the stores of all tests need. */
const FREE_BYTES_MIN = 4 * 2 ** 30;

/** Where stores of tests keep their files: in memory if there is room. No test takes the power from the machine. */
export function storesDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= FREE_BYTES_MIN ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
