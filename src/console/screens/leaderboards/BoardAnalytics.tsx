import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetLeaderboardAnalytics } from '../../../contract/progressAnalytics.ts';
import { useList } from '../../api/useApi.ts';
import { formatNumber, formatShare, withUnit } from '../../text/format.ts';
import { rangeText, t } from '../../text/translate.ts';
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
      <Card title={t('Participants and rank changes')}>
        <PeriodChart
          label={t('Participants and rank changes')}
          periods={periods}
          lines={[
            [t('Daily participants'), ({ participants }) => participants],
            [t('Moves up'), ({ up }) => up],
            [t('Moves down'), ({ down }) => down],
          ]}
        />
      </Card>
      {scores.length > 0 && (
        <Card title={t('Scores')} note={t('{ranked} ranked users.', { ranked })}>
          <Bars
            bars={scores.map(({ from, to, users }) => ({
              label: withUnit(from === to ? formatNumber(from) : rangeText(from, to), units),
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
        { label: t('Ranked users'), value: formatNumber(ranked), note: t('in the current run') },
        { label: t('New in 7 days'), value: formatNumber(entered), note: t('came into the run') },
        {
          label: t('Moved in 7 days'),
          value: formatShare(movedRate),
          note: t('{moved} with another rank by their own scores', { moved }),
        },
        { label: t('Gap to the next rank'), value: gap(medianGap), note: t('median of all users') },
        { label: t('Gap to the first rank'), value: gap(topGap), note: t('from the second') },
      ]}
    />
  );
}
