import { useState } from 'preact/hooks';
import { LONG_STREAK_PERIODS_MIN } from '../../../base/consoleLimits.ts';
import type { GetStreaksAtRisk } from '../../../contract/lifecycle.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { useApi } from '../../api/useApi.ts';
import { count, formatDate, formatNumber } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { userAddress } from '../users/userAddress.ts';

type AtRisk = ResponseOf<typeof GetStreaksAtRisk>;
const EVERY_MS = 10_000;
const SHOWN = 5;

/** How many long streaks end with the present period, and whose they are. */
export function AtRiskCard() {
  const atRisk = useApi<AtRisk>(
    '/analytics/streaks-at-risk',
    { minLength: LONG_STREAK_PERIODS_MIN },
    { everyMs: EVERY_MS },
  );
  return (
    <Card title="Streaks at risk">
      <Loading of={atRisk}>{(data) => <StreaksAtRisk {...data} />}</Loading>
    </Card>
  );
}

function StreaksAtRisk({ streaks, lastDay, isComplete }: AtRisk) {
  const [isOpen, setOpen] = useState(false);
  const rows = isOpen ? streaks : streaks.slice(0, SHOWN);
  return (
    <>
      {streaks.length === 0 ? (
        <Empty title="No long streak ends today">
          <span>
            Streaks of {LONG_STREAK_PERIODS_MIN} and more appear here if their users have not been active yet.
          </span>
        </Empty>
      ) : (
        <>
          <p>
            <strong>
              {isComplete ? '' : 'More than '}
              {count(streaks.length, 'streak')} of {LONG_STREAK_PERIODS_MIN} and more
            </strong>{' '}
            {streaks.length === 1 ? 'ends' : 'end'} with {formatDate(lastDay)} unless their users are active.
            A freeze may save them.
          </p>
          <Table
            label="Streaks at risk"
            rows={rows}
            keyOf={({ userId }) => userId}
            columns={[
              {
                title: 'User',
                cell: ({ userId, name }) => <a href={userAddress(userId)}>{name ?? userId}</a>,
              },
              { title: 'Streak', isNumber: true, cell: ({ length }) => formatNumber(length) },
            ]}
          />
          {streaks.length > SHOWN && (
            <div>
              <button type="button" onClick={() => setOpen(!isOpen)}>
                {isOpen ? 'Show fewer' : `Show all ${formatNumber(streaks.length)}`}
              </button>
            </div>
          )}
        </>
      )}
    </>
  );
}
