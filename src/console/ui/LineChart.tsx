import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { saveFile } from '../api/client.ts';
import { formatDate, withUnit } from '../text/format.ts';
import { t } from '../text/translate.ts';
import {
  CHART_HEIGHT,
  chartCsv,
  chartOptions,
  type Drawing,
  type Mark,
  type Series,
  secondsOf,
  shownValue,
} from './chartOptions.ts';
import { Table } from './Table.tsx';

interface LineChartProps {
  /** Describes the chart. */
  label: string;
  /** Dates, YYYY-MM-DD, or numbers. */
  x: string[] | number[];
  xTitle?: string;
  series: Series[];
  /** What all series count, such as "users". */
  unit?: string;
  marks?: Mark[];
  /** The period of the last value is not over. */
  isLastOpen?: boolean;
}

/** One point on the x axis. */
interface Point {
  at: string | number;
  i: number;
}

const titleOf = (at: string | number, xTitle: string): string =>
  typeof at === 'string' ? formatDate(at) : `${xTitle} ${at}`;

/**
 * Lines over time. Hovering shows the values of a point, the legend hides series; the values are also in a
 * table and a file.
 */
export function LineChart(props: LineChartProps) {
  const { label, x, xTitle = t('From'), series, marks = [], isLastOpen = false } = props;
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [point, setPoint] = useState<{ index: number; left: number; marks: Mark[] } | null>(null);
  const shown = series.filter((one) => !hidden.includes(one.label));
  const toggle = (name: string): void =>
    setHidden(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name]);
  const box = useDrawing({
    x,
    series: shown,
    colors: shown.map((one) => series.indexOf(one) + 1),
    marks,
    isLastOpen,
    onPoint: (index, left, marks) => setPoint(index === null ? null : { index, left, marks }),
  });
  return (
    <figure class="stack">
      <Legend labels={series.map((one) => one.label)} hidden={hidden} toggle={toggle} />
      <div class="chart">
        {props.unit && <div class="chart-unit soft">{props.unit}</div>}
        <div ref={box} role="img" aria-label={label} />
        {point && point.index < x.length && (
          <Tooltip {...props} series={shown} index={point.index} left={point.left} pointedAt={point.marks} />
        )}
      </div>
      {isLastOpen && <figcaption class="soft small">{t('The shaded period is incomplete.')}</figcaption>}
      <details class="chart-values">
        <summary>{t('Values')}</summary>
        <ValueTable {...props} xTitle={xTitle} />
        {marks.length > 0 && (
          <ul class="small">
            {marks.map(({ at, text }) => (
              <li key={`${at} ${text}`}>
                {formatDate(at)}: {text}
              </li>
            ))}
          </ul>
        )}
        <button
          type="button"
          onClick={() => saveFile(`${label}.csv`, chartCsv(xTitle, x, series), 'text/csv')}
        >
          {t('Export CSV')}
        </button>
      </details>
    </figure>
  );
}

/** Draws again when the values, the width or the colours change. */
function useDrawing(drawing: Drawing) {
  const { x, series, marks } = drawing;
  const box = useRef<HTMLDivElement>(null);
  const content = JSON.stringify([x, marks, series.map(({ label, values }) => [label, values])]);
  useEffect(() => {
    const element = box.current!;
    const data = [x.map(secondsOf), ...series.map(({ values }) => values)] as uPlot.AlignedData;
    let chart: uPlot | null = null;
    const draw = (): void => {
      chart?.destroy();
      const options = chartOptions(drawing, element.clientWidth);
      options.tzDate = (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC');
      chart = new uPlot(options, data, element);
    };
    draw();
    const resized = new ResizeObserver(() => {
      if (chart?.width !== element.clientWidth)
        chart?.setSize({ width: element.clientWidth, height: CHART_HEIGHT });
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
  return box;
}

interface TooltipProps extends LineChartProps {
  index: number;
  /** Of the pointer, px from the first value. */
  left: number;
  /** Marks whose lines are under the pointer. */
  pointedAt: Mark[];
}

/** The date and all values under the pointer. */
function Tooltip(props: TooltipProps) {
  const { x, xTitle = '', series, unit = '', marks = [], isLastOpen, index, left, pointedAt } = props;
  const at = x[index]!;
  const isOpen = isLastOpen && index === x.length - 1;
  const next = x[index + 1];
  const isHere = (mark: Mark): boolean =>
    mark.at >= String(at) && (next === undefined || mark.at < String(next));
  const here = marks.filter((mark) => isHere(mark) || pointedAt.includes(mark));
  return (
    <div class={`tooltip ${index > x.length / 2 ? 'before' : ''}`} style={{ left: `${left + 56}px` }}>
      <strong>{titleOf(at, xTitle)}</strong>
      {isOpen && ` ${t('so far')}`}
      {series.map((one) => (
        <div class="row" key={one.label}>
          <span>{one.label}</span> <strong>{withUnit(shownValue(one, index), unit)}</strong>
        </div>
      ))}
      {here.map((mark) => (
        <div class={`mark ${mark.isOutage ? 'outage' : ''}`} key={`${mark.at} ${mark.text}`}>
          {mark.at === at ? '' : `${formatDate(mark.at)}: `}
          {mark.text}
        </div>
      ))}
    </div>
  );
}

function ValueTable({ label, x, xTitle, series }: LineChartProps & { xTitle: string }) {
  return (
    <Table<Point>
      label={label}
      rows={[...x].map((at, i): Point => ({ at, i })).reverse()}
      keyOf={({ at }) => String(at)}
      columns={[
        { title: xTitle, cell: ({ at }) => (typeof at === 'string' ? formatDate(at) : at) },
        ...series.map((one) => ({
          title: one.label,
          isNumber: true,
          cell: ({ i }: Point) => shownValue(one, i),
        })),
      ]}
    />
  );
}

interface LegendProps {
  labels: string[];
  hidden: readonly string[];
  toggle(label: string): void;
}

function Legend({ labels, hidden, toggle }: LegendProps) {
  return (
    <ul class="legend">
      {labels.map((label, i) => (
        <li key={label} style={{ '--color': `var(--series-${i + 1})` }}>
          {labels.length === 1 ? (
            label
          ) : (
            <button
              type="button"
              aria-pressed={!hidden.includes(label)}
              title={hidden.includes(label) ? t('Show') : t('Hide')}
              onClick={() => toggle(label)}
            >
              {label}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
