import { FLOOR } from '../scenario.ts';
import type { Results, Row } from './results.ts';

type Rows = readonly (readonly string[])[];

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Markdown of a table whose columns are numbers, but for the first. */
export function markdownTable(head: readonly string[], rows: Rows): string {
  return [line(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n');
}

/** Markdown of a table of texts. */
export function textTable(head: readonly string[], rows: Rows): string {
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

export const NOTHING = '–';

/** Requests per second and latencies, compared with the floor of the same run. */
export function speedTable(rows: readonly Row[]): string {
  const floor = rows.find(({ name }) => name === FLOOR)?.perSecond;
  return markdownTable(
    ['what', 'requests/s', 'of the floor', 'p50 ms', 'p99 ms'],
    rows.map(({ title, perSecond, latency_ms: { p50, p99 } }) => [
      title,
      String(Math.round(perSecond)),
      floor === undefined ? NOTHING : (perSecond / floor).toFixed(2),
      p50.toFixed(1),
      p99.toFixed(1),
    ]),
  );
}

/** How far the history was behind, a line for each scenario with a worker. */
export function relayNotes(rows: readonly Row[]): string {
  return rows
    .filter(({ relayLag_s }) => relayLag_s !== undefined)
    .map(
      ({ title, relayLag_s }) =>
        `\n"${title}": the oldest change that waited for the relay was ${relayLag_s!.toFixed(1)} s old.`,
    )
    .join('\n');
}

/** What an event or read costs; empty if no processes could be seen. */
export function costTable(rows: readonly Row[]): string {
  const seen = rows.flatMap(({ title, usage }) => (usage === null ? [] : [{ title, usage }]));
  if (seen.length === 0) return '';
  return markdownTable(
    ['CPU µs', 'server', 'Redis', 'worker', 'PostgreSQL', 'all', 'Redis commands', 'AOF bytes', 'WAL bytes'],
    seen.map(({ title, usage: { cpu_us: cpu, redisCommands, aof_bytes, wal_bytes } }) => [
      title,
      ...[cpu.server, cpu.redis, cpu.worker, cpu.postgres].map(orNothing),
      (cpu.server + cpu.redis + cpu.worker + cpu.postgres).toFixed(1),
      redisCommands.toFixed(1),
      aof_bytes === null ? NOTHING : aof_bytes.toFixed(0),
      wal_bytes.toFixed(0),
    ]),
  );
}

const orNothing = (cpu_us: number): string => (cpu_us < 0.05 ? NOTHING : cpu_us.toFixed(1));

export function describeMachine({ machine, settings }: Results): string {
  const { cpu, cores, memory_GiB, node } = machine;
  const { seconds, rounds, connections, users, seed } = settings;
  return (
    `${cpu}, ${cores} cores shared by load, service and stores, ${memory_GiB} GiB. Node ${node}, ${connections} connections, ` +
    `${users} users (Zipf, seed ${seed}), median of ${rounds} rounds of ${seconds} s.\n`
  );
}
