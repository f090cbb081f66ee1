import type { EventUndo } from '../../../contract/eventUndo.ts';
import { useApi } from '../../api/useApi.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import type { Schema } from '../../ui/form/schema.ts';
import { Loading } from '../../ui/Loading.tsx';
import type { Reasoned } from '../../ui/ReasonForm.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { postToUser, userPath } from './userAddress.tsx';

interface UndoneProps {
  user: { id: string; name: string | null };
  eventId: string;
}

const FIELDS: Record<string, Schema> = { takesBack: { type: 'string', enum: ['points', 'all'] } };

export const undoEvent = ({ user, eventId }: UndoneProps, metric: string): Reasoned => ({
  label: 'Undo',
  effect: <UndoEffect user={user} eventId={eventId} />,
  done: `Event of ${metric} undone.`,
  fields: FIELDS,
  work: (reason, { takesBack }) =>
    postToUser(user.id, `/events/${eventId}/undo`, {
      reason,
      points: Boolean(takesBack),
      achievements: takesBack === 'all',
    }),
});

/** What undoing an event changes, and what it keeps. */
function UndoEffect({ user, eventId }: UndoneProps) {
  const undo = useApi(`${userPath(user.id)}/events/${eventId}/undo`);
  return (
    <Loading of={undo}>
      {({ metric, value, total, leaderboards, points, achievements, challenges }) => (
        <>
          <p>
            The total of {metric.name} falls by {formatNumber(value)}. It is currently {formatNumber(total)}.
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
              {user.name || user.id} got {formatNumber(awarded)} {pointsSystem.name} for it. The current total
              is {formatNumber(now)}.
            </p>
          ))}
          {challenges.map(({ challenge, goal, progress, progressAfter }) => (
            <p key={`${challenge.key} ${goal.key}`}>
              {goal.name} of {challenge.name} falls from {formatNumber(progress)} to{' '}
              {formatNumber(progressAfter)}.
            </p>
          ))}
          {achievements.length > 0 && (
            <p>No longer reached without it: {achievements.map(({ name }) => name).join(', ')}.</p>
          )}
          <p>The streak and final runs do not change. An event can be undone only once.</p>
        </>
      )}
    </Loading>
  );
}

type Ranked = EventUndo['leaderboards'][number];

/** Scores and ranks before and after the undo. */
const COLUMNS: Column<Ranked>[] = [
  {
    title: 'Leaderboard',
    cell: ({ leaderboard, run, isTotal, needsPoints }) =>
      `${leaderboard.name}${isTotal ? '' : `, run of ${formatDate(run)}`}${needsPoints ? ', with the points' : ''}`,
  },
  { title: 'Score', cell: ({ value, valueAfter }) => `${formatNumber(value)} → ${formatNumber(valueAfter)}` },
  { title: 'Rank', cell: ({ rank, rankAfter }) => `${formatNumber(rank)} → ${formatNumber(rankAfter)}` },
];
