import { useState } from 'preact/hooks';
import { USERS_IN_QUERY_MAX } from '../../../base/limits.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetStreakAnalytics } from '../../../contract/progressAnalytics.ts';
import type { StreakRankings } from '../../../contract/streak.ts';
import type { StreakSettings } from '../../api/types.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, formatShare } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tiles } from '../../ui/Tiles.tsx';
import { useMarks } from '../overview/useMarks.ts';
import { userAddress } from '../users/userAddress.ts';

type Analytics = ResponseOf<typeof GetStreakAnalytics>;
type Period = Analytics['periods'][number];

export function Streaks() {
  const { range, query, choose } = useRange();
  const settings = useApi<StreakSettings>('/streaks/settings');
  const analytics = useApi<Analytics>('/analytics/streaks', query, { everyMs: LIVE_MS });
  return (
    <Page title="Streaks" actions={<RangePicker range={range} choose={choose} />}>
      <Loading of={settings}>
        {({ enabled }) => (
          <Loading of={analytics}>
            {(data) => (enabled || hasStreaks(data) ? <StreakAnalytics analytics={data} /> : <NoStreak />)}
          </Loading>
        )}
      </Loading>
    </Page>
  );
}

/** What happened stays, also when no streak is configured any more. */
const hasStreaks = ({ periods, lengths }: Analytics): boolean =>
  lengths.length > 0 || periods.some(({ started, extended, lost }) => started + extended + lost > 0);

function NoStreak() {
  return (
    <Empty title="No streak is configured">
      <Allowed to="admin">
        <a href="/console/configuration/streak">Say what keeps a streak</a>
      </Allowed>
    </Empty>
  );
}

function StreakAnalytics({ analytics: { periods, lengths, survival } }: { analytics: Analytics }) {
  const { isLastOpen } = useRange();
  const marks = useMarks(periods[0]?.start);
  const sum = (of: (period: Period) => number): string =>
    formatNumber(periods.reduce((all, one) => all + of(one), 0));
  const users = lengths.reduce((all, one) => all + one.users, 0);
  return (
    <>
      <Tiles
        tiles={[
          { label: 'Users with a streak', value: formatNumber(users), note: 'now' },
          { label: 'Started', value: sum(({ started }) => started) },
          { label: 'Extended', value: sum(({ extended }) => extended) },
          { label: 'Lost', value: sum(({ lost }) => lost) },
          { label: 'Freezes used', value: sum(({ freezesUsed }) => freezesUsed) },
          { label: 'Freezes earned', value: sum(({ freezesEarned }) => freezesEarned) },
        ]}
      />
      <Card title="Started, lost and saved">
        <LineChart
          label="Streaks started, lost and saved by a freeze"
          x={periods.map(({ start }) => start)}
          isLastOpen={isLastOpen}
          marks={marks}
          unit="streaks"
          series={[
            { label: 'Started', values: periods.map(({ started }) => started) },
            { label: 'Lost', values: periods.map(({ lost }) => lost) },
            { label: 'Saved by a freeze', values: periods.map(({ freezesUsed }) => freezesUsed) },
          ]}
        />
      </Card>
      <div class="columns">
        <Card title="Lengths" note="Current streaks by length.">
          {lengths.length === 0 ? (
            <Empty title="Nobody has a streak" />
          ) : (
            <Bars bars={lengths.map(({ length, users: value }) => ({ label: String(length), value }))} />
          )}
        </Card>
        <Card title="Longest current streaks">
          <Rankings />
        </Card>
      </div>
      {survival.length > 1 && (
        <Card title="Survival" note="Estimated share of streaks that become longer (Kaplan and Meier, 1958).">
          <LineChart
            label="Share of streaks that become longer than a length"
            x={survival.map(({ length }) => length)}
            xTitle="Length"
            series={[{ label: 'Share', values: survival.map(({ rate }) => rate), format: formatShare }]}
          />
        </Card>
      )}
    </>
  );
}

/** Users that are listed at first. */
const RANKED = 10;

function Rankings() {
  const [max, setMax] = useState(RANKED);
  const rankings = useApi<StreakRankings>('/v1/streaks/rankings', { limit: max }, { everyMs: LIVE_MS });
  return (
    <>
      <Loading of={rankings}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="soft">Nobody has a streak.</p>
          ) : (
            <Table
              label="Longest current streaks"
              rows={rows}
              keyOf={({ userId }) => userId}
              columns={[
                {
                  title: 'User',
                  cell: ({ userId, name }) => <a href={userAddress(userId)}>{name ?? userId}</a>,
                },
                { title: 'Length', isNumber: true, cell: ({ streakLength }) => formatNumber(streakLength) },
              ]}
            />
          )
        }
      </Loading>
      {max === USERS_IN_QUERY_MAX ? (
        <a href="/console/users?sort=streak">All users by streak</a>
      ) : (
        <ShowMore
          label="Show more"
          shown={rankings.data?.length}
          max={max}
          onClick={() => setMax(USERS_IN_QUERY_MAX)}
        />
      )}
    </>
  );
}
