import { useLocation } from 'preact-iso';
import type { GetExperiment } from '../../../contract/experiment.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetRetention } from '../../../contract/retention.ts';
import { addressOf } from '../../api/client.ts';
import type { Attribute } from '../../api/types.ts';
import { useApi, useList } from '../../api/useApi.ts';
import { formatDate, formatNumber, formatShare, words } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { IntervalBar } from './IntervalBar.tsx';
import { Verdict } from './Verdict.tsx';

type Analytics = ResponseOf<typeof GetExperiment>;
type Retention = ResponseOf<typeof GetRetention>;
const LINES_MAX = 4;

const WITHHELD =
  'Users of the control group get no emails and no push notifications, and no webhook reports that one is due. They earn ' +
  'achievements, streaks and points like the others. To withhold these, too, let your app ask whether a user is in the control group.';

/** What the features change: treated users against the control group, and who comes back. */
export function Experiment() {
  const analytics = useApi<Analytics>('/analytics/experiment');
  return (
    <Page title="Experiment" lead="Do users come back more often because of what laurel does?">
      <Loading of={analytics}>{(data) => <ExperimentAnalytics analytics={data} />}</Loading>
      <RetentionCard />
    </Page>
  );
}

function ExperimentAnalytics({ analytics }: { analytics: Analytics }) {
  const { controlRatio, method, confidence, shares, weeks } = analytics;
  const hasControl = weeks.some(({ controlUsers }) => controlUsers > 0);
  if (!hasControl) {
    return (
      <Empty
        title={
          controlRatio > 0
            ? 'Nobody in the control group has finished a week yet'
            : 'There is no control group'
        }
      >
        <span>{WITHHELD} Compare the groups after some weeks.</span>
        <Allowed to="admin">
          <a href="/console/configuration/settings">Choose the share of new users in the control group</a>
        </Allowed>
      </Empty>
    );
  }
  const most = Math.max(
    ...weeks.flatMap((one) => [Math.abs(one.differenceLow ?? 0), Math.abs(one.differenceHigh ?? 0)]),
  );
  return (
    <Card
      title="Treated against control"
      note={`${confidence}% confidence interval of the difference: ${method}.`}
    >
      <Verdict analytics={analytics} />
      {shares?.isMismatch && <ShareMismatch shares={shares} controlRatio={controlRatio} />}
      <Table
        label="Retention of treated and control users"
        rows={weeks}
        keyOf={({ week }) => String(week)}
        columns={[
          { title: 'Week', cell: ({ week, isEarly }) => (isEarly ? `${week} (early)` : week) },
          { title: 'Treated', isNumber: true, cell: (one) => formatShare(one.treatedRate) },
          { title: 'of users', isNumber: true, cell: (one) => formatNumber(one.treatedUsers) },
          { title: 'Control', isNumber: true, cell: (one) => formatShare(one.controlRate) },
          { title: 'of control users', isNumber: true, cell: (one) => formatNumber(one.controlUsers) },
          { title: 'Difference', isNumber: true, cell: (one) => formatShare(one.difference) },
          {
            title: 'Interval',
            cell: ({ differenceLow: low, differenceHigh: high }) =>
              low !== null && high !== null && <IntervalBar low={low} high={high} most={most} />,
          },
          { title: 'Lift', isNumber: true, cell: (one) => formatShare(one.lift) },
        ]}
      />
      <p class="soft small">{WITHHELD}</p>
    </Card>
  );
}

/** Warns that something besides chance decides who is in the control group. */
function ShareMismatch({
  shares,
  controlRatio,
}: {
  shares: NonNullable<Analytics['shares']>;
  controlRatio: number;
}) {
  const { from, treatedUsers, controlUsers } = shares;
  const share = controlUsers / (treatedUsers + controlUsers);
  return (
    <p class="warning" role="alert">
      <strong>Do not trust this comparison.</strong> Of the users created since {formatDate(from)},{' '}
      {formatShare(share)} are in the control group instead of {formatShare(controlRatio / 100)}. By chance
      this happens less than once in 1,000 times. Perhaps users of one group are created or erased in another
      way.
    </p>
  );
}

/** Users who come back, week by week; how they are split is in the address. */
function RetentionCard() {
  const { query, path, route } = useLocation();
  const attributes = (useList<Attribute>('/attributes').data ?? []).filter(({ type }) => type === 'user');
  const split = query.split ?? 'none';
  const [splitBy, attribute] = split.startsWith('attribute:')
    ? ['attribute', split.slice(10)]
    : [split, undefined];
  const retention = useApi<Retention>('/analytics/retention', { splitBy, attribute });
  const choice = (
    <select
      aria-label="Split by"
      value={split}
      onChange={(event) => route(addressOf(path, { ...query, split: event.currentTarget.value }), true)}
    >
      <option value="none">All users</option>
      <option value="control">Control group</option>
      <option value="streak">Longest streak</option>
      {attributes.map(({ key, name }) => (
        <option key={key} value={`attribute:${key}`}>
          {name}
        </option>
      ))}
    </select>
  );
  return (
    <Card
      title="Retention"
      note="Of the users created in a week, who had an event in each week after."
      actions={choice}
    >
      <Loading of={retention}>{(data) => <RetentionAnalytics key={split} retention={data} />}</Loading>
    </Card>
  );
}

function RetentionAnalytics({ retention: { groups } }: { retention: Retention }) {
  const shown = groups.filter(({ weeks }) => weeks.length > 0);
  if (shown.length === 0) {
    return (
      <Empty title="No week is over yet">
        <span>Retention is known a week after the first users were created.</span>
      </Empty>
    );
  }
  const longest = Math.max(...shown.map(({ weeks }) => weeks.length));
  return (
    <>
      <LineChart
        label="Retention by week"
        x={Array.from({ length: longest }, (_, week) => week)}
        xTitle="Week"
        series={shown.slice(0, LINES_MAX).map(({ group, weeks }) => ({
          label: words(group),
          values: Array.from({ length: longest }, (_, week) => weeks[week]?.rate ?? null),
          format: formatShare,
        }))}
      />
      <Table
        label="Retention by group"
        rows={shown}
        keyOf={({ group }) => group}
        columns={[
          { title: 'Group', cell: ({ group }) => words(group) },
          { title: 'Users', isNumber: true, cell: ({ users }) => formatNumber(users) },
          ...Array.from({ length: longest }, (_, week) => ({
            title: `Week ${week}`,
            isNumber: true,
            cell: ({ weeks }: Retention['groups'][number]) => formatShare(weeks[week]?.rate),
            shareOf: ({ weeks }: Retention['groups'][number]) => weeks[week]?.rate ?? 0,
          })),
        ]}
      />
    </>
  );
}
