'use client';

import { useAchievements } from 'laurel-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const NUMBER = new Intl.NumberFormat('en');

export function LaurelAchievements({ className, ...props }: ComponentProps<'section'>) {
  const { data: achievements, error } = useAchievements();
  if (error && !achievements) return <p role="status">The achievements cannot be shown at the moment.</p>;
  const completed = achievements?.filter(({ achievedAt }) => achievedAt !== null);
  return (
    <section
      data-slot="laurel-achievements"
      aria-busy={!achievements}
      className={cn('rounded-xl border bg-card p-6 text-card-foreground shadow-sm', className)}
      {...props}
    >
      <header className="mb-3 flex items-baseline justify-between">
        <h2 className="font-semibold">Achievements</h2>
        <span className="text-sm text-muted-foreground">
          {achievements && `${completed!.length} of ${achievements.length}`}
        </span>
      </header>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {achievements?.map(({ id, name, description, badgeUrl, achievedAt, progress }) => (
          <li
            key={id}
            className={cn('flex gap-3 rounded-lg border p-3', achievedAt && 'border-primary bg-accent')}
          >
            {badgeUrl ? (
              <img
                src={badgeUrl}
                alt=""
                className={cn('size-10 object-contain', !achievedAt && 'grayscale')}
              />
            ) : (
              <span aria-hidden="true" className={cn('text-3xl', !achievedAt && 'opacity-40 grayscale')}>
                🏆
              </span>
            )}
            <div className="min-w-0 flex-1 text-sm">
              <p className="font-semibold">{name}</p>
              <p className="text-muted-foreground">{description}</p>
              {progress && (
                <div
                  role="progressbar"
                  aria-label={`Progress of ${name}`}
                  aria-valuemin={0}
                  aria-valuemax={progress.target}
                  aria-valuenow={progress.current}
                  className="my-1 h-2 overflow-hidden rounded-full bg-muted"
                >
                  <div
                    className="h-full bg-primary"
                    style={{ width: `${(100 * progress.current) / progress.target}%` }}
                  />
                </div>
              )}
              <p className="text-muted-foreground">
                {achievedAt
                  ? `Completed on ${DATE.format(new Date(achievedAt))}`
                  : progress && `${NUMBER.format(progress.current)} of ${NUMBER.format(progress.target)}`}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
