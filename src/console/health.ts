import type { Status } from '../contract/status.ts';
import { describeLag } from './api/historyLag.ts';
import { count, formatDuration } from './format.ts';

/** How the service is, with the one cause that matters most. */
export interface Health {
  level: 'green' | 'amber' | 'red';
  cause: string;
  /** Title of the section of docs/runbooks.md that says what to do. */
  runbook: string | null;
}

/** The section of the runbooks. */
export const runbookAddress = (title: string): string => `/docs/runbooks.md#${title.toLowerCase()}`;

/** Deliveries are repeated, so some delay is usual. */
const DELIVERY_SECONDS_MAX = 600;

const red = (cause: string, runbook: string): Health => ({ level: 'red', cause, runbook });
const amber = (cause: string, runbook: string): Health => ({ level: 'amber', cause, runbook });

/** @param status null if the server does not answer */
export function healthOf(status: Status | null): Health {
  if (status === null) return red('laurel does not answer.', 'LaurelDown');
  const { outbox, queues, deadEntries, deliveries, leaderboardsOverdue } = status;
  if (outbox === null || queues === null) return red('Redis does not answer.', 'LaurelRedisAway');
  if (deadEntries === null || deliveries === null)
    return red('PostgreSQL does not answer.', 'LaurelPostgresAway');
  const lag = describeLag(status);
  if (lag !== null) {
    const text = `${lag} What happened since is counted, but not shown yet.`;
    return lag.endsWith('no worker answers.')
      ? red(text, 'LaurelRelayBehind')
      : amber(text, 'LaurelRelayBehind');
  }
  if (deadEntries > 0)
    return amber(`${count(deadEntries, 'entry', 'entries')} could not be stored.`, 'LaurelDeadEntries');
  if (leaderboardsOverdue)
    return amber(
      `${count(leaderboardsOverdue, 'leaderboard is', 'leaderboards are')} overdue.`,
      'LaurelLeaderboardsOverdue',
    );
  const late = deliveries.find(({ oldestSeconds }) => (oldestSeconds ?? 0) > DELIVERY_SECONDS_MAX);
  if (late)
    return amber(
      `Deliveries by ${late.channel} have been due for ${formatDuration(late.oldestSeconds!)}.`,
      'LaurelDeliveriesLate',
    );
  return { level: 'green', cause: 'Everything works.', runbook: null };
}
