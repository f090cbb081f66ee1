import { styleText } from 'node:util';
import type { ApplyReport, ReportItem } from './applyReport.ts';

type Color = 'green' | 'yellow' | 'red';

/** A report as text for a terminal: one line an item, `+` created, `~` updated with its fields, `-` deleted. */
export function describeReport({ created, updated, deleted }: ApplyReport, hasColors: boolean): string {
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
  const counts = `${created.length} to create, ${updated.length} to update, ${deleted.length} to delete`;
  return [...lines, lines.length === 0 ? 'nothing to change' : counts].join('\n');
}
