import type { GetExperiment } from '../../../contract/experiment.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { useApi } from '../../api/useApi.ts';
import { formatDate, formatNumber, formatShare } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { rangeText, t } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { RetentionCard } from './RetentionCard.tsx';

type Analytics = ResponseOf<typeof GetExperiment>;

const WITHHELD = t(
  'Users in the control group get no emails or push notifications, and no webhook reports that one is due. They earn achievements, streaks and points like other users. To withhold these too, have your app check whether a user is in the control group.',
);

/** Treated users compared with the control group, and retention. */
export function Experiment() {
  const analytics = useApi('/analytics/experiment');
  return (
    <Page title={t('Experiment')} lead={t('Does gamification bring users back more often?')}>
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
            ? t('No user in the control group has completed a week yet')
            : t('No control group')
        }
      >
        <span>
          {WITHHELD} {t('Compare the groups after a few weeks.')}
        </span>
        <AdminLink href="/console/configuration/settings">
          {t('Set the share of new users in the control group')}
        </AdminLink>
      </Empty>
    );
  }
  const most = Math.max(
    ...weeks.flatMap((one) => [Math.abs(one.differenceLow ?? 0), Math.abs(one.differenceHigh ?? 0)]),
  );
  return (
    <Card
      title={t('Treated vs. control')}
      note={t('{confidence}% confidence interval of the difference: {method}.', { confidence, method })}
    >
      <Verdict analytics={analytics} />
      {shares?.isMismatch && <ShareMismatch shares={shares} controlRatio={controlRatio} />}
      <Table
        label={t('Retention of treated and control users')}
        rows={weeks}
        keyOf={({ week }) => String(week)}
        columns={[
          { title: t('Week'), cell: ({ week, isEarly }) => (isEarly ? t('{week} (early)', { week }) : week) },
          { title: t('Treated'), isNumber: true, cell: (one) => formatShare(one.treatedRate) },
          { title: t('of users'), isNumber: true, cell: (one) => formatNumber(one.treatedUsers) },
          { title: t('Control'), isNumber: true, cell: (one) => formatShare(one.controlRate) },
          { title: t('of control users'), isNumber: true, cell: (one) => formatNumber(one.controlUsers) },
          { title: t('Difference'), isNumber: true, cell: (one) => formatShare(one.difference) },
          {
            title: t('Interval'),
            cell: ({ differenceLow: low, differenceHigh: high }) =>
              low !== null && high !== null && <IntervalBar low={low} high={high} most={most} />,
          },
          { title: t('Lift'), isNumber: true, cell: (one) => formatShare(one.lift) },
        ]}
      />
      <p class="soft small">{WITHHELD}</p>
    </Card>
  );
}

/** Warns that the control group is not a random sample. */
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
      {rich(
        t(
          '{strong} Of the users created since {from}, {share} are in the control group instead of {planned}. The probability of this by chance is below 0.1%. Check whether users of one group are created or erased differently.',
        ),
        {
          strong: <strong>{t('Do not trust this comparison.')}</strong>,
          from: formatDate(from),
          share: formatShare(share),
          planned: formatShare(controlRatio / 100),
        },
      )}
    </p>
  );
}

type Outcome = NonNullable<Analytics['verdict']>['outcome'];

const HEADLINES: Record<Outcome, string> = {
  untrusted: t('The groups cannot be compared'),
  waiting: t('Not decided yet'),
  better: t('Users come back more often because of the features'),
  worse: t('Users come back less often because of the features'),
  same: t('No difference found'),
};

/** The result of the experiment and its evidence. */
function Verdict({ analytics: { verdict, weeks, confidence } }: { analytics: Analytics }) {
  if (verdict === null) return null;
  const { week, outcome, difference, usersNeeded } = verdict;
  const { treatedRate, controlRate, differenceLow, differenceHigh } = weeks[week]!;
  return (
    <section class="verdict" aria-label={t('Verdict')}>
      <strong>{HEADLINES[outcome]}</strong>
      {outcome === 'waiting' && (
        <p>
          {t(
            '{usersNeeded} more users are needed to detect a difference of {difference} with a probability of 80%. Until then, differences may be due to chance.',
            { usersNeeded, difference: formatShare(difference) },
          )}
        </p>
      )}
      <p>
        {t(
          'In week {week}, {treatedRate} of the treated users came back and {controlRate} of the control group. With {confidence}% confidence the difference is between {differenceLow} and {differenceHigh}.',
          {
            week,
            treatedRate: formatShare(treatedRate),
            controlRate: formatShare(controlRate),
            confidence,
            differenceLow: formatShare(differenceLow),
            differenceHigh: formatShare(differenceHigh),
          },
        )}
      </p>
    </section>
  );
}

/** An interval of a difference on a scale from −`most` to `most`, with a line at 0. */
function IntervalBar({ low, high, most }: { low: number; high: number; most: number }) {
  const at = (value: number): number => 50 + (value / most) * 50;
  const text = rangeText(formatShare(low), formatShare(high));
  return (
    <div class="interval">
      <svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="14" rx="2" />
        <rect x={at(low)} y="3" width={Math.max(1, at(high) - at(low))} height="8" />
        <line x1="50" x2="50" y1="0" y2="14" />
      </svg>
      <span>{text}</span>
    </div>
  );
}
