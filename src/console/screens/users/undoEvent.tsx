import type { EventUndo } from '../../../contract/eventUndo.ts';
import { useApi } from '../../api/useApi.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import type { Schema, Value } from '../../ui/form/schema.ts';
import { Loading } from '../../ui/Loading.tsx';
import type { Reasoned } from '../../ui/ReasonForm.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { postToUser, userPath } from './userAddress.tsx';

interface UndoneProps {
  user: { id: string; name: string | null };
  eventId: string;
}

/** What an undo can take back beside the value, in a form and for the API. */
export const TAKES_BACK: Record<string, Schema> = { takesBack: { type: 'string', enum: ['points', 'all'] } };
export const takenBack = ({ takesBack }: Value) => ({
  points: Boolean(takesBack),
  achievements: takesBack === 'all',
});

export const undoEvent = ({ user, eventId }: UndoneProps, metric: string): Reasoned => ({
  label: t('Undo'),
  effect: <UndoEffect user={user} eventId={eventId} />,
  done: t('Event of {metric} undone.', { metric }),
  fields: TAKES_BACK,
  work: (reason, fields) => postToUser(user.id, `/events/${eventId}/undo`, { reason, ...takenBack(fields) }),
});

export const UNCHANGED = t('The streak and final runs do not change. An event can be undone only once.');

/** What undoing an event changes, and what it keeps. */
function UndoEffect({ user, eventId }: UndoneProps) {
  const undo = useApi(`${userPath(user.id)}/events/${eventId}/undo`);
  return (
    <Loading of={undo}>
      {({ metric, value, total, leaderboards, points, achievements, challenges }) => (
        <>
          <p>
            {t('The total of {name} falls by {value}. It is currently {total}.', {
              name: metric.name,
              value,
              total,
            })}
          </p>
          {leaderboards.length > 0 && (
            <Table
              label={t('Scores and ranks')}
              columns={COLUMNS}
              rows={leaderboards}
              keyOf={({ leaderboard }) => leaderboard.key}
            />
          )}
          {points.map(({ pointsSystem, awarded, total: now }) => (
            <p key={pointsSystem.key}>
              {t('{user} got {awarded} {points} for it. The current total is {now}.', {
                user: user.name || user.id,
                awarded,
                points: pointsSystem.name,
                now,
              })}
            </p>
          ))}
          {challenges.map(({ challenge, goal, progress, progressAfter }) => (
            <p key={`${challenge.key} ${goal.key}`}>
              {t('{goal} of {challenge} falls from {progress} to {progressAfter}.', {
                goal: goal.name,
                challenge: challenge.name,
                progress,
                progressAfter,
              })}
            </p>
          ))}
          {achievements.length > 0 && (
            <p>
              {t('No longer reached without it: {names}.', {
                names: achievements.map(({ name }) => name).join(', '),
              })}
            </p>
          )}
          <p>{UNCHANGED}</p>
        </>
      )}
    </Loading>
  );
}

type Ranked = EventUndo['leaderboards'][number];

/** Scores and ranks before and after the undo. */
const COLUMNS: Column<Ranked>[] = [
  {
    title: t('Leaderboard'),
    cell: ({ leaderboard, run, isTotal, needsPoints }) =>
      [
        leaderboard.name,
        ...(isTotal ? [] : [t('run of {run}', { run: formatDate(run) })]),
        ...(needsPoints ? [t('with the points')] : []),
      ].join(', '),
  },
  {
    title: t('Score'),
    cell: ({ value, valueAfter }) => `${formatNumber(value)} → ${formatNumber(valueAfter)}`,
  },
  { title: t('Rank'), cell: ({ rank, rankAfter }) => `${formatNumber(rank)} → ${formatNumber(rankAfter)}` },
];
