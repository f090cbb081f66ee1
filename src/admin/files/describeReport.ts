import { styleText } from 'node:util';
import type { ApplyReport, ReportItem } from './applyReport.ts';

type Color = 'green' | 'yellow' | 'red';

/**
 * A report as text for a terminal: one line an item, `+` created, `~` updated with its fields, `-` deleted.
 */
export function describeReport(
  { created, updated, deleted, version }: ApplyReport,
  { isDryRun, hasColors }: { isDryRun: boolean; hasColors: boolean },
): string {
  const paint = (color: Color, text: string): string =>
    hasColors ? styleText(color, text, { validateStream: false }) : text;
  const line = (color: Color, sign: string, { kind, key }: ReportItem): string =>
    paint(color, `${sign} ${kind} ${key}`);
  const lines = [
    ...created.map((item) => line('green', '+', item)),
    ...updated.flatMap((item) => [
      line('yellow', '~', item),
      ...item.changes.flatMap(({ field, before, after }) => [
        `    ${field}: ${paint('red', JSON.stringify(before))} → ${paint('green', JSON.stringify(after))}`,
      ]),
    ]),
    ...deleted.map((item) => line('red', '-', item)),
  ];
  const count = (items: ReportItem[], verb: string): string =>
    isDryRun ? `${items.length} to ${verb}` : `${items.length} ${verb}d`;
  const counts = [count(created, 'create'), count(updated, 'update'), count(deleted, 'delete')].join(', ');
  const summary = isDryRun ? counts : `${counts}; version ${version}`;
  return [...lines, lines.length === 0 ? 'nothing to change' : summary].join('\n');
}
