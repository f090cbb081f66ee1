import { FLOOR } from '../scenario.ts';
import type { Row } from './results.ts';

const WIDTH = 860;
const LABEL_WIDTH = 330;
const NUMBER_WIDTH = 90;
const BAR_HEIGHT = 18;
const ROW_HEIGHT = 26;
const MARGIN = 12;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);

/**
 * Requests per second of all rows as bars, with a line at the floor. SVG that is readable on light and dark
 * pages.
 */
export function drawChart(rows: readonly Row[]): string {
  const max = Math.max(1, ...rows.map(({ perSecond }) => perSecond));
  const scale = (WIDTH - LABEL_WIDTH - NUMBER_WIDTH) / max;
  const height = rows.length * ROW_HEIGHT + 2 * MARGIN;
  const floor = rows.find(({ name }) => name === FLOOR);
  const line =
    floor === undefined
      ? []
      : [
          `<line x1="${xOf(floor, scale)}" x2="${xOf(floor, scale)}" y1="${MARGIN}" y2="${height - MARGIN}" stroke="#888" stroke-dasharray="3 3"/>`,
        ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    '<title>Requests per second</title>',
    '<style>text { font: 13px system-ui, sans-serif; fill: #777 } .other { fill: #999 } .laurel { fill: #2f855a }</style>',
    ...rows.flatMap((row, i) => drawRow(row, MARGIN + i * ROW_HEIGHT, scale)),
    ...line,
    '</svg>',
    '',
  ].join('\n');
}

const xOf = ({ perSecond }: Row, scale: number): string => (LABEL_WIDTH + perSecond * scale).toFixed(1);

function drawRow(row: Row, top: number, scale: number): string[] {
  const { name, title, perSecond } = row;
  const base = top + BAR_HEIGHT - 4;
  const color = name === FLOOR || name.startsWith('peer-') ? 'other' : 'laurel';
  return [
    `<text x="${LABEL_WIDTH - 8}" y="${base}" text-anchor="end">${escapeXml(title)}</text>`,
    `<rect class="${color}" x="${LABEL_WIDTH}" y="${top}" width="${(perSecond * scale).toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<text x="${(LABEL_WIDTH + perSecond * scale + 6).toFixed(1)}" y="${base}">${Math.round(perSecond)}</text>`,
  ];
}
