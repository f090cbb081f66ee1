import type { ListConfigVersions } from '../../../contract/configured/adminConfiguration.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { outageText } from '../../api/health.ts';
import { ofAccount } from '../../api/session.ts';
import { useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { versionText } from '../../text/changeText.ts';
import { formatDuration } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import type { Mark } from '../../ui/chartOptions.ts';
import { LineChart } from '../../ui/LineChart.tsx';

type ConfigVersion = ResponseOf<typeof ListConfigVersions>[number];

interface PeriodChartProps<P> {
  label: string;
  /** What all lines count. */
  unit?: string;
  /** Of the range of the screen. */
  periods: readonly P[];
  /** The label of each line, and its value in a period. */
  lines: readonly (readonly [label: string, of: (period: P) => number])[];
}

/** Lines over the range of the screen, with marks for what may explain their changes. */
export function PeriodChart<P extends { start: string }>({
  label,
  unit,
  periods,
  lines,
}: PeriodChartProps<P>) {
  const { isLastOpen } = useRange();
  return (
    <LineChart
      label={label}
      unit={unit}
      x={periods.map(({ start }) => start)}
      isLastOpen={isLastOpen}
      marks={useMarks(periods[0]?.start)}
      series={lines.map(([name, of]) => ({ label: name, values: periods.map(of) }))}
    />
  );
}

/** Latest versions of the configuration that are marked. */
const VERSIONS = 100;

/** Outages, changes of the configuration, and boosts of the first points system. */
function useMarks(from: string | undefined): Mark[] {
  const versions = useList('/config/versions', {}, { page: VERSIONS }).data ?? [];
  const system = useApi('/points', { limit: 1 }).data?.[0];
  const boosts = useList(system ? `/points/${system.id}/boosts` : null).data ?? [];
  const outages = useApi(ofAccount('/outages')).data ?? [];
  const marks: Mark[] = [
    ...outages.map((outage) => ({
      at: outage.began.slice(0, 10),
      text: t('{outage} for {duration}', {
        outage: outageText(outage),
        duration: formatDuration(outage.seconds),
      }),
      isOutage: true,
    })),
    ...changesByDay(versions),
    ...boosts.map(({ name, start }) => ({ at: String(start), text: t('Boost “{name}” starts', { name }) })),
    ...boosts
      .filter(({ end }) => end)
      .map(({ name, end }) => ({ at: String(end), text: t('Boost “{name}” ends', { name }) })),
  ];
  return marks.filter(({ at }) => from === undefined || at >= from);
}

/** Versions of a day that its mark describes. */
const DESCRIBED = 3;

/** A mark for each day with changes of the configuration: what the versions changed, and who did. */
function changesByDay(versions: readonly ConfigVersion[]): Mark[] {
  const days = [...new Set(versions.map(({ at }) => at.slice(0, 10)))];
  return days.map((at) => {
    const all = versions.filter((version) => version.at.startsWith(at));
    const texts = all.slice(0, DESCRIBED).map(versionText);
    const others = all.length - texts.length;
    if (others > 0)
      texts.push(plural(others, '{n} earlier change on this day', '{n} earlier changes on this day'));
    return { at, text: t('Configuration: {changes}', { changes: texts.join('; ') }) };
  });
}
