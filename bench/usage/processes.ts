import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface ProcessStat {
  parent: number;
  /** CPU time of the process, and of its children that have ended. */
  cpu_us: number;
}

/** What /proc says of all processes, by their ids. */
export type ProcessTable = ReadonlyMap<number, ProcessStat>;

export function readProcesses(): ProcessTable {
  const table = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      table.set(Number(name), parseStat(readFileSync(`/proc/${name}/stat`, 'latin1')));
    } catch {
      // The process has ended in the meantime.
    }
  }
  return table;
}

/** @param stat the content of /proc/PID/stat */
export function parseStat(stat: string): ProcessStat {
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), cpu_us: (ticks / TICKS_PER_SECOND) * 1e6 };
}

/** A process and all processes that it has started. */
function familyOf(pid: number, processes: ProcessTable): number[] {
  const children = [...processes].filter(([, { parent }]) => parent === pid);
  return [pid, ...children.flatMap(([child]) => familyOf(child, processes))];
}

/** CPU time of a process and of all processes that it has started. */
export function cpuOf(pid: number, processes: ProcessTable): number {
  return familyOf(pid, processes).reduce((sum, one) => sum + (processes.get(one)?.cpu_us ?? 0), 0);
}

/** Runs while a process and all processes that it has started stand still. */
export async function whileStopped<T>(pid: number, run: () => Promise<T>): Promise<T> {
  const family = familyOf(pid, readProcesses());
  for (const one of family) process.kill(one, 'SIGSTOP');
  try {
    return await run();
  } finally {
    for (const one of family) process.kill(one, 'SIGCONT');
  }
}
