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
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Card } from '../../ui/Page.tsx';
import { SampleData } from '../start/SampleData.tsx';
import { Snippet } from '../start/Snippet.tsx';
import { StarterTemplates } from '../start/StarterTemplates.tsx';
import { SAMPLE_PREFIX } from '../start/sampleData.ts';
import { userAddress } from '../users/userAddress.ts';

/** Users among whom one who is no sample user is looked for. */
const RECENT = 50;

/** What a new installation still needs; nothing once it is complete. */
export function FirstSteps() {
  const metrics = useList<Metric>('/metrics');
  const streak = useApi<StreakSettings>('/streaks/settings').data;
  const achievements = useApi<Achievement[]>('/achievements', { limit: 1 }).data;
  const points = useApi<PointsSystem[]>('/points', { limit: 1 }).data;
  const boards = useApi<Leaderboard[]>('/leaderboards', { limit: 1 }).data;
  const templates = useApi<Template[]>('/notifications/templates', { limit: 1 }).data;
  const webhooks = useApi<Webhook[]>('/webhooks', { limit: 1 }).data;
  const recent = useApi<ResponseOf<typeof ListUsers>>(
    '/users',
    { limit: RECENT, sort: 'active' },
    { everyMs: LIVE_MS },
  ).data?.users;
  if (!metrics.data || !streak || !achievements || !points) return null;
  if (!boards || !templates || !webhooks || !recent) return null;
  if (metrics.data.length === 0)
    return (
      <Allowed to="admin">
        <StarterTemplates onDone={() => location.reload()} />
      </Allowed>
    );
  const own = recent.find(({ id }) => !id.startsWith(SAMPLE_PREFIX));
  const steps: Step[] = [
    { isDone: true, label: 'Metrics' },
    {
      isDone: streak.enabled && streak.metrics.length > 0,
      label: 'A streak',
      href: '/console/configuration/streak',
    },
    {
      isDone: achievements.length > 0,
      label: 'An achievement',
      href: '/console/configuration/achievements/new',
    },
    { isDone: points.length > 0, label: 'Points', href: '/console/configuration/points/new' },
    { isDone: boards.length > 0, label: 'A leaderboard', href: '/console/configuration/leaderboards/new' },
    firstEvent(own, metrics.data[0]!.key),
    {
      isDone: templates.length > 0,
      label: 'An email or a push notification',
      href: '/console/configuration/templates/new',
    },
    {
      isDone: webhooks.length > 0,
      label: 'A webhook to your backend',
      href: '/console/configuration/webhooks/new',
    },
  ];
  return (
    <Allowed to="admin">
      <SampleData metrics={metrics.data} onRemoved={() => location.reload()} />
      <Steps steps={steps} />
    </Allowed>
  );
}

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
  /** Where it is done; without it, `note` says how. */
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
        {isDone || href === undefined ? <strong>{label}</strong> : <a href={href}>{label}</a>}
        {isDone && <span class="tag good">done</span>}
      </span>
      {note && <div>{note}</div>}
    </li>
  );
}
