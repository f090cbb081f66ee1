import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { EventUndo } from '../../../contract/eventUndo.ts';
import { useApi } from '../../api/useApi.ts';
import { formatDate, formatNumber } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { userPath } from './userAddress.ts';

/** What undoing an event changes, and what stays. */
export function UndoEffect({ user, eventId }: { user: AdminUser; eventId: string }) {
  const undo = useApi<EventUndo>(`${userPath(user.id)}/events/${eventId}/undo`);
  return (
    <Loading of={undo}>
      {({ metric, value, total, leaderboards, points, achievements }) => (
        <>
          <p>
            The total of {metric.name} falls by {formatNumber(value)}: it is {formatNumber(total)} now.
          </p>
          {leaderboards.length > 0 && (
            <Table
              label="Scores and ranks"
              columns={COLUMNS}
              rows={leaderboards}
              keyOf={({ leaderboard }) => leaderboard.key}
            />
          )}
          {points.map(({ pointsSystem, awarded, total: now }) => (
            <p key={pointsSystem.key}>
              {user.name || user.id} got {formatNumber(awarded)} {pointsSystem.name} for it, and has{' '}
              {formatNumber(now)} now.
            </p>
          ))}
          {achievements.length > 0 && (
            <p>No longer reached without it: {achievements.map(({ name }) => name).join(', ')}.</p>
          )}
          <p>The streak and final runs stay. An event is undone only once.</p>
        </>
      )}
    </Loading>
  );
}

const shown = (number: number | null): string => (number === null ? '–' : formatNumber(number));

type Ranked = EventUndo['leaderboards'][number];

/** Scores and ranks before and after the undo. */
const COLUMNS: Column<Ranked>[] = [
  {
    title: 'Leaderboard',
    cell: ({ leaderboard, run, isTotal, needsPoints }) =>
      `${leaderboard.name}${isTotal ? '' : `, run of ${formatDate(run)}`}${needsPoints ? ', with the points' : ''}`,
  },
  { title: 'Score', cell: ({ value, valueAfter }) => `${shown(value)} → ${shown(valueAfter)}` },
  { title: 'Rank', cell: ({ rank, rankAfter }) => `${shown(rank)} → ${shown(rankAfter)}` },
];
