import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { EventUndo } from '../../../contract/eventUndo.ts';
import { useApi } from '../../api/useApi.ts';
import { formatDate, formatNumber } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { userPath } from './userAddress.ts';

/** What undoing an event changes, and what stays. */
export function UndoEffect({ user, eventId }: { user: AdminUser; eventId: string }) {
  const undo = useApi<EventUndo>(`${userPath(user.id)}/events/${eventId}/undo`);
  return (
    <Loading of={undo}>
      {({ metric, value, total, leaderboards }) => (
        <>
          <p>
            The total of {metric.name} falls by {formatNumber(value)}: it is {formatNumber(total)} now.
          </p>
          {leaderboards.length > 0 && (
            <>
              <p>So does the score on these leaderboards:</p>
              <ul>
                {leaderboards.map(({ leaderboard, run, isTotal }) => (
                  <li key={leaderboard.key}>
                    {leaderboard.name}
                    {!isTotal && `, run of ${formatDate(run)}`}
                  </li>
                ))}
              </ul>
            </>
          )}
          <p>
            The streak, achievements, points and final runs stay. Achievements and points have buttons of
            their own in the timeline. An event is undone only once.
          </p>
        </>
      )}
    </Loading>
  );
}
