import type uPlot from 'uplot';
import { csvText } from '../text/csvText.ts';
import { formatNumber, formatShortNumber } from '../text/format.ts';
import { locale } from '../text/language.ts';

export interface Series {
  label: string;
  values: (number | null)[];
  format?(value: number | null): string;
}

/** An incident of a day, marked in a chart. */
export interface Mark {
  /** YYYY-MM-DD */
  at: string;
  text: string;
  /** Drawn in red. */
  isOutage?: boolean;
}

/** Content of a chart. */
export interface Drawing {
  /** Dates, YYYY-MM-DD, or numbers. */
  x: string[] | number[];
  series: Series[];
  /** Numbers of the colours of the series, from 1. */
  colors: number[];
  marks: Mark[];
  /** The period of the last value is not over. */
  isLastOpen: boolean;
  /** The point under the pointer, null outside, and the marks whose lines are there. */
  onPoint(index: number | null, left: number, marks: Mark[]): void;
}

export const CHART_HEIGHT = 220;
/** Above the axis, px. */
const UNIT_HEIGHT = 22;
const DAY_SECONDS = 86_400;
/** Greatest distance between the pointer and the line of a mark that it points at, px. */
const MARK_REACH = 8;

const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const secondsOf = (x: string | number): number =>
  typeof x === 'number' ? x : Date.parse(`${x}T00:00:00Z`) / 1_000;

const dayLabels = (_chart: uPlot, seconds: number[]): string[] =>
  seconds.map((second) =>
    new Date(second * 1_000).toLocaleDateString(locale, {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    }),
  );

/** Marks whose lines are under the pointer. */
function marksAt(chart: uPlot, { marks }: Drawing): Mark[] {
  const left = chart.cursor.left ?? -1;
  return marks.filter(({ at }) => Math.abs(chart.valToPos(secondsOf(at), 'x') - left) <= MARK_REACH);
}

/** Shades the incomplete period, and draws a line at each mark. */
function drawNotes(chart: uPlot, { x, marks, isLastOpen }: Drawing): void {
  const { ctx, bbox } = chart;
  const positionOf = (at: string | number): number => chart.valToPos(secondsOf(at), 'x', true);
  ctx.save();
  if (isLastOpen && x.length > 1) {
    const from = positionOf(x.at(-2)!);
    ctx.fillStyle = colorOf('--chart-open');
    ctx.fillRect(from, bbox.top, positionOf(x.at(-1)!) - from, bbox.height);
  }
  ctx.setLineDash([4, 4]);
  for (const { at, isOutage } of marks) {
    ctx.strokeStyle = colorOf(isOutage ? '--danger' : '--text-soft');
    const left = positionOf(at);
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** Between labels of an axis of whole numbers. */
const STEPS = [1, 2, 5]
  .flatMap((step) => [1, 10, 100, 1_000].map((ten) => step * ten))
  .toSorted((a, b) => a - b);

export function chartOptions(drawing: Drawing, width: number): uPlot.Options {
  const { x, series, colors, onPoint } = drawing;
  const own = series[0]?.format;
  const isWhole = series.every(
    ({ format, values }) => format === undefined && values.every((value) => Number.isInteger(value ?? 0)),
  );
  // No fractions on axes of whole numbers.
  const shown = (value: number): string => {
    if (own) return own(value);
    return isWhole && !Number.isInteger(value) ? '' : formatShortNumber(value);
  };
  const isTime = typeof x[0] === 'string';
  const axis = {
    stroke: colorOf('--text-soft'),
    grid: { stroke: colorOf('--border'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const drawn = series.map(({ label }, i) => ({
    label,
    stroke: colorOf(`--series-${colors[i]}`),
    width: 2,
    points: { show: x.length < 15, size: 6 },
  }));
  return {
    width,
    height: CHART_HEIGHT,
    padding: [UNIT_HEIGHT, 20, 0, 0],
    cursor: { y: false },
    legend: { show: false },
    scales: { x: { time: isTime }, y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    hooks: {
      drawClear: [(chart) => drawNotes(chart, drawing)],
      setCursor: [
        (chart) => onPoint(chart.cursor.idx ?? null, chart.cursor.left ?? 0, marksAt(chart, drawing)),
      ],
    },
    axes: [
      // A day is the shortest step, so axes do not show hours.
      isTime
        ? {
            ...axis,
            size: 28,
            space: 70,
            values: dayLabels,
            incrs: [1, 2, 7, 14, 30, 91, 182, 365].map((days) => days * DAY_SECONDS),
          }
        : { ...axis, size: 28, incrs: STEPS },
      { ...axis, size: 56, values: (_chart, values) => values.map(shown) },
    ],
    series: [{}, ...drawn],
  };
}

/** The values of a chart as a file. */
export function chartCsv(xTitle: string, x: readonly (string | number)[], series: Series[]): string {
  const head = [xTitle, ...series.map(({ label }) => label)];
  return csvText([head, ...x.map((at, i) => [at, ...series.map(({ values }) => values[i] ?? '')])]);
}

export const shownValue = ({ values, format = formatNumber }: Series, index: number): string =>
  format(values[index] ?? null);
