'use client';

import { useStreak } from 'laurel-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

const UNITS = { daily: 'day', weekly: 'week', monthly: 'month' };
const DAY = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' });
const DATE = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

interface LaurelStreakProps extends ComponentProps<'section'> {
  /** Latest days, weeks or months to show. */
  periods?: number;
}

export function LaurelStreak({ periods = 7, className, ...props }: LaurelStreakProps) {
  const { data: streak, error } = useStreak({ historyPeriods: periods });
  if (error && !streak) return <p role="status">The streak cannot be shown at the moment.</p>;
  const history = streak?.streakHistory ?? [];
  const unit = UNITS[streak?.frequency ?? 'daily'];
  return (
    <section
      data-slot="laurel-streak"
      aria-busy={!streak}
      className={cn('rounded-xl border bg-card p-6 text-card-foreground shadow-sm', className)}
      {...props}
    >
      <div className="flex items-baseline gap-2">
        <span aria-hidden="true" className={cn('text-3xl', !streak?.isExtended && 'opacity-40 grayscale')}>
          🔥
        </span>
        <span className="text-4xl font-bold tabular-nums">{streak?.length ?? '–'}</span>{' '}
        <span className="text-muted-foreground">
          {unit}
          {streak?.length === 1 ? '' : 's'} in a row
        </span>
      </div>
      <p className="mt-2 min-h-5 text-sm text-muted-foreground">
        {streak && (streak.isExtended ? `Done for this ${unit}` : `Keep it going this ${unit}`)}
      </p>
      <ol className="mt-4 flex min-h-12 gap-2" aria-label={`Latest ${unit}s`}>
        {history.map(({ periodStart, length, usedFreeze, usedPause }, at) => {
          const isOpen = at === history.length - 1 && !streak?.isExtended;
          const isKept = length > 0 && !usedFreeze && !usedPause && !isOpen;
          const state = isOpen
            ? 'open'
            : usedFreeze
              ? 'freeze'
              : usedPause
                ? 'pause'
                : isKept
                  ? 'done'
                  : 'missed';
          const name = (unit === 'day' ? DAY : DATE).format(new Date(periodStart));
          return (
            <li
              key={periodStart}
              className="flex flex-1 flex-col items-center gap-1 text-xs text-muted-foreground"
            >
              <span
                aria-hidden="true"
                className={cn(
                  'flex size-7 items-center justify-center rounded-full border',
                  isKept && 'border-primary bg-primary text-primary-foreground',
                  isOpen && 'border-dashed',
                )}
              >
                {{ done: '✓', freeze: '❄', pause: 'Ⅱ', open: '', missed: '' }[state]}
              </span>
              <span>
                {name}
                <span className="sr-only">: {state}</span>
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
