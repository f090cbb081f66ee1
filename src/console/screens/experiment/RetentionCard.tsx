import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetRetention } from '../../../contract/retention.ts';
import { useAddress } from '../../api/useAddress.ts';
import { partOf, useApi, useList } from '../../api/useApi.ts';
import { formatNumber, formatShare } from '../../text/format.ts';
import { nameInContract, t } from '../../text/translate.ts';
import { LineChart } from '../../ui/LineChart.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';

type Answered = ResponseOf<typeof GetRetention>['groups'][number];
type Group = Pick<Answered, 'group' | 'users' | 'weeks'> & { label: string };
const LINES_MAX = 4;
const SPLITS = [
  { value: 'none', label: t('All users') },
  { value: 'control', label: t('Control group') },
  { value: 'streak', label: t('Longest streak') },
  { value: 'achievement', label: t('Achievement in the first 7 days') },
  { value: 'firstMetric', label: t('First metric') },
];
const NOTE = t('Share of the users created in a week who had an event in each week after.');
const NOTES: Record<string, string> = {
  achievement: t(
    'Weeks 0 and 1 contain the first 7 days: compare from week 2. A difference proves no cause: who completes something early tends to be active anyway.',
  ),
  firstMetric: t(
    'The metrics of the first day with an event. A user with several of them is in several groups.',
  ),
};

/** Returning users week by week. The split is in the address. */
export function RetentionCard() {
  const { query, change } = useAddress();
  const attributes = (useList('/attributes').data ?? []).filter(({ type }) => type === 'user');
  const split = query.split ?? 'none';
  const [splitBy = 'none', attribute] = split.startsWith('attribute:')
    ? ['attribute', split.slice(10)]
    : [split, undefined];
  const retention = useApi('/analytics/retention', { splitBy, attribute });
  const achievements = useList(splitBy === 'achievement' ? '/achievements' : null).data ?? [];
  const metrics = useList(splitBy === 'firstMetric' ? '/metrics' : null).data ?? [];
  const named = [...achievements, ...metrics];
  const labelOf = (group: string): string =>
    named.find(({ key }) => key === group)?.name ?? nameInContract(group);
  const groups = partOf(retention, (answer) =>
    answer.groups
      .flatMap((group) => withOthers(group, labelOf(group.group)))
      .filter(({ weeks }) => weeks.length > 0),
  );
  const choices = [
    ...SPLITS,
    ...attributes.map(({ key, name }) => ({ value: `attribute:${key}`, label: name })),
  ];
  return (
    <Card
      title={t('Retention')}
      note={splitBy in NOTES ? `${NOTE} ${NOTES[splitBy]}` : NOTE}
      actions={
        <Select
          aria-label={t('Split by')}
          value={split}
          choices={choices}
          onChange={(chosen) => change({ split: chosen })}
        />
      }
    >
      <Listing
        of={groups}
        none={t('No week completed yet')}
        hint={t('Retention is available a week after the first users were created.')}
      >
        {(shown) => <Retention key={split} groups={shown} />}
      </Listing>
    </Card>
  );
}

/** A group, and after it the users without its achievement. */
function withOthers({ others, ...group }: Answered, label: string): Group[] {
  const own = { ...group, label };
  return others
    ? [
        own,
        {
          ...others,
          group: `without ${group.group}`,
          label: t('Without {label}', { label }),
        },
      ]
    : [own];
}

function Retention({ groups }: { groups: Group[] }) {
  const weeks = Array.from({ length: Math.max(...groups.map((one) => one.weeks.length)) }, (_, week) => week);
  return (
    <>
      <LineChart
        label={t('Retention by week')}
        x={weeks}
        xTitle={t('Week')}
        series={groups.slice(0, LINES_MAX).map((one) => ({
          label: one.label,
          values: weeks.map((week) => one.weeks[week]?.rate ?? null),
          format: formatShare,
        }))}
      />
      <Table
        label={t('Retention by group')}
        rows={groups}
        keyOf={({ group }) => group}
        columns={[
          { title: t('Group'), cell: ({ label }) => label },
          { title: t('Users'), isNumber: true, cell: ({ users }) => formatNumber(users) },
          ...weeks.map((week) => ({
            title: t('Week {week}', { week }),
            isNumber: true,
            cell: (one: Group) => formatShare(one.weeks[week]?.rate),
            shareOf: (one: Group) => one.weeks[week]?.rate ?? 0,
          })),
        ]}
      />
    </>
  );
}
