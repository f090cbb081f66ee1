import { COSTS } from './costs.ts';
import type { Sizing } from './sizing.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** 1,500,000 → 1.5 MB */
export function bytesText(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** unit).toPrecision(3)} ${UNITS[unit]}`;
}

/** The result for people, followed by the costs that it comes from. */
export function describeSizing({ eventsPerDay, redis, postgres, servers, workers, notes }: Sizing): string {
  const rows = [
    ['events a day', Math.round(eventsPerDay).toLocaleString('en')],
    ['servers, one core each', String(servers)],
    ['workers, one core each', String(workers)],
    [
      'Redis CPU cores',
      `${redis.cores.toFixed(2)} on ${redis.primaries} ${redis.primaries === 1 ? 'primary' : 'primaries'}`,
    ],
    ['Redis maxmemory', bytesText(redis.data)],
    ['memory of the Redis machines', bytesText(redis.memory)],
    ['append-only file', `${bytesText(redis.aofPerSecond)}/s`],
    ['PostgreSQL CPU cores', postgres.cores.toFixed(2)],
    ['PostgreSQL disk', `${bytesText(postgres.diskPerDay)} a day, ${bytesText(postgres.diskPerMonth)} a month`],
    ['write-ahead log', `${bytesText(postgres.walPerDay)} a day`],
    ['connections to PostgreSQL', String(postgres.connections)],
  ];
  const costs = Object.values(COSTS).map(({ what, value, unit, source }) => [what, `${value} ${unit}`, source]);
  const needs = notes.map((note) => `needs: ${note}`);
  return [...columns(rows), ...needs, '', 'measured costs:', ...columns(costs)].join('\n');
}

function columns(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
