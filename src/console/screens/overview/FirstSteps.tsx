import type { ComponentChildren } from 'preact';
import type { ListedUser, ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type {
  Achievement,
  Leaderboard,
  Metric,
  PointsSystem,
  StreakSettings,
  Template,
  Webhook,
} from '../../api/types.ts';
import { LIVE_MS, type Loaded, useApi, useList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { SampleData } from '../start/SampleData.tsx';
import { Snippet } from '../start/Snippet.tsx';
import { StarterTemplates } from '../start/StarterTemplates.tsx';
import { SAMPLE_PREFIX } from '../start/sampleData.ts';
import { userAddress } from '../users/userAddress.ts';

/** Users among whom one who is no sample user is looked for. */
const RECENT = 50;

interface FirstStepsProps {
  /** Other content is on the screen: nothing is said while this is loading. */
  isAside?: boolean;
  /** The configuration and sample users of a template are being created. */
  onBegin?(): void;
}

/** What a new installation still needs; nothing once it is complete. */
export function FirstSteps({ isAside = false, onBegin = () => {} }: FirstStepsProps) {
  const metrics = useList<Metric>('/metrics');
  const streak = useApi<StreakSettings>('/streaks/settings');
  const achievements = useApi<Achievement[]>('/achievements', { limit: 1 });
  const points = useApi<PointsSystem[]>('/points', { limit: 1 });
  const boards = useApi<Leaderboard[]>('/leaderboards', { limit: 1 });
  const templates = useApi<Template[]>('/notifications/templates', { limit: 1 });
  const webhooks = useApi<Webhook[]>('/webhooks', { limit: 1 });
  const recent = useApi<ResponseOf<typeof ListUsers>>(
    '/users',
    { limit: RECENT, sort: 'active' },
    { everyMs: LIVE_MS },
  );
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
    configured(true, 'Metrics', 'metrics'),
    configured(streak.data!.enabled && streak.data!.metrics.length > 0, 'A streak', 'streak'),
    configured(isConfigured(achievements), 'An achievement', 'achievements'),
    configured(isConfigured(points), 'Points', 'points'),
    configured(isConfigured(boards), 'A leaderboard', 'leaderboards'),
    firstEvent(own, metrics.data![0]!.key),
    configured(isConfigured(templates), 'An email or a push notification', 'templates'),
    configured(isConfigured(webhooks), 'A webhook to your backend', 'webhooks'),
  ];
  return (
    <Allowed to="admin">
      <SampleData metrics={metrics.data!} onRemoved={() => location.reload()} />
      <Steps steps={steps} />
    </Allowed>
  );
}

/** What is configured on a screen of its own: the form of the first item, and later the list. */
const configured = (isDone: boolean, label: string, list: string): Step => ({
  isDone,
  label,
  href: `/console/configuration/${list}${isDone || list === 'streak' ? '' : '/new'}`,
});

/** The call to copy, until an event comes from elsewhere than the sample data. */
function firstEvent(own: ListedUser | undefined, metric: string): Step {
  if (own === undefined) {
    const note = (
      <>
        <Snippet metric={metric} />
        <p role="status">Waiting for the first event: it appears here by itself.</p>
      </>
    );
    return { isDone: false, label: 'Send an event from your app', note };
  }
  const note = (
    <>
      From <a href={userAddress(own.id)}>{own.name ?? own.id}</a>
    </>
  );
  return { isDone: true, label: 'The first event of your app', note };
}

interface Step {
  isDone: boolean;
  label: string;
  /** Where it is done, or what was done is shown; without it, `note` says how. */
  href?: string;
  note?: ComponentChildren;
}

/** What is left, then what is done; nothing once all is done. */
function Steps({ steps }: { steps: Step[] }) {
  const [left, done] = [false, true].map((isDone) => steps.filter((step) => step.isDone === isDone));
  if (left!.length === 0) return null;
  return (
    <Card title="First steps" note="What is left to do before users can play.">
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
        {isDone && <span class="tag good">done</span>}
      </span>
      {note && <div>{note}</div>}
    </li>
  );
}
