import { LONG_STREAK_PERIODS_MIN } from '../../../base/consoleLimits.ts';
import { useApi } from '../../api/useApi.ts';
import { count, formatDate, formatNumber } from '../../text/format.ts';
import { Listing } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';

const EVERY_MS = 10_000;

/** Long streaks that end with the current period. */
export function AtRiskCard() {
  const query = { minLength: LONG_STREAK_PERIODS_MIN };
  return (
    <Card title="Streaks at risk">
      <Listing
        of={useApi('/analytics/streaks-at-risk', query, { everyMs: EVERY_MS })}
        rows={({ streaks }) => streaks}
        none="No streaks at risk"
        hint={`Streaks of ${LONG_STREAK_PERIODS_MIN} or more appear here until their users are active.`}
      >
        {({ streaks, lastDay, isComplete }) => (
          <>
            <p>
              <strong>
                {isComplete ? '' : 'More than '}
                {count(streaks.length, 'streak')} of {LONG_STREAK_PERIODS_MIN} or more
              </strong>{' '}
              {streaks.length === 1 ? 'ends' : 'end'} after {formatDate(lastDay)} unless{' '}
              {streaks.length === 1 ? 'its user becomes' : 'their users become'} active or a freeze saves{' '}
              {streaks.length === 1 ? 'it' : 'them'}.
            </p>
            <Table
              label="Streaks at risk"
              rows={streaks}
              first={5}
              keyOf={({ userId }) => userId}
              columns={[
                { title: 'User', cell: ({ userId, name }) => <UserLink id={userId} name={name} /> },
                { title: 'Streak', isNumber: true, cell: ({ length }) => formatNumber(length) },
              ]}
            />
          </>
        )}
      </Listing>
    </Card>
  );
}
