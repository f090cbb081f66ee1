import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { StreakLoss } from '../../../contract/streakLoss.ts';
import { partOf } from '../../api/useApi.ts';
import { formatDate, formatInstant, formatNumber } from '../../text/format.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Facts, Tag } from '../../ui/Tiles.tsx';
import { useStreakLoss } from './StreakActions.tsx';

interface StreakLossDialogProps {
  user: AdminUser;
  /** When the streak was lost. */
  at: string;
  onClose(): void;
}

/** Why a streak was lost: the missed conditions, the time zone and the events around it. */
export function StreakLossDialog({ user, at, onClose }: StreakLossDialogProps) {
  const report = useStreakLoss(user.id, at);
  const loss = report.data?.loss;
  return (
    <Dialog title="Why the streak was lost" isWide onClose={onClose}>
      <Loading of={report}>{() => loss && <Explanation loss={loss} />}</Loading>
      {loss && (
        <ListTable
          of={partOf(report, () => loss.events)}
          none="No events from the day before to the day after"
          label="Events around that time"
          keyOf={({ eventId }) => eventId}
          columns={[
            { title: `Time in ${loss.timeZone}`, cell: (event) => formatInstant(event.at, loss.timeZone) },
            { title: 'Metric', cell: ({ metric }) => metric.name },
            { title: 'Value', isNumber: true, cell: ({ value }) => formatNumber(value) },
            { title: 'For the streak', cell: (event) => <Tag text={standingOf(event, loss)} /> },
          ]}
        />
      )}
    </Dialog>
  );
}

type Period = StreakLoss['missed'];

const periodText = ({ start, end }: Period): string =>
  start === end ? formatDate(start) : `${formatDate(start)} to ${formatDate(end)}`;

const freezeText = ({ hasFreezes, lastFreeze }: StreakLoss): string => {
  if (!hasFreezes) return 'Freezes are not configured.';
  return lastFreeze === null ? 'None left.' : `None left. The last one saved ${periodText(lastFreeze)}.`;
};

function missingText({ conditions, evaluationMode }: StreakLoss): string {
  if (conditions.length === 1) return 'its condition was not met';
  return evaluationMode === 'AND' ? 'not all of its conditions were met' : 'none of its conditions was met';
}

function Explanation({ loss }: { loss: StreakLoss }) {
  const { length, missed, timeZone, lostAt, conditions, events } = loss;
  const isLate = events.some(({ at, counts }) => counts && at >= lostAt);
  return (
    <>
      <p>
        The streak of {length} ended because {missingText(loss)} {missed.start === missed.end ? 'on' : 'from'}{' '}
        <strong>{periodText(missed)}</strong>.
        {isLate && ' The next event that counts came after it had ended.'}
      </p>
      <Facts
        facts={[
          ...conditions.map(({ metric, threshold, reached }): [string, string] => [
            metric.name,
            `${formatNumber(reached)} of ${formatNumber(threshold)}`,
          ]),
          ['Ended', `${formatInstant(lostAt, timeZone)} in ${timeZone}`],
          ['Freezes', freezeText(loss)],
        ]}
      />
      <h3>Events around that time</h3>
    </>
  );
}

/** What an event meant for the streak. */
function standingOf({ at, counts }: StreakLoss['events'][number], { lostAt }: StreakLoss): string {
  if (!counts) return 'does not count';
  return at >= lostAt ? 'too late' : 'counted';
}
