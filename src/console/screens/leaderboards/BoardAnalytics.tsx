import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetLeaderboardAnalytics } from '../../../contract/progressAnalytics.ts';
import { useList } from '../../api/useApi.ts';
import { formatNumber, formatShare, withUnit } from '../../text/format.ts';
import { Bars } from '../../ui/Bars.tsx';
import { Card } from '../../ui/Page.tsx';
import { Tiles } from '../../ui/Tiles.tsx';
import { PeriodChart } from '../overview/PeriodChart.tsx';

type Analytics = ResponseOf<typeof GetLeaderboardAnalytics>;

interface BoardAnalyticsProps {
  analytics: Analytics;
  /** Key of the metric of the leaderboard, if any. */
  metric: string | undefined;
}

/** How much moves on a leaderboard, who takes part, and how scores are distributed. */
export function BoardAnalytics({
  analytics: { periods, scores, ranked, health },
  metric,
}: BoardAnalyticsProps) {
  const metrics = useList(metric === undefined ? null : '/metrics').data ?? [];
  const units = metrics.find(({ key }) => key === metric)?.units;
  return (
    <>
      {health && ranked !== null && ranked > 0 && <Health {...{ health, ranked, units }} />}
      <Card title="Participants and rank changes">
        <PeriodChart
          label="Participants and rank changes"
          periods={periods}
          lines={{
            'Daily participants': ({ participants }) => participants,
            'Moves up': ({ up }) => up,
            'Moves down': ({ down }) => down,
          }}
        />
      </Card>
      {scores.length > 0 && (
        <Card title="Scores" note={`${formatNumber(ranked)} ranked users.`}>
          <Bars
            bars={scores.map(({ from, to, users }) => ({
              label: withUnit(
                from === to ? formatNumber(from) : `${formatNumber(from)} to ${formatNumber(to)}`,
                units,
              ),
              value: users,
            }))}
          />
        </Card>
      )}
    </>
  );
}

interface HealthProps {
  health: NonNullable<Analytics['health']>;
  ranked: number;
  units: string | null | undefined;
}

function Health({ health, ranked, units }: HealthProps) {
  const { moved, movedRate, entered, topGap, medianGap } = health;
  const gap = (value: number | null): string => withUnit(formatNumber(value), value === null ? null : units);
  return (
    <Tiles
      tiles={[
        { label: 'Ranked users', value: formatNumber(ranked), note: 'in the current run' },
        { label: 'New in 7 days', value: formatNumber(entered), note: 'came into the run' },
        {
          label: 'Moved in 7 days',
          value: formatShare(movedRate),
          note: `${formatNumber(moved)} with another rank by their own scores`,
        },
        { label: 'Gap to the next rank', value: gap(medianGap), note: 'median of all users' },
        { label: 'Gap to the first rank', value: gap(topGap), note: 'from the second' },
      ]}
    />
  );
}
