import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Command, CommanderError } from 'commander';
import { vi } from 'vitest';
import { PROGRAM } from '../../tools/program.ts';

/** Runs `laurel` as an operator does. The build must be there. `env` adds to the variables of the test. */
export function runLaurel(
  args: readonly string[],
  env: Record<string, string> = {},
  timeoutMs?: number,
): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...env },
    timeout: timeoutMs,
  });
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of `laurel` in this process, which takes a tenth of the time of a process. Errors end it as
 * in main.ts.
 * @param add adds the command to the program
 */
export async function runInProcess(
  add: (program: Command) => void,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Ended> {
  const ended: Ended = { code: 0, stdout: '', stderr: '' };
  const write = (text: string): void => {
    ended.stderr += text;
  };
  const program = new Command('laurel').exitOverride().configureOutput({ writeErr: write });
  add(program);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const printed = vi.spyOn(console, 'log').mockImplementation((text) => {
    ended.stdout += `${text}\n`;
  });
  try {
    await program.parseAsync(['node', 'laurel', ...args]);
  } catch (error) {
    ended.code = error instanceof CommanderError ? error.exitCode : 1;
    if (!(error instanceof CommanderError)) write(`laurel: ${(error as Error).message}\n`);
  } finally {
    printed.mockRestore();
    vi.unstubAllEnvs();
  }
  return ended;
}
