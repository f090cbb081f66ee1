import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/** After a crash a store reads its whole log, which may take minutes. */
const READY_MS_MAX = 600_000;
const POLL_MS = 20;
const LOG_FILE_BYTES_MAX = 10 * 1024 * 1024;
const LOG_LINES_SHOWN = 8;

/** A child process that this process must stop. */
export interface OwnedProcess {
  pid: number;
  /** Resolves with how the process ended: `code 1`, `SIGKILL`. Never rejects. */
  exited: Promise<string>;
  /**
   * Sends the stop signal, kills the process if it takes too long, and resolves when it has ended. May be
   * called repeatedly.
   */
  stop(): Promise<void>;
}

export interface EmbeddedService extends OwnedProcess {
  /** Address for clients. It is the same at every start in the same data directory. */
  url: string;
}

export interface StartOptions {
  dataDir: string;
  log: Log;
  /** Stops the service when it aborts. If the service is still starting, the start rejects. */
  signal?: AbortSignal;
}

export interface StopRule {
  stopSignal: NodeJS.Signals;
  stopMsMax: number;
  signal?: AbortSignal | undefined;
}

const living = new Set<ChildProcess>();

export function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

export function own(child: ChildProcess, { stopSignal, stopMsMax, signal }: StopRule): OwnedProcess {
  living.add(child);
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
    // A signal that could not be sent is an error, too. Only a process that could not be started counts as
    // ended.
    child.on('error', (error) => child.pid === undefined && resolve(error.message));
  }).finally(() => living.delete(child));

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      child.kill(stopSignal);
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
      await exited;
      clearTimeout(timer);
    })();
    return stopped;
  };
  if (signal?.aborted) void stop();
  signal?.addEventListener('abort', stop);
  void exited.then(() => signal?.removeEventListener('abort', stop));
  return { pid: child.pid ?? 0, exited, stop };
}

export interface LaunchOptions extends StopRule {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** File for the output of the process. It is not a pipe, because the process may outlive this one. */
  logFile: string;
}

export function launch({ command, args, env, uid, gid, logFile, ...rule }: LaunchOptions): OwnedProcess {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_FILE_BYTES_MAX) {
    renameSync(logFile, `${logFile}.1`);
  }
  const output = openSync(logFile, 'a', 0o600);
  try {
    const identity = uid === undefined ? {} : { uid, gid };
    const stdio = ['ignore', output, output] as const;
    // Its own process group: Ctrl-C in a terminal must not stop a store before the processes that use it.
    const child = spawn(command, args, { cwd: '/', env, stdio: [...stdio], detached: true, ...identity });
    return own(child, rule);
  } finally {
    closeSync(output);
  }
}

/**
 * Waits until `answers` returns true.
 * @throws Error with the last lines of the log file if the process ends before
 */
export async function untilReady(
  name: string,
  owned: OwnedProcess,
  logFile: string,
  answers: () => Promise<boolean>,
): Promise<void> {
  let ended: string | undefined;
  void owned.exited.then((how) => {
    ended = how;
  });
  await waitUntil(
    async () => {
      if (ended === undefined) return answers();
      const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN);
      throw new Error(`${name} ended (${ended}) before it was ready. From ${logFile}:\n${lines.join('\n')}`);
    },
    READY_MS_MAX,
    `${name} to be ready`,
  );
}

/** @throws Error if `check` has not returned true within `ms`; errors of `check` are passed on */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  ms: number,
  what: string,
): Promise<void> {
  const deadlineMs = monotonicMs() + ms;
  while (!(await check())) {
    if (monotonicMs() > deadlineMs) throw new Error(`waited ${ms} ms for ${what}`);
    await sleep(POLL_MS);
  }
}
