import type { ComponentChildren } from 'preact';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import { LIVE_MS, type Loaded, useApi, useList } from '../../api/useApi.ts';
import { rich } from '../../text/richText.ts';
import { t } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { SampleData } from '../start/SampleData.tsx';
import { Snippet } from '../start/Snippet.tsx';
import { StarterTemplates } from '../start/StarterTemplates.tsx';
import { SAMPLE_PREFIX } from '../start/sampleData.ts';
import { userAddress } from '../users/userAddress.tsx';

/** Recently active users that are searched for one that is not a sample user. */
const RECENT = 50;

interface FirstStepsProps {
  /** Beside other content: shows no loading state. */
  isAside?: boolean;
  /** Called when the configuration and sample users of a template are being created. */
  onBegin?(): void;
}

/** Setup steps of a new installation; empty once all are done. */
export function FirstSteps({ isAside = false, onBegin = () => {} }: FirstStepsProps) {
  const metrics = useList('/metrics');
  const streak = useApi('/streaks/settings');
  const achievements = useApi('/achievements', { limit: 1 });
  const points = useApi('/points', { limit: 1 });
  const boards = useApi('/leaderboards', { limit: 1 });
  const templates = useApi('/notifications/templates', { limit: 1 });
  const webhooks = useApi('/webhooks', { limit: 1 });
  const recent = useApi('/users', { limit: RECENT, sort: 'active' }, { everyMs: LIVE_MS });
  const reads: Loaded<unknown>[] = [
    metrics,
    streak,
    achievements,
    points,
    boards,
    templates,
    webhooks,
    recent,
  ];
  const missing = reads.find(({ data }) => data === null);
  if (missing) return isAside ? null : <Loading of={missing}>{() => null}</Loading>;
  const isConfigured = ({ data }: Loaded<unknown[]>): boolean => data!.length > 0;
  if (!isConfigured(metrics))
    return (
      <Allowed to="admin">
        <StarterTemplates onBegin={onBegin} onDone={() => location.reload()} />
      </Allowed>
    );
  const own = recent.data!.users.find(({ id }) => !id.startsWith(SAMPLE_PREFIX));
  const steps: Step[] = [
    configured(true, t('Metrics'), 'metrics'),
    configured(streak.data!.enabled && streak.data!.metrics.length > 0, t('A streak'), 'streak'),
    configured(isConfigured(achievements), t('An achievement'), 'achievements'),
    configured(isConfigured(points), t('Points'), 'points'),
    configured(isConfigured(boards), t('A leaderboard'), 'leaderboards'),
    firstEvent(own, metrics.data![0]!.key),
    configured(isConfigured(templates), t('An email or push notification'), 'templates'),
    configured(isConfigured(webhooks), t('A webhook to your backend'), 'webhooks'),
  ];
  return (
    <Allowed to="admin">
      <SampleData metrics={metrics.data!} recent={recent.data!.users} onRemoved={() => location.reload()} />
      <Steps steps={steps} />
    </Allowed>
  );
}

/** A step of the configuration: links to the form of the first item, and to the list once it is done. */
const configured = (isDone: boolean, label: string, list: string): Step => ({
  isDone,
  label,
  href: `/console/configuration/${list}${isDone || list === 'streak' ? '' : '/new'}`,
});

/** The call to copy, until the first event that is not sample data. */
function firstEvent(own: ListedUser | undefined, metric: string): Step {
  if (own === undefined) {
    const note = (
      <>
        <Snippet metric={metric} />
        <p role="status">{t('Waiting for the first event. It will appear here automatically.')}</p>
      </>
    );
    return { isDone: false, label: t('Send an event from your app'), note };
  }
  const note = (
    <>{rich(t('From {name}'), { name: <a href={userAddress(own.id)}>{own.name ?? own.id}</a> })}</>
  );
  return { isDone: true, label: t('First event from your app'), note };
}

interface Step {
  isDone: boolean;
  label: string;
  /** Screen of the step; without it, `note` explains the step. */
  href?: string;
  note?: ComponentChildren;
}

/** Open steps, then done ones. */
function Steps({ steps }: { steps: Step[] }) {
  const [left, done] = [false, true].map((isDone) => steps.filter((step) => step.isDone === isDone));
  if (left!.length === 0) return null;
  return (
    <Card title={t('First steps')} note={t('Remaining steps before users can play.')}>
      {[['steps', left!] as const, ['done-steps', done!] as const].map(([className, shown]) => (
        <ul class={className} key={className}>
          {shown.map((step) => (
            <StepItem key={step.label} {...step} />
          ))}
        </ul>
      ))}
    </Card>
  );
}

function StepItem({ isDone, label, href, note }: Step) {
  return (
    <li>
      <span class="row">
        {href === undefined ? <strong>{label}</strong> : <a href={href}>{label}</a>}
        {isDone && <span class="tag good">{t('done')}</span>}
      </span>
      {note && <div>{note}</div>}
    </li>
  );
}
