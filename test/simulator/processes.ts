import { join } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { atMost } from '../../src/base/withTimeout.ts';
import type { OwnedProcess } from '../../src/embedded/embeddedService.ts';
import { freePort } from '../support/installation.ts';
import { SERVER_ENV, type TestServer } from '../support/server.ts';
import { killNow, startProcess } from '../support/serviceProcess.ts';

/** Of the build with a file for each module, in which mutants are made. */
const PROGRAMS = { server: ['src', 'main.js'], worker: ['test', 'simulator', 'relayProcess.js'] } as const;
export type ProcessRole = keyof typeof PROGRAMS;

/** What can hang, and go on. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** Signal to the relay: end when the next batch is written, before it is acknowledged. */
export const END_AFTER_COMMIT = 'SIGUSR2';
/** Longest wait for a batch of the relay, ms: an event may be refused. */
const COMMIT_MS_MAX = 5_000;
/** Longest wait for a store, ms: some stores hang for longer. */
const STORE_WAIT_MS = 2_000;

/**
 * The server of a world and what a worker has of its own, the relay, as processes that may be killed. The rest of the
 * work of workers is done by the call that moves the clock, because it has to come in an order that the model knows.
 */
export class Processes {
  readonly url: string;
  readonly #env: Record<string, string>;
  readonly #running = new Map<ProcessRole, OwnedProcess>();

  private constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#env = env;
  }

  static async start({ redisUrl, databaseUrl }: TestServer, env: Record<string, string>): Promise<Processes> {
    const port = await freePort();
    const processes = new Processes(port, {
      ...SERVER_ENV,
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl,
      ...env,
      LAUREL_ALLOW_UNSAFE_REDIS: '1',
      LAUREL_STORE_WAIT_MS: String(STORE_WAIT_MS),
      LAUREL_DRAIN_SECONDS: '0',
      LOG_LEVEL: 'fatal',
      PORT: String(port),
    });
    await Promise.all([processes.#start('server'), processes.#start('worker')]);
    return processes;
  }

  /** kill -9, and a new start. */
  async kill(role: ProcessRole): Promise<void> {
    await killNow(this.#running.get(role)!);
    await this.#start(role);
  }

  /**
   * Kills the relay when it has written its next batch and not acknowledged it, or after COMMIT_MS_MAX, and starts it
   * again.
   */
  async killAfterCommit(): Promise<void> {
    const { pid, exited } = this.#running.get('worker')!;
    process.kill(pid, END_AFTER_COMMIT);
    await atMost(exited, COMMIT_MS_MAX);
    await this.kill('worker');
  }

  find(role: ProcessRole): Pausable {
    const { pid } = this.#running.get(role)!;
    return { pause: () => process.kill(pid, 'SIGSTOP'), resume: () => process.kill(pid, 'SIGCONT') };
  }

  /** Ends in order, and starts again. */
  async restart(role: ProcessRole): Promise<void> {
    await this.#running.get(role)!.stop();
    await this.#start(role);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.stop()));
  }

  async #start(role: ProcessRole): Promise<void> {
    const program = join(packageRoot(), 'dist', ...PROGRAMS[role]);
    this.#running.set(role, await startProcess(program, [role], this.#env));
  }
}
