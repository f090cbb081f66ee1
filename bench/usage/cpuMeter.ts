import { cpuOf, readProcesses } from './processes.ts';

/**
 * Measures CPU time of processes from now on, with all processes that they have started.
 * @returns gives the microseconds of each process since then, divided by `count`
 */
export function startCpuMeter<K extends string>(
  pids: Readonly<Record<K, number>>,
): (count: number) => Record<K, number> {
  const names = Object.keys(pids) as K[];
  const read = (): number[] => {
    const processes = readProcesses();
    return names.map((name) => cpuOf(pids[name], processes));
  };
  const before = read();
  return (count) => {
    const after = read();
    return Object.fromEntries(names.map((name, i) => [name, (after[i]! - before[i]!) / count])) as Record<
      K,
      number
    >;
  };
}
