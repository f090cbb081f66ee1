import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { API_KEY } from './server.ts';
import { until } from './until.ts';

export interface Installation {
  url: string;
  /** Everything that was printed. */
  output(): string;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** kill -9 for the supervisor, server, worker and both stores at once. */
  killTree(): Promise<void>;
  /** Living processes of the tree. */
  processes(): number[];
}

/** `npm start` as a user runs it, on a data directory of the test. The build must be there. */
export async function startInstallation(dataDir: string, env: Record<string, string> = {}): Promise<Installation> {
  const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'src', 'main.js'), 'dev'], {
    env: { ...process.env, LAUREL_DATA_DIR: dataDir, LAUREL_ADMIN_KEY: API_KEY, PORT: '0', HOST: '127.0.0.1', ...env },
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
  const url = await waitForUrl(child, () => printed);
  return {
    url,
    output: () => printed,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    killTree: async () => {
      const all = descendants(child.pid!);
      for (const pid of all) kill(pid);
      await until(() => all.every((pid) => !isAlive(pid)));
    },
    processes: () => descendants(child.pid!).filter(isAlive),
  };
}

async function waitForUrl(child: ChildProcess, printed: () => string): Promise<string> {
  let url: string | undefined;
  await until(() => {
    url = /URL {2}(\S+)/.exec(printed())?.[1];
    return url !== undefined || child.exitCode !== null;
  }, 60_000);
  if (url === undefined) throw new Error(`ended with ${child.exitCode}: ${printed()}`);
  return url;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The process and all below it, parents first. */
function descendants(root: number): number[] {
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
