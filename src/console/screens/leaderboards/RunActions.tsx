import type Type from 'typebox';
import type { LeaderboardResponse } from '../../../contract/leaderboard.ts';
import { callApi } from '../../api/client.ts';
import { formatDate } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { ReasonButton, type Reasoned } from '../../ui/ReasonForm.tsx';

type Board = Type.Static<typeof LeaderboardResponse>;

/** Pauses and resumes a leaderboard, and changes the last day of its current run. */
export function RunActions({ board, onDone }: { board: Board | undefined; onDone(): void }) {
  if (board === undefined || board.status === 'finished') return null;
  return (
    <Allowed to="operate">
      {actionsOf(board).map((action) => (
        <ReasonButton key={action.label} of={action} onDone={onDone} />
      ))}
    </Allowed>
  );
}

function actionsOf({ id, name, paused, runUnit, status, end }: Board): Reasoned[] {
  const post = (verb: string, body: object) => callApi('POST', `/leaderboards/${id}/${verb}`, { body });
  const pausing: Reasoned = paused
    ? {
        label: t('Resume'),
        effect: <p>{t('New events count on {name} again.', { name })}</p>,
        done: t('{name} resumed.', { name }),
        work: (reason) => post('resume', { reason }),
      }
    : {
        label: t('Pause'),
        effect: (
          <p>
            {t(
              'The scores of {name} stay unchanged and new events do not count until it is resumed. Totals and streaks continue and are shown after that.',
              { name },
            )}
          </p>
        ),
        done: t('{name} paused.', { name }),
        work: (reason) => post('pause', { reason }),
      };
  if (runUnit === null || status !== 'active') return [pausing];
  const ending: Reasoned = {
    label: t('Change last day'),
    effect: (
      <p>
        {end === null
          ? t('The current run has no end.')
          : t('The current run ends on {end}.', { end: formatDate(end) })}{' '}
        {t('The next run starts the day after, and its end does not change.')}
      </p>
    ),
    done: t('Last day changed.'),
    fields: { lastDay: { type: 'string', format: 'date' } },
    work: (reason, { lastDay }) => post('end-run', { reason, ...(lastDay ? { lastDay } : {}) }),
  };
  return [pausing, ending];
}
