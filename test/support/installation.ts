import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listProcesses } from '../../src/embedded/orphans.ts';
import type { StoreUrls } from '../../src/embedded/supervisor.ts';
import { PROGRAM } from '../../tools/program.ts';
import { API_KEY, PATIENT } from './server.ts';
import { START } from './testTime.ts';
import { until } from './until.ts';

/** A process under the supervisor, by what its command line or title starts with. */
const PROGRAMS = {
  server: / server$/,
  worker: / worker$/,
  redis: /(^|\/)(redis|valkey)-server( |$)/,
  postgres: /(^|\/)postgres$/,
};
export type Part = keyof typeof PROGRAMS;

/** A first start makes the files of a PostgreSQL. */
const START_MS_MAX = 150_000;

export interface Installation {
  url: string;
  stores: StoreUrls;
  /** Everything that was printed. */
  output(): string;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** kill -9 for the supervisor, server, worker and both stores at once. */
  killTree(): Promise<void>;
  /**
   * Sends a signal to one of them and returns its pid; one that has just ended is awaited, the supervisor
   * starts it again.
   */
  signal(part: Part, signal: NodeJS.Signals): Promise<number>;
  /** Awaited while it starts. */
  pidOf(part: Part): Promise<number>;
  /** Living processes of the tree. */
  processes(): number[];
}

/**
 * `npm start` as a user runs it, or `laurel` without a command, on a data directory of the test. Its time begins at START. The build must be
 * there.
 * @param program another laurel than that of this checkout
 */
export async function startInstallation(
  dataDir: string,
  env: Record<string, string> = {},
  program = PROGRAM,
): Promise<Installation> {
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      LAUREL_DATA_DIR: dataDir,
      LAUREL_ADMIN_KEY: API_KEY,
      LAUREL_TEST_CLOCK: START,
      PORT: '0',
      HOST: '127.0.0.1',
      ...PATIENT,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    printed += String(chunk);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await waitForUrl(child, () => printed).catch(async (error) => {
    child.kill('SIGTERM');
    await exited;
    throw error;
  });
  const pidOf = async (part: Part): Promise<number> => (await until(() => findPart(child.pid!, part)))!;
  return {
    url,
    stores: JSON.parse(readFileSync(join(dataDir, 'stores.json'), 'utf8')),
    output: () => printed,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    killTree: async () => {
      const all = descendants(child.pid!);
      for (const pid of all) signalProcess(pid, 'SIGKILL');
      await until(() => all.every((pid) => !isAlive(pid)));
    },
    pidOf,
    signal: async (part, signal) => {
      const pid = await pidOf(part);
      process.kill(pid, signal);
      if (signal === 'SIGKILL') await until(() => !isAlive(pid));
      return pid;
    },
    processes: () => descendants(child.pid!).filter(isAlive),
  };
}

/** No system gives these ports to a connection, or to a server that asks for any. */
const PORTS = { from: 12_000, to: 32_000 };

/**
 * A port that is free now, for a server that has to come back under the same address. Nothing takes it before
 * the server listens or while it is away.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function waitForUrl(child: ChildProcess, printed: () => string): Promise<string> {
  let url: string | undefined;
  await until(() => {
    url = /URL {2}(\S+)/.exec(printed())?.[1];
    return url !== undefined || child.exitCode !== null;
  }, START_MS_MAX);
  if (url === undefined) throw new Error(`ended with ${child.exitCode}: ${printed()}`);
  return url;
}

async function findPart(supervisor: number, part: Part): Promise<number | undefined> {
  const tree = new Set(descendants(supervisor));
  const found = (await listProcesses()).find(
    ({ pid, program }) => tree.has(pid) && PROGRAMS[part].test(program),
  );
  return found?.pid;
}

/** Sends a signal to a process that may have ended meanwhile. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** The name of the program of a process; empty once the process has ended. */
export function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The process and all below it, parents first. */
export function descendants(root: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))![1]);
      childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(entry)]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = [root];
  for (const pid of found) found.push(...(childrenOf.get(pid) ?? []));
  return found;
}
