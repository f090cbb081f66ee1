'use client';

import type { KeyOf } from 'laurel-client';
import { useLeaderboard, useRead, useUser } from 'laurel-react';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/utils';

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const ZONES = { promotes: '▲ These go up', stays: 'These stay', demotes: '▼ These go down' };

interface LaurelLeagueProps extends ComponentProps<'section'> {
  /** Key of the leaderboard that is a league. */
  board: KeyOf<'leaderboards'>;
}

export function LaurelLeague({ board, className, ...props }: LaurelLeagueProps) {
  // The group of the user, from the top.
  const { data: group, error } = useLeaderboard(board, { limit: 100 });
  const { data: own } = useRead('getUserLeaderboard', { path: { key: board }, query: { numEvents: 0 } });
  const { data: user } = useUser();
  if (error && !group) return <p role="status">The league cannot be shown at the moment.</p>;
  const zoneOf = (rank: number) =>
    rank <= (own?.promotes ?? 0) ? 'promotes' : rank >= (own?.demotes ?? Infinity) ? 'demotes' : 'stays';
  return (
    <section
      data-slot="laurel-league"
      aria-busy={!group}
      className={cn('rounded-xl border bg-card p-6 text-card-foreground shadow-sm', className)}
      {...props}
    >
      <h2 className="mb-3 min-h-6 font-semibold">{group?.name}</h2>
      <ol className="mb-3 flex min-h-7 flex-wrap gap-2" aria-label="Tiers">
        {group?.league?.tiers.map(({ key, name }) => (
          <li
            key={key}
            aria-current={key === own?.tier?.key ? 'true' : undefined}
            className="rounded-full border px-3 py-0.5 text-sm text-muted-foreground aria-[current=true]:border-primary aria-[current=true]:bg-primary aria-[current=true]:text-primary-foreground"
          >
            {name}
          </li>
        ))}
      </ol>
      {group?.rankings.length === 0 && <p className="text-muted-foreground">Score once to join a group.</p>}
      <table className="w-full text-sm">
        <caption className="sr-only">{group?.name}</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Rank</th>
            <th scope="col">Name</th>
            <th scope="col">Score</th>
          </tr>
        </thead>
        {(['promotes', 'stays', 'demotes'] as const).map((zone) => {
          const rows = group?.rankings.filter(({ rank }) => zoneOf(rank) === zone) ?? [];
          if (rows.length === 0) return null;
          return (
            <tbody key={zone}>
              <tr>
                <th
                  scope="rowgroup"
                  colSpan={3}
                  className="h-7 px-2 text-start text-xs font-normal text-muted-foreground"
                >
                  {ZONES[zone]}
                </th>
              </tr>
              {rows.map(({ userId, userName, rank, value }) => (
                <tr
                  key={userId}
                  aria-current={userId === user?.id ? 'true' : undefined}
                  className="h-11 border-b aria-[current=true]:bg-accent aria-[current=true]:font-semibold"
                >
                  <td className="w-12 px-2 text-muted-foreground tabular-nums">{rank}</td>
                  <td className="w-full max-w-0 truncate">{userName ?? userId}</td>
                  <td className="px-2 text-end font-semibold tabular-nums">{NUMBER.format(value)}</td>
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </section>
  );
}
