'use client';

import { useRead } from 'laurel-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });
const UNITS = { daily: 'days', weekly: 'weeks', monthly: 'months' };
/** Metrics and points systems. */
const TOTALS_MAX = 3;

interface LaurelWrappedProps extends ComponentProps<'section'> {
  /** The current year by default. */
  year?: number;
}

export function LaurelWrapped({ year, className, ...props }: LaurelWrappedProps) {
  const { data, error } = useRead('getUserWrapped', { query: year === undefined ? {} : { year } });
  if (error && !data) return <p role="status">The year cannot be shown at the moment.</p>;
  const tiles = data ? tilesOf(data.activity) : [];
  return (
    <section
      data-slot="laurel-wrapped"
      aria-busy={!data}
      className={cn('rounded-xl border bg-card p-6 text-card-foreground shadow-sm', className)}
      {...props}
    >
      <h2 className="mb-3 min-h-6 font-semibold">
        {data && `Your year ${data.activity.mostActiveDay.date.slice(0, 4)}`}
      </h2>
      {data?.activity.daysActive === 0 ? (
        <p className="text-muted-foreground">Nothing has happened in this year yet.</p>
      ) : (
        <ul className="grid grid-cols-2 gap-3 lg:grid-cols-4">
          {tiles.map(([label, value]) => (
            <li key={label} className="rounded-lg bg-accent p-4 text-accent-foreground">
              <p className="text-2xl font-bold tabular-nums">{value}</p>
              <p className="text-sm">{label}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Activity = NonNullable<ReturnType<typeof useRead<'getUserWrapped'>>['data']>['activity'];

function tilesOf({ daysActive, mostActiveDay, mostActiveMonth, entireYear }: Activity): [string, string][] {
  const { longestStreak, achievements, metrics, points } = entireYear;
  const totals = [...Object.values(metrics), ...Object.values(points)]
    .filter(({ changeThisPeriod }) => changeThisPeriod > 0)
    .slice(0, TOTALS_MAX);
  return [
    ['active days', NUMBER.format(daysActive)],
    [`longest streak in ${UNITS[longestStreak.frequency]}`, NUMBER.format(longestStreak.length)],
    ['most active day', DAY.format(new Date(mostActiveDay.date))],
    ['most active month', MONTH.format(Date.UTC(2000, mostActiveMonth.month))],
    ['achievements', NUMBER.format(achievements.length)],
    ...totals.map(({ name, changeThisPeriod }): [string, string] => [name, NUMBER.format(changeThisPeriod)]),
  ];
}
