import { useState } from 'preact/hooks';
import type { ListChallengeRuns } from '../../../contract/configured/challengeAnalytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatDate, formatDuration, formatNumber, formatShare, NONE } from '../../text/format.ts';
import { rangeText, t } from '../../text/translate.ts';
import { Bars } from '../../ui/Bars.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Card, Empty } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';

type Run = ResponseOf<typeof ListChallengeRuns>[number];

const RUNS_SHOWN = 10;

/** The runs of a challenge, and the funnel of one of them. */
export function ChallengeRuns({ challenge: { id, pick } }: { challenge: { id: string; pick?: number } }) {
  const [chosen, choose] = useState<string | undefined>();
  const runs = useList(`/challenges/${id}/runs`, {}, { page: RUNS_SHOWN, everyMs: LIVE_MS });
  return (
    <Listing of={runs} none={t('No run has begun yet')}>
      {(all) => {
        const run = all.find((one) => one.run === chosen) ?? all[0]!;
        return (
          <>
            <Card
              title={t('Funnel')}
              note={pick !== undefined && t('Each user has some of the goals.')}
              actions={
                <Select
                  aria-label={t('Run')}
                  value={run.run}
                  choices={all.map((one) => ({ value: one.run, label: daysText(one) }))}
                  onChange={choose}
                />
              }
            >
              <Funnel run={run} />
            </Card>
            <Card title={t('Runs')} note={t('A run is dated in the time zone of each user.')}>
              <RunTable runs={all} isCurrent={(one) => one === run} />
            </Card>
          </>
        );
      }}
    </Listing>
  );
}

const daysText = ({ run, end }: Run): string =>
  end === null
    ? t('since {date}', { date: formatDate(run) })
    : end === run
      ? formatDate(run)
      : rangeText(formatDate(run), formatDate(end));

/** How many users took part, reached each goal and completed the challenge. */
function Funnel({ run: { users, goals, completed, claimed } }: { run: Run }) {
  if (users === 0) return <Empty title={t('Nobody took part in this run')} />;
  const bar = (label: string, value: number) => ({
    label,
    value,
    shown: `${formatNumber(value)} (${formatShare(value / users)})`,
  });
  return (
    <Bars
      bars={[
        bar(t('Took part'), users),
        ...goals.map((goal) => bar(goal.name, goal.users)),
        bar(t('Completed'), completed),
        ...(claimed === null ? [] : [bar(t('Claimed'), claimed)]),
      ]}
    />
  );
}

function RunTable({ runs, isCurrent }: { runs: readonly Run[]; isCurrent(run: Run): boolean }) {
  return (
    <Table
      label={t('Runs')}
      rows={runs}
      keyOf={({ run }) => run}
      isCurrent={isCurrent}
      columns={[
        { title: t('Run'), cell: daysText },
        { title: t('Took part'), isNumber: true, cell: ({ users }) => formatNumber(users) },
        { title: t('Completed'), isNumber: true, cell: ({ completed }) => formatNumber(completed) },
        {
          title: t('Of those who took part'),
          isNumber: true,
          cell: ({ users, completed }) => formatShare(users === 0 ? null : completed / users),
        },
        {
          title: t('Median time to complete'),
          isNumber: true,
          cell: ({ medianSeconds }) => (medianSeconds === null ? NONE : formatDuration(medianSeconds)),
        },
      ]}
    />
  );
}
