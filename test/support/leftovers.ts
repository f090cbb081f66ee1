import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { until } from './until.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'];
/** In place of the value of a global that Node.js loads when it is first read. */
const LAZY = Symbol('lazy');
/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A';

/**
 * State of this process by name. Each file must leave it as it was, because the files of a worker share the
 * process.
 */
type ProcessState = Map<string, unknown>;

/**
 * Records the state of the process. The returned function rejects if a test file has changed it and names
 * what is different.
 */
export function watchState(): () => Promise<void> {
  const before = readState();
  return async () => {
    let changes: string[] = [];
    const isRestored = () => {
      changes = changesSince(before);
      return changes.length === 0;
    };
    // Servers and processes that a file has stopped may take a while to end.
    await until(isRestored).catch(() => {
      throw new Error(`This test file leaves behind:\n  ${changes.join('\n  ')}`);
    });
  };
}

function changesSince(before: ProcessState): string[] {
  const now = readState();
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter(
    (name) => before.get(name) !== LAZY && !Object.is(now.get(name), before.get(name)),
  );
}

function readState(): ProcessState {
  const state: ProcessState = new Map<string, unknown>([
    ['fake timers', vi.isFakeTimers()],
    ['the working directory', process.cwd()],
    ['process.argv', process.argv],
    ['process.exit', process.exit],
  ]);
  for (const [name, value] of Object.entries(process.env)) state.set(`process.env.${name}`, value);
  for (const name of SIGNALS) state.set(`a listener of ${name}`, process.listenerCount(name));
  for (const [owner, object] of Object.entries({ globalThis, performance, Date, Math })) {
    // Names with an underscore belong to Node.js and the test runner.
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(object)))
      if (!name.startsWith('_')) state.set(`${owner}.${name}`, get === undefined ? value : LAZY);
  }
  for (const address of listeningSockets()) state.set(`a server on ${address}`, true);
  for (const child of childProcesses()) state.set(`process ${child}`, true);
  return state;
}

/** Addresses on which this process listens; none where there is no /proc. */
function listeningSockets(): string[] {
  const own = new Set(list('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`)));
  return ['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((table) =>
    read(table)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , status, , , , , , inode]) => status === LISTEN && own.has(`socket:[${inode}]`))
      .map(([, address]) => `port ${Number.parseInt(address!.split(':')[1]!, 16)}`),
  );
}

/** Processes that this one has started, without the Redis nodes that stay until the end of the run. */
function childProcesses(): string[] {
  const kept = new Set(list(process.env.LAUREL_TEST_NODES ?? ''));
  return list('/proc/self/task')
    .flatMap((thread) => read(`/proc/self/task/${thread}/children`).split(' '))
    .filter((pid) => pid !== '' && !kept.has(pid))
    .map((pid) => `${pid} (${read(join('/proc', pid, 'comm')).trim()})`);
}

function list(directory: string): string[] {
  return orElse(() => readdirSync(directory), []);
}

function read(file: string): string {
  return orElse(() => readFileSync(file, 'utf8'), '');
}

function linkOf(path: string): string {
  return orElse(() => readlinkSync(path), '');
}

/** Processes and descriptors may end while they are read. */
function orElse<T>(attempt: () => T, missing: T): T {
  try {
    return attempt();
  } catch {
    return missing;
  }
}
