import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetPointsAnalytics } from '../../../contract/progressAnalytics.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, sumOf } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { type Bar, Bars } from '../../ui/Bars.tsx';
import { choicesOf } from '../../ui/form/schema.ts';
import { Listing } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Select } from '../../ui/Select.tsx';
import { Tiles } from '../../ui/Tiles.tsx';
import { PeriodChart } from '../overview/PeriodChart.tsx';
import { triggerText } from './triggerText.ts';

type Analytics = ResponseOf<typeof GetPointsAnalytics>;

/** Gained and spent points by trigger. The points system is in the address. */
export function Points() {
  const { query: given, change } = useAddress();
  const systems = useList('/points', { status: 'active' });
  const active = systems.data ?? [];
  const system = active.find(({ key }) => key === given.system) ?? active[0];
  return (
    <Page
      title={t('Points')}
      actions={
        <>
          {active.length > 1 && (
            <Select
              aria-label={t('Points system')}
              value={system?.key}
              choices={choicesOf(active)}
              onChange={(chosen) => change({ system: chosen })}
            />
          )}
          <RangePicker />
        </>
      }
    >
      <Listing
        of={systems}
        none={t('No points systems yet')}
        hint={<AdminLink href="/console/configuration/points/new">{t('Create a points system')}</AdminLink>}
      >
        {() => system && <SystemAnalytics key={system.key} system={system} />}
      </Listing>
    </Page>
  );
}

function SystemAnalytics({ system: { key, name } }: { system: PointsSystem }) {
  const { query } = useRange();
  const analytics = useApi(`/analytics/points/${encodeURIComponent(key)}`, query, {
    everyMs: LIVE_MS,
  });
  return <Loading of={analytics}>{(data) => <PointsAnalytics analytics={data} unit={name} />}</Loading>;
}

interface PointsAnalyticsProps {
  analytics: Analytics;
  /** Name of the points system. */
  unit: string;
}

function PointsAnalytics({ analytics, unit }: PointsAnalyticsProps) {
  const { periods, sources, sinks, levels, outstanding } = analytics;
  const sum = (of: (period: Analytics['periods'][number]) => number): string =>
    formatNumber(sumOf(periods, of));
  return (
    <>
      <Tiles
        tiles={[
          { label: t('Gained'), value: sum(({ gained }) => gained) },
          { label: t('Spent'), value: sum(({ spent }) => spent) },
          { label: t('Awards'), value: sum(({ awards }) => awards) },
          { label: t('Outstanding'), value: formatNumber(outstanding), note: t('held by users now') },
        ]}
      />
      <Card title={t('Gained and spent')}>
        <PeriodChart
          label={t('Points gained and spent')}
          unit={unit}
          periods={periods}
          lines={[
            [t('Gained'), ({ gained }) => gained],
            [t('Spent'), ({ spent }) => spent],
          ]}
        />
      </Card>
      <div class="columns">
        <Card title={t('Sources')}>
          <Flow bars={sources.map(barOf)} />
        </Card>
        <div class="stack">
          <Card title={t('Uses')}>
            <Flow bars={sinks.map(barOf)} isNegative />
          </Card>
          <Card title={t('Users by level')} note={t('Current levels.')}>
            {levels.length === 0 ? (
              <Empty title={t('No levels configured')} />
            ) : (
              <Bars bars={levels.map(levelBar)} />
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

const levelBar = ({ level, users, points }: Analytics['levels'][number]): Bar => ({
  label: level.name,
  value: users,
  shown: plural(points, '{users} with {n} point', '{users} with {n} points', { users }),
});

type Source = Analytics['sources'][number];

function sourceText({ trigger, type, leaderboard }: Source): string {
  if (type === 'adjustment') return t('Adjusted by an administrator');
  if (type === 'import') return t('Imported');
  if (type === 'leaderboard')
    return t('Reward of {name}', { name: leaderboard?.name ?? t('a deleted leaderboard') });
  return triggerText(trigger);
}

const barOf = (source: Source): Bar => ({
  label: sourceText(source),
  value: source.points,
  shown: plural(source.awards, '{points} in {n} award', '{points} in {n} awards', { points: source.points }),
});

const Flow = (props: { bars: Bar[]; isNegative?: boolean }) =>
  props.bars.length === 0 ? <Empty title={t('None in this range')} /> : <Bars {...props} />;
