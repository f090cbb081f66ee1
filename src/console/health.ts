import { findHealthCause, type HealthCause, isDeliveryLate } from '../base/healthCause.ts';
import type { RecordedOutage } from '../contract/outages.ts';
import type { Status } from '../contract/status.ts';
import { describeLag, isRelaySilent } from './api/historyLag.ts';
import { count, formatDuration } from './format.ts';

/** How the service is, with the one cause that matters most. */
export interface Health {
  level: 'green' | 'amber' | 'red';
  cause: string;
  /** Title of the section of docs/runbooks.md that says what to do. */
  runbook: string | null;
}

/** Classes of the tags that show a level. */
export const LEVEL_TAGS = { green: 'good', amber: 'warn', red: 'bad' };

/** The section of the runbooks. */
export const runbookAddress = (title: string): string => `/docs/runbooks.md#${title.toLowerCase()}`;

type Described = Omit<Health, 'cause'> & { level: 'amber' | 'red' };

/** Of each cause; the history is red only while no worker answers. */
const CAUSES: Record<HealthCause, Described> = {
  servers: { level: 'red', runbook: 'LaurelDown' },
  workers: { level: 'red', runbook: 'LaurelRelayBehind' },
  redis: { level: 'red', runbook: 'LaurelRedisAway' },
  postgres: { level: 'red', runbook: 'LaurelPostgresAway' },
  history: { level: 'amber', runbook: 'LaurelRelayBehind' },
  deadEntries: { level: 'amber', runbook: 'LaurelDeadEntries' },
  leaderboards: { level: 'amber', runbook: 'LaurelLeaderboardsOverdue' },
  deliveries: { level: 'amber', runbook: 'LaurelDeliveriesLate' },
};

/** @param status null if the server does not answer */
export function healthOf(status: Status | null): Health {
  if (status === null) return { ...CAUSES.servers, cause: 'laurel does not answer.' };
  const found = status.queues === null ? 'redis' : findHealthCause(status);
  if (found === null) return { level: 'green', cause: 'Everything works.', runbook: null };
  const described = CAUSES[found === 'history' && isRelaySilent(status) ? 'workers' : found];
  return { ...described, cause: describeCause(found, status) };
}

function describeCause(cause: HealthCause, status: Status): string {
  const { deadEntries, leaderboardsOverdue, deliveries } = status;
  if (cause === 'redis') return 'Redis does not answer.';
  if (cause === 'postgres') return 'PostgreSQL does not answer.';
  if (cause === 'deadEntries') return `${count(deadEntries!, 'entry', 'entries')} could not be stored.`;
  if (cause === 'leaderboards')
    return `${count(leaderboardsOverdue!, 'leaderboard is', 'leaderboards are')} overdue.`;
  const late = deliveries!.find(isDeliveryLate);
  if (cause === 'deliveries')
    return `Deliveries by ${late!.channel} have been due for ${formatDuration(late!.oldestSeconds!)}.`;
  return `${describeLag(status)} What happened since is counted, but not shown yet.`;
}

const PAST_TEXT: Record<HealthCause, string> = {
  servers: 'No server ran',
  workers: 'No worker ran',
  redis: 'Redis could not be used',
  postgres: 'PostgreSQL could not be used',
  history: 'The history was behind',
  deadEntries: 'Entries could not be stored',
  leaderboards: 'Leaderboards were overdue',
  deliveries: 'Deliveries were late',
};

/** An outage in the words of lists and marks: "Redis could not be used". */
export const outageText = ({ cause }: RecordedOutage): string => PAST_TEXT[cause];
export const outageLevel = ({ cause }: RecordedOutage): 'amber' | 'red' => CAUSES[cause].level;
