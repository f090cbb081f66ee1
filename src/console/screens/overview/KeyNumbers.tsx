import type { GetActivity, GetMetricAnalytics } from '../../../contract/analytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { formatChange, formatNumber, formatShare } from '../../format.ts';
import { Sparkline } from '../../ui/Sparkline.tsx';
import { type Tile, Tiles } from '../../ui/Tiles.tsx';

export type Activity = ResponseOf<typeof GetActivity>;
type Period = Activity['periods'][number];
export type MetricAnalytics = ResponseOf<typeof GetMetricAnalytics>;

export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

interface KeyNumbersProps {
  activity: Activity;
  metrics: MetricAnalytics | null;
  /** The same of the period before; null while they are read. */
  activityBefore: Activity | null;
  metricsBefore: MetricAnalytics | null;
  /** Of the range, in words. */
  range: string;
  /** The last period is not over. */
  isLastOpen: boolean;
}

/** The numbers that matter most: with their change, how they came to be, and what each means. */
export function KeyNumbers({ activity, metrics, activityBefore, metricsBefore, ...shown }: KeyNumbersProps) {
  const { range, isLastOpen } = shown;
  const { periods } = activity;
  const last = periods.at(-1)!;
  const lastBefore = activityBefore?.periods.at(-1);
  const numbers = (of: (period: Period) => number | null): number[] =>
    periods.map((period) => of(period) ?? 0);
  const newUsers = numbers((period) => period.newUsers);
  const events = metrics && eventsBy(metrics, periods);
  const dayBefore = periods.at(-2);
  const isRunningDay = activity.interval === 'day' && isLastOpen;
  // The running day has few of its users yet.
  const complete = isRunningDay && dayBefore ? dayBefore : last;
  const activeIn = (days: number, of: (period: Period) => number): Tile => ({
    label: `Active in ${days} days`,
    value: formatNumber(of(last)),
    note: note(
      against(of(last), lastBefore && of(lastBefore)),
      `Users with an event in the last ${days} days.`,
      numbers(of),
    ),
  });
  const tiles: Tile[] = [
    {
      label: 'Active a day',
      value: formatNumber(last.dailyActiveUsers),
      note: note(
        isRunningDay && dayBefore
          ? `so far; ${formatNumber(dayBefore.dailyActiveUsers)} the day before`
          : 'latest',
        'Users with an event on the day.',
        numbers((period) => period.dailyActiveUsers),
      ),
    },
    activeIn(7, (period) => period.weeklyActiveUsers),
    activeIn(30, (period) => period.monthlyActiveUsers),
    {
      label: 'Stickiness',
      value: formatShare(complete.stickiness),
      note: note(
        against(complete.stickiness ?? 0, lastBefore?.stickiness ?? undefined),
        `Active a day, of those active in 30 days${complete === last ? '' : ', the day before'}.`,
        numbers((period) => period.stickiness),
      ),
    },
    {
      label: 'New users',
      value: formatNumber(sum(newUsers)),
      note: note(
        against(sum(newUsers), activityBefore && sum(activityBefore.periods.map((one) => one.newUsers))),
        `Created in this range: ${range}.`,
        newUsers,
      ),
    },
    {
      label: 'Events',
      value: formatNumber(events && sum(events)),
      note: note(
        against(events && sum(events), metricsBefore && sum(metricsBefore.periods.map((one) => one.events))),
        `Recorded in this range: ${range}.`,
        events ?? [],
      ),
    },
  ];
  return <Tiles tiles={tiles} />;
}

/** Events of all metrics in each period. */
function eventsBy(metrics: MetricAnalytics, periods: Activity['periods']): number[] {
  return periods.map(({ start }) =>
    sum(metrics.periods.filter((one) => one.start === start).map(({ events }) => events)),
  );
}

/** "+12% against the period before" */
function against(value: number | null, before: number | null | undefined): string | null {
  if (value === null || before === null || before === undefined) return null;
  const change = formatChange(value, before);
  return change === null ? 'none in the period before' : `${change} against the period before`;
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
