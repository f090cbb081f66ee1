'use client';

import type { KeyOf } from 'laurel-client';
import { usePoints } from 'laurel-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

const NUMBER = new Intl.NumberFormat('en');

interface LaurelLevelProps extends ComponentProps<'section'> {
  /** Key of the points system. */
  points: KeyOf<'points'>;
}

export function LaurelLevel({ points, className, ...props }: LaurelLevelProps) {
  const { data, error } = usePoints(points);
  if (error && !data) return <p role="status">The level cannot be shown at the moment.</p>;
  const { total = 0, name = '', level = null, nextLevel = null, maxPoints = null } = data ?? {};
  const from = nextLevel ? (level?.points ?? 0) : 0;
  const to = nextLevel?.points ?? maxPoints ?? total;
  const share = to > from ? Math.min(100, Math.max(0, ((total - from) / (to - from)) * 100)) : 100;
  return (
    <section
      data-slot="laurel-level"
      aria-busy={!data}
      className={cn('rounded-xl border bg-card p-6 text-card-foreground shadow-sm', className)}
      {...props}
    >
      <div className="flex min-h-7 items-center gap-3">
        {level?.badgeUrl && <img src={level.badgeUrl} alt="" className="size-10 object-contain" />}
        <span className="flex-1 text-lg font-semibold">{level?.name ?? name}</span>{' '}
        <span className="text-lg font-semibold tabular-nums">
          {data ? NUMBER.format(total) : '–'} {name}
        </span>
      </div>
      <div
        role="progressbar"
        aria-label={nextLevel ? `Progress to ${nextLevel.name}` : name || 'Level'}
        aria-valuemin={from}
        aria-valuemax={to}
        aria-valuenow={Math.min(to, Math.max(from, total))}
        className="mt-3 h-2 overflow-hidden rounded-full bg-muted"
      >
        <div
          className="h-full rounded-full bg-primary motion-safe:transition-[width]"
          style={{ width: `${share}%` }}
        />
      </div>
      <p className="mt-2 min-h-5 text-sm text-muted-foreground">
        {nextLevel && `${NUMBER.format(nextLevel.points - total)} ${name} to ${nextLevel.name}`}
      </p>
    </section>
  );
}
