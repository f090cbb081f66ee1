import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { StreakLoss } from '../../../contract/streakLoss.ts';
import { partOf } from '../../api/useApi.ts';
import { formatDate, formatInstant, formatNumber } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { rangeText, shareText, t } from '../../text/translate.ts';
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
    <Dialog title={t('Why the streak was lost')} isWide onClose={onClose}>
      <Loading of={report}>{() => loss && <Explanation loss={loss} />}</Loading>
      {loss && (
        <ListTable
          of={partOf(report, () => loss.events)}
          none={t('No events from the day before to the day after')}
          label={t('Events around that time')}
          keyOf={({ eventId }) => eventId}
          columns={[
            {
              title: t('Time in {timeZone}', { timeZone: loss.timeZone }),
              cell: (event) => formatInstant(event.at, loss.timeZone),
            },
            { title: t('Metric'), cell: ({ metric }) => metric.name },
            { title: t('Value'), isNumber: true, cell: ({ value }) => formatNumber(value) },
            { title: t('For the streak'), cell: (event) => <Tag text={standingOf(event, loss)} /> },
          ]}
        />
      )}
    </Dialog>
  );
}

type Period = StreakLoss['missed'];

const periodText = ({ start, end }: Period): string =>
  start === end ? formatDate(start) : rangeText(formatDate(start), formatDate(end));

const freezeText = ({ hasFreezes, lastFreeze }: StreakLoss): string => {
  if (!hasFreezes) return t('Freezes are not configured.');
  return lastFreeze === null
    ? t('None left.')
    : t('None left. The last one saved {lastFreeze}.', { lastFreeze: periodText(lastFreeze) });
};

/** The placeholder of the period stays, so that it is an element. */
function endedText({ length, missed, conditions, evaluationMode }: StreakLoss): string {
  const isOneDay = missed.start === missed.end;
  if (conditions.length === 1)
    return isOneDay
      ? t('The streak of {length} ended because its condition was not met on {period}.', { length })
      : t('The streak of {length} ended because its condition was not met from {period}.', { length });
  if (evaluationMode === 'AND')
    return isOneDay
      ? t('The streak of {length} ended because not all of its conditions were met on {period}.', { length })
      : t('The streak of {length} ended because not all of its conditions were met from {period}.', {
          length,
        });
  return isOneDay
    ? t('The streak of {length} ended because none of its conditions was met on {period}.', { length })
    : t('The streak of {length} ended because none of its conditions was met from {period}.', { length });
}

function Explanation({ loss }: { loss: StreakLoss }) {
  const { missed, timeZone, lostAt, conditions, events } = loss;
  const isLate = events.some(({ at, counts }) => counts && at >= lostAt);
  return (
    <>
      <p>
        {rich(endedText(loss), { period: <strong>{periodText(missed)}</strong> })}{' '}
        {isLate && t('The next event that counts came after it had ended.')}
      </p>
      <Facts
        facts={[
          ...conditions.map(({ metric, threshold, reached }): [string, string] => [
            metric.name,
            shareText(reached, threshold),
          ]),
          [t('Ended'), t('{lostAt} in {timeZone}', { lostAt: formatInstant(lostAt, timeZone), timeZone })],
          [t('Freezes'), freezeText(loss)],
        ]}
      />
      <h3>{t('Events around that time')}</h3>
    </>
  );
}

/** What an event meant for the streak. */
function standingOf({ at, counts }: StreakLoss['events'][number], { lostAt }: StreakLoss): string {
  if (!counts) return t('does not count');
  return at >= lostAt ? t('too late') : t('counted');
}
