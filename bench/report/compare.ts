import { FLOOR } from '../scenario.ts';
import type { Results, Row } from './results.ts';
import { markdownTable, NOTHING } from './tables.ts';

/**
 * A table of what both runs have measured: requests per second, ratio to the floor and CPU time, before →
 * after.
 */
export function compareResults(before: Results, after: Results): string {
  const rows = after.rows.flatMap((row) => {
    const old = before.rows.find(({ name }) => name === row.name);
    return old === undefined ? [] : [compareRow(old, row, floorOf(before), floorOf(after))];
  });
  const studies = Object.entries(after.studies).flatMap(([study, measurements]) =>
    Object.entries(measurements).flatMap(([name, measurement]) => {
      const old = before.studies[study]?.[name];
      return old === undefined ? [] : [[`${study}: ${name}`, change(old, measurement, significant)]];
    }),
  );
  const head = ['before → after', 'requests/s', 'of the floor', 'p99 ms', 'CPU µs'];
  return [
    `Compared with ${before.date}, ${before.machine.cpu}, ${before.machine.cores} cores, Node ${before.machine.node}:\n`,
    ...(rows.length > 0 ? [`${markdownTable(head, rows)}\n`] : []),
    ...(studies.length > 0 ? [`${markdownTable(['measurement', 'before → after'], studies)}\n`] : []),
  ].join('\n');
}

const floorOf = ({ rows }: Results): number | undefined => rows.find(({ name }) => name === FLOOR)?.perSecond;

function compareRow(old: Row, row: Row, oldFloor: number | undefined, floor: number | undefined): string[] {
  const ratios = oldFloor !== undefined && floor !== undefined;
  const cpu = old.usage !== null && row.usage !== null;
  return [
    row.title,
    change(old.perSecond, row.perSecond, (value) => String(Math.round(value))),
    ratios ? change(old.perSecond / oldFloor, row.perSecond / floor, (value) => value.toFixed(2)) : NOTHING,
    change(old.latency_ms.p99, row.latency_ms.p99, (value) => value.toFixed(1)),
    cpu ? change(allCpu(old), allCpu(row), (value) => value.toFixed(1)) : NOTHING,
  ];
}

const allCpu = ({ usage }: Row): number =>
  Object.values(usage!.cpu_us).reduce((sum, cpu_us) => sum + cpu_us, 0);

const significant = (value: number): string => String(Number(value.toPrecision(4)));

/** `12 → 15 (+25 %)` */
function change(before: number, after: number, format: (value: number) => string): string {
  const percent = Math.round((after / before - 1) * 100);
  const share = Number.isFinite(percent) ? ` (${percent > 0 ? '+' : ''}${percent} %)` : '';
  return `${format(before)} → ${format(after)}${share}`;
}
