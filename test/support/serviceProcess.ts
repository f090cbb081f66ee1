import { fork } from 'node:child_process';
import { isReadyMessage } from '../../src/embedded/child.ts';
import { type OwnedProcess, own } from '../../src/embedded/embeddedService.ts';
import { signalProcess } from './installation.ts';

const STOP_MS_MAX = 30_000;

/**
 * Runs a built program as a process of its own. Resolves when it is ready.
 * @param args the first one names it in errors
 */
export async function startProcess(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<OwnedProcess> {
  const child = fork(program, args, { env: { ...process.env, ...env } });
  const owned = own(child, { stopSignal: 'SIGTERM', stopMsMax: STOP_MS_MAX });
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message) => isReadyMessage(message) && resolve());
    void owned.exited.then((how) => reject(new Error(`${args[0]} ended (${how}) before it was ready`)));
  });
  return owned;
}

/** kill -9, unless it has ended. */
export async function killNow({ pid, exited }: OwnedProcess): Promise<void> {
  signalProcess(pid, 'SIGKILL');
  await exited;
}
