import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/base/packageRoot.ts';

/** Runs `laurel` as an operator does. The build must be there. `env` adds to the variables of the test. */
export function runLaurel(
  args: readonly string[],
  env: Record<string, string> = {},
  timeoutMs?: number,
): Promise<{ stdout: string; stderr: string }> {
  const program = join(packageRoot(), 'dist', 'src', 'main.js');
  return promisify(execFile)(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    timeout: timeoutMs,
  });
}
