import type { StreakResponse } from '../../../contract/streak.ts';
import { formatDate } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { StreakCalendar } from '../../ui/StreakCalendar.tsx';
import { useUserApi } from './userAddress.ts';

const PERIODS: Record<string, number> = { daily: 182, weekly: 52, monthly: 24 };

export function UserStreak({ id }: { id: string }) {
  const { data } = useUserApi<StreakResponse>(id, '/streak', { historyPeriods: 0 });
  const frequency = data?.frequency ?? 'daily';
  const streak = useUserApi<StreakResponse>(id, '/streak', { historyPeriods: PERIODS[frequency] });
  return (
    <Card title="Streak">
      <Loading of={streak}>
        {({ streakHistory, expires, pauses }) => (
          <>
            <StreakCalendar history={streakHistory} frequency={frequency} />
            {expires && <p class="small">Ends unless it is extended until {formatDate(expires)}.</p>}
            {pauses.map(({ id: pause, start, end }) => (
              <p class="small" key={pause}>
                Paused from {formatDate(start)} to {formatDate(end)}.
              </p>
            ))}
          </>
        )}
      </Loading>
    </Card>
  );
}
