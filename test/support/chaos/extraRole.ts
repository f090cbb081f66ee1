import { fork } from 'node:child_process';
import { createLog } from '../../../src/base/log.ts';
import { isReadyMessage } from '../../../src/embedded/child.ts';
import { type OwnedProcess, own } from '../../../src/embedded/embeddedService.ts';
import { keepRunning } from '../../../src/embedded/keepRunning.ts';
import { PROGRAM } from '../../../tools/program.ts';
import { START } from '../testTime.ts';
import { until } from '../until.ts';

const STOP_MS_MAX = 30_000;

export interface ExtraRole {
  /** kill -9; one that has just ended is waited for, for it is started again. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** A server or worker beside those of `npm start`, on the same stores; started again whenever it ends. */
export async function startExtraRole(
  role: 'server' | 'worker',
  env: Record<string, string>,
): Promise<ExtraRole> {
  let running: OwnedProcess | null = null;
  const kept = keepRunning(role, createLog('test', 'silent'), async (signal) => {
    const child = fork(PROGRAM, [role], {
      env: { ...process.env, LAUREL_TEST_CLOCK: START, LAUREL_ALLOW_UNSAFE_REDIS: '1', ...env },
    });
    const owned = own(child, { stopSignal: 'SIGTERM', stopMsMax: STOP_MS_MAX, signal });
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message) => isReadyMessage(message) && resolve());
      void owned.exited.then((how) => reject(new Error(`${role} ended (${how}) before it was ready`)));
    });
    running = owned;
    return owned;
  });
  await kept.started;
  return {
    kill: async () => {
      const { pid, exited } = (await until(() => running))!;
      running = null;
      process.kill(pid, 'SIGKILL');
      await exited;
    },
    stop: () => kept.stop(),
  };
}
