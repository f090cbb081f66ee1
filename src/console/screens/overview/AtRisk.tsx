import { LONG_STREAK_PERIODS_MIN } from '../../../base/consoleLimits.ts';
import { useApi } from '../../api/useApi.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import { Listing } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';

const EVERY_MS = 10_000;

/** Long streaks that end with the current period. */
export function AtRiskCard() {
  const query = { minLength: LONG_STREAK_PERIODS_MIN };
  return (
    <Card title={t('Streaks at risk')}>
      <Listing
        of={useApi('/analytics/streaks-at-risk', query, { everyMs: EVERY_MS })}
        rows={({ streaks }) => streaks}
        none={t('No streaks at risk')}
        hint={t('Streaks of {least} or more appear here until their users are active.', {
          least: LONG_STREAK_PERIODS_MIN,
        })}
      >
        {({ streaks, lastDay, isComplete }) => (
          <>
            <p>{atRiskText(streaks.length, isComplete, formatDate(lastDay))}</p>
            <Table
              label={t('Streaks at risk')}
              rows={streaks}
              first={5}
              keyOf={({ userId }) => userId}
              columns={[
                { title: t('User'), cell: ({ userId, name }) => <UserLink id={userId} name={name} /> },
                { title: t('Streak'), isNumber: true, cell: ({ length }) => formatNumber(length) },
              ]}
            />
          </>
        )}
      </Listing>
    </Card>
  );
}

function atRiskText(n: number, isComplete: boolean, lastDay: string): string {
  const values = { least: LONG_STREAK_PERIODS_MIN, lastDay };
  return isComplete
    ? plural(
        n,
        '{n} streak of {least} or more ends after {lastDay} unless its user becomes active or a freeze saves it.',
        '{n} streaks of {least} or more end after {lastDay} unless their users become active or a freeze saves them.',
        values,
      )
    : plural(
        n,
        'More than {n} streak of {least} or more ends after {lastDay} unless its user becomes active or a freeze saves it.',
        'More than {n} streaks of {least} or more end after {lastDay} unless their users become active or a freeze saves them.',
        values,
      );
}
