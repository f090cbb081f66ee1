/** The parts of a V8 CPU profile that a list of functions needs. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  /** µs of the machine's monotonic clock. */
  startTime: number;
  samples: number[];
  /** Time before each sample, µs. */
  timeDeltas: number[];
}

export interface FunctionTime {
  name: string;
  /** Time in the function itself, µs. */
  self_us: number;
}

/** Nodes of V8 that stand for no function of a program. */
const IDLE = ['(idle)', '(root)'];

/** A part of the time of a profile, µs of the machine's monotonic clock. */
export interface Window {
  from: number;
  to: number;
}

/** Functions by the time spent in themselves within the window, most first, without idle time. */
export function functionTimes(
  { nodes, startTime, samples, timeDeltas }: CpuProfile,
  { from, to }: Window,
): FunctionTime[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let at = startTime;
  for (const [i, sample] of samples.entries()) {
    at += timeDeltas[i]!;
    if (at < from || at > to) continue;
    const name = names.get(sample)!;
    // A sample lasts until the next one.
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[i + 1] ?? 0));
  }
  return Array.from(times, ([name, self_us]) => ({ name, self_us }))
    .filter(({ name }) => !IDLE.includes(name))
    .sort((a, b) => b.self_us - a.self_us);
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName;
  const file = url.replace(/^.*\/(dist|node_modules)\//, '');
  return `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}
