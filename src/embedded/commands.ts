import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** Directories of administration commands, which are often missing in the PATH of an ordinary user. */
const SYSTEM_DIRECTORIES = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export function findOnPath(name: string): string | null {
  for (const directory of [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_DIRECTORIES]) {
    if (directory === '') continue;
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The command is not in this directory.
    }
  }
  return null;
}

export interface RunOptions {
  uid?: number;
  gid?: number;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/**
 * Runs a command to its end and returns what it printed.
 * @throws Error with the last lines it printed.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { cwd: '/', maxBuffer: OUTPUT_BYTES_MAX, ...options });
    return stdout.trim();
  } catch (error) {
    const { message, stderr, stdout } = error as Error & { stderr?: string; stdout?: string };
    const printed = stderr?.trim() || stdout?.trim() || message;
    throw new Error(`${command} failed: ${printed.split('\n').slice(-10).join('\n')}`, { cause: error });
  }
}

export function succeeds(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<boolean> {
  return run(command, args, options).then(
    () => true,
    () => false,
  );
}
