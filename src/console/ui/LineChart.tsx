import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatDate, formatNumber } from '../format.ts';
import { Table } from './Table.tsx';

export interface Series {
  label: string;
  values: (number | null)[];
  format?(value: number | null): string;
}

interface LineChartProps {
  /** Says what the chart shows. */
  label: string;
  /** Where each value stands: dates, YYYY-MM-DD, or numbers. */
  x: string[] | number[];
  xTitle?: string;
  series: Series[];
}

/** One point on the x axis. */
interface Point {
  at: string | number;
  i: number;
}

const HEIGHT = 230;
const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const secondsOf = (x: string | number): number =>
  typeof x === 'number' ? x : Date.parse(`${x}T00:00:00Z`) / 1_000;

const dayLabels = (_chart: uPlot, seconds: number[]): string[] =>
  seconds.map((second) =>
    new Date(second * 1_000).toLocaleDateString(undefined, {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    }),
  );

function optionsOf({ x, series }: LineChartProps, width: number): uPlot.Options {
  const format = series[0]?.format ?? formatNumber;
  const isWhole = series.every(
    ({ format: own, values }) => own === undefined && values.every((value) => Number.isInteger(value ?? 0)),
  );
  // Nobody counts half a user.
  const shown = (value: number): string => (isWhole && !Number.isInteger(value) ? '' : format(value));
  const isTime = typeof x[0] === 'string';
  const axis = {
    stroke: colorOf('--text-soft'),
    grid: { stroke: colorOf('--border'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const drawn = series.map(({ label }, i) => ({
    label,
    stroke: colorOf(`--series-${i + 1}`),
    width: 2,
    points: { show: x.length < 15, size: 6 },
  }));
  return {
    width,
    height: HEIGHT,
    cursor: { y: false },
    legend: { show: false },
    scales: { x: { time: isTime }, y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    axes: [
      // A day is the shortest step, so axes do not show hours.
      isTime
        ? {
            ...axis,
            size: 34,
            space: 70,
            values: dayLabels,
            incrs: [1, 2, 7, 14, 30, 91, 182, 365].map((days) => days * 86_400),
          }
        : { ...axis, size: 34 },
      { ...axis, size: 56, values: (_chart, values) => values.map(shown) },
    ],
    series: [{}, ...drawn],
  };
}

/** Lines over time, with the same values as a table below. */
export function LineChart(props: LineChartProps) {
  const { label, x, xTitle = 'From', series } = props;
  const box = useRef<HTMLDivElement>(null);
  const content = JSON.stringify([x, series.map(({ label: name, values }) => [name, values])]);
  useEffect(() => {
    const element = box.current!;
    const data = [x.map(secondsOf), ...series.map(({ values }) => values)] as uPlot.AlignedData;
    let chart: uPlot | null = null;
    const draw = (): void => {
      chart?.destroy();
      chart = new uPlot(optionsOf(props, element.clientWidth), data, element);
    };
    draw();
    const resized = new ResizeObserver(() => {
      if (chart?.width !== element.clientWidth)
        chart?.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [content]);
  const rows = [...x].map((at, i): Point => ({ at, i })).reverse();
  return (
    <figure class="stack">
      <Legend labels={series.map((one) => one.label)} />
      <div class="chart" ref={box} role="img" aria-label={label} />
      <details class="chart-values">
        <summary>Values</summary>
        <Table<Point>
          label={label}
          rows={rows}
          keyOf={({ at }) => String(at)}
          columns={[
            { title: xTitle, cell: ({ at }) => (typeof at === 'string' ? formatDate(at) : at) },
            ...series.map(({ label: title, values, format = formatNumber }) => ({
              title,
              isNumber: true,
              cell: ({ i }: Point) => format(values[i] ?? null),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

function Legend({ labels }: { labels: string[] }) {
  return (
    <ul class="legend">
      {labels.map((label, i) => (
        <li key={label} class={`series-${i + 1}`}>
          {label}
        </li>
      ))}
    </ul>
  );
}
