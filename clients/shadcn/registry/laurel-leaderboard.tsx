'use client';

import type { KeyOf } from 'laurel-client';
import { useLeaderboard, useUser } from 'laurel-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

interface LaurelLeaderboardProps extends ComponentProps<'section'> {
  /** Key of the leaderboard. */
  board: KeyOf<'leaderboards'>;
  /** Number of users, 1 to 100. */
  limit?: number;
}

export function LaurelLeaderboard({ board, limit = 10, className, ...props }: LaurelLeaderboardProps) {
  const { data, error } = useLeaderboard(board, { limit });
  const { data: user } = useUser();
  if (error && !data) return <p role="status">The leaderboard cannot be shown at the moment.</p>;
  return (
    <section
      data-slot="laurel-leaderboard"
      aria-busy={!data}
      className={cn('rounded-xl border bg-card p-6 text-card-foreground shadow-sm', className)}
      {...props}
    >
      <h2 className="mb-3 min-h-6 font-semibold">{data?.name}</h2>
      {/* Room for all rows, so that nothing moves when they arrive. */}
      <div style={{ minHeight: `${limit * 2.75}rem` }}>
        {data?.rankings.length === 0 && <p className="text-muted-foreground">Nobody is ranked yet.</p>}
        <table className="w-full text-sm">
          <caption className="sr-only">{data?.name}</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Rank</th>
              <th scope="col">Name</th>
              <th scope="col">Score</th>
            </tr>
          </thead>
          <tbody>
            {data?.rankings.map(({ userId, userName, rank, value }) => (
              <tr
                key={userId}
                aria-current={userId === user?.id ? 'true' : undefined}
                className="h-11 border-b last:border-0 aria-[current=true]:bg-accent aria-[current=true]:font-semibold"
              >
                <td className="w-12 px-2 text-muted-foreground tabular-nums">{rank}</td>
                <td className="w-full max-w-0 truncate">{userName ?? userId}</td>
                <td className="px-2 text-end font-semibold tabular-nums">{NUMBER.format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
