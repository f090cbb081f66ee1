import type { GetActivity, GetMetricAnalytics } from '../../../contract/analytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { formatChange, formatNumber, formatShare, sumOf } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { type Tile, Tiles } from '../../ui/Tiles.tsx';

export type Activity = ResponseOf<typeof GetActivity>;
type Period = Activity['periods'][number];
export type MetricAnalytics = ResponseOf<typeof GetMetricAnalytics>;

interface KeyNumbersProps {
  activity: Activity;
  metrics: MetricAnalytics | null;
  /** The same for the previous period; null while loading. */
  activityBefore: Activity | null;
  metricsBefore: MetricAnalytics | null;
  /** The range in words. */
  range: string;
  /** The last period is not over. */
  isLastOpen: boolean;
}

/** The most important numbers with their change, course and definition. */
export function KeyNumbers({ activity, metrics, activityBefore, metricsBefore, ...shown }: KeyNumbersProps) {
  const { range, isLastOpen } = shown;
  const { periods } = activity;
  const last = periods.at(-1)!;
  const lastBefore = activityBefore?.periods.at(-1);
  const numbers = (of: (period: Period) => number | null): number[] =>
    periods.map((period) => of(period) ?? 0);
  const created = sumOf(periods, (period) => period.newUsers);
  const events = metrics && eventsBy(metrics, periods);
  const recorded = metrics && sumOf(metrics.periods, (period) => period.events);
  const dayBefore = periods.at(-2);
  const isRunningDay = activity.interval === 'day' && isLastOpen;
  // Most users of the current day are yet to come.
  const complete = isRunningDay && dayBefore ? dayBefore : last;
  const activeIn = (days: number, of: (period: Period) => number): Tile => ({
    label: t('Active in {days} days', { days }),
    value: formatNumber(of(last)),
    note: note(
      against(of(last), lastBefore && of(lastBefore)),
      t('Users with an event in the last {days} days.', { days }),
      numbers(of),
    ),
  });
  const tiles: Tile[] = [
    {
      label: t('Daily active users'),
      value: formatNumber(last.dailyActiveUsers),
      note: note(
        isRunningDay && dayBefore
          ? t('so far; {dailyActiveUsers} the day before', { dailyActiveUsers: dayBefore.dailyActiveUsers })
          : 'latest',
        t('Users with an event on the day.'),
        numbers((period) => period.dailyActiveUsers),
      ),
    },
    activeIn(7, (period) => period.weeklyActiveUsers),
    activeIn(30, (period) => period.monthlyActiveUsers),
    {
      label: t('Stickiness'),
      value: formatShare(complete.stickiness),
      note: note(
        against(complete.stickiness ?? 0, lastBefore?.stickiness ?? undefined),
        complete === last
          ? t('Daily active users as a share of those active in 30 days.')
          : t('Daily active users as a share of those active in 30 days, the day before.'),
        numbers((period) => period.stickiness),
      ),
    },
    {
      label: t('New users'),
      value: formatNumber(created),
      note: note(
        against(created, activityBefore && sumOf(activityBefore.periods, (period) => period.newUsers)),
        t('Created in this range: {range}.', { range }),
        numbers((period) => period.newUsers),
      ),
    },
    {
      label: t('Events'),
      value: formatNumber(recorded),
      note: note(
        against(recorded, metricsBefore && sumOf(metricsBefore.periods, (period) => period.events)),
        t('Recorded in this range: {range}.', { range }),
        events ?? [],
      ),
    },
  ];
  return <Tiles tiles={tiles} />;
}

/** Events of all metrics in each period. */
function eventsBy(metrics: MetricAnalytics, periods: Activity['periods']): number[] {
  return periods.map(({ start }) =>
    sumOf(
      metrics.periods.filter((one) => one.start === start),
      ({ events }) => events,
    ),
  );
}

/** "+12% vs. previous period" */
function against(value: number | null, before: number | null | undefined): string | null {
  if (value === null || before === null || before === undefined) return null;
  const change = formatChange(value, before);
  return change === null ? t('0 in previous period') : t('{change} vs. previous period', { change });
}

function note(change: string | null, definition: string, values: number[]) {
  return (
    <>
      {change && <div>{change}</div>}
      <Sparkline values={values} />
      <div class="definition">{definition}</div>
    </>
  );
}

const [WIDTH, HEIGHT] = [100, 28];

/** A small line without axes: the course of a number. */
function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const most = Math.max(1, ...values);
  const points = values.map((value, i) => {
    const x = (i / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)} ${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${points.join('L')}`} />
    </svg>
  );
}
