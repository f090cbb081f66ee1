import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Log } from '../base/log.ts';
import { run } from './commands.ts';
import { waitUntil } from './embeddedService.ts';

const STOP_MS_MAX = 30_000;
const KILL_MS_MAX = 10_000;

/** How to recognise the processes of one data directory. */
export interface Belonging {
  name: string;
  /** Matches the first argument, which these programs replace by a title. */
  program: RegExp;
  /** Matches the processes that receive the stop signal. The others end with them. */
  leader: RegExp;
  /** Text that the command line or title of every such process contains. */
  tag: string;
  /** Working directory of the processes, for versions without the tag in the title. */
  directory?: string;
}

export interface Process {
  pid: number;
  program: string;
  command: string;
}

/**
 * Stops processes of an earlier run that was killed. They are recognised by their command
 * lines, not by pid files: a pid file may be missing or outdated, and it does not name PostgreSQL backends
 * that outlived the postmaster.
 */
export async function stopOrphans(belonging: Belonging, stopSignal: NodeJS.Signals, log: Log): Promise<void> {
  const found = await findOrphans(belonging);
  if (found.length === 0) return;
  log.warn({ pids: found.map(({ pid }) => pid) }, `stopping ${belonging.name} of an earlier run`);
  send(
    stopSignal,
    found.filter(({ program }) => belonging.leader.test(program)),
  );
  const gone = async () => (await findOrphans(belonging)).length === 0;
  try {
    await waitUntil(gone, STOP_MS_MAX, `${belonging.name} of an earlier run to stop`);
  } catch (error) {
    log.warn((error as Error).message);
    send('SIGKILL', await findOrphans(belonging));
    await waitUntil(gone, KILL_MS_MAX, `${belonging.name} of an earlier run to end`);
  }
}

async function findOrphans({ program, tag, directory }: Belonging): Promise<Process[]> {
  const candidates = (await listProcesses()).filter((candidate) => program.test(candidate.program));
  const belongs = await Promise.all(
    candidates.map(
      async ({ pid, command }) => command.includes(tag) || (directory && (await worksIn(pid)) === directory),
    ),
  );
  return candidates.filter((_, i) => belongs[i]);
}

function worksIn(pid: number): Promise<string | null> {
  return readlink(`/proc/${pid}/cwd`).catch(() => null);
}

function send(signal: NodeJS.Signals, processes: Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ESRCH') continue;
      throw new Error(`process ${pid} uses the data directory and cannot be stopped (${code})`, {
        cause: error,
      });
    }
  }
}

/** All processes except zombies. */
export async function listProcesses(): Promise<Process[]> {
  if (process.platform !== 'linux') return listWithPs();
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const processes = await Promise.all(
    pids.map(async (pid) => {
      // It is empty for a zombie. Reading fails if the process has ended meanwhile.
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), program: command.split('\0', 1)[0]!, command };
    }),
  );
  return processes.filter(({ command }) => command !== '');
}

async function listWithPs(): Promise<Process[]> {
  const lines = (await run('ps', ['-axo', 'pid=,command='])).split('\n');
  return lines.map((line) => {
    const [pid = '', ...words] = line.trim().split(' ');
    const command = words.join(' ');
    return { pid: Number(pid), program: command, command };
  });
}
