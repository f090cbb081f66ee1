import { useState } from 'preact/hooks';
import type Type from 'typebox';
import type { LeaderboardResponse } from '../../../contract/leaderboard.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { formatDate } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { ReasonDialog, type Reasoned } from '../../ui/ReasonForm.tsx';

type Board = Type.Static<typeof LeaderboardResponse>;

/** Pauses and resumes a leaderboard, and changes the last day of its present run, with a reason. */
export function RunActions({ board, onDone }: { board: Board | undefined; onDone(): void }) {
  const [open, setOpen] = useState<Reasoned | null>(null);
  if (board === undefined || board.status === 'finished') return null;
  return (
    <Allowed to="operate">
      {actionsOf(board).map((action) => (
        <button key={action.label} type="button" onClick={() => setOpen(action)}>
          {action.label}
        </button>
      ))}
      {open && (
        <ReasonDialog
          of={open}
          onClose={(isDone) => {
            setOpen(null);
            if (isDone) onDone();
          }}
        />
      )}
    </Allowed>
  );
}

/** Says that a leaderboard is paused. */
export function PausedNote({ board }: { board: Board | undefined }) {
  return board?.paused ? <p>The leaderboard is paused: nothing counts until it is resumed.</p> : null;
}

function actionsOf({ id, name, paused, runUnit, status, end }: Board): Reasoned[] {
  const post = (verb: string, body: object) =>
    callApi('POST', `${ADMIN}/leaderboards/${id}/${verb}`, { body });
  const pausing: Reasoned = paused
    ? {
        label: 'Resume',
        effect: <p>What happens from now on counts on {name} again.</p>,
        done: `${name} goes on.`,
        work: (reason) => post('resume', { reason }),
      }
    : {
        label: 'Pause',
        effect: (
          <p>
            The scores of {name} stay as they are. What happens until it is resumed does not count; totals and
            streaks go on and are shown again then.
          </p>
        ),
        done: `${name} is paused.`,
        work: (reason) => post('pause', { reason }),
      };
  if (runUnit === null || status !== 'active') return [pausing];
  const ending: Reasoned = {
    label: 'Change the last day',
    effect: (
      <p>
        The present run ends with {end === null ? 'no day' : formatDate(end)}. The next run begins with the
        day after the last one, and ends when it would have ended.
      </p>
    ),
    done: 'The last day of the run is changed.',
    choices: { lastDay: { type: 'string', format: 'date' } },
    work: (reason, { lastDay }) => post('end-run', { reason, ...(lastDay ? { lastDay } : {}) }),
  };
  return [pausing, ending];
}
