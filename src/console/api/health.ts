import { signal } from '@preact/signals';
import {
  findHealthCause,
  type HealthCause,
  isDeliveryLate,
  isHistoryBehind,
} from '../../base/healthCause.ts';
import type { RecordedOutage } from '../../contract/outages.ts';
import type { Status } from '../../contract/status.ts';
import { formatDuration } from '../text/format.ts';
import { plural, t, translated } from '../text/translate.ts';

/** State of the service, with its most important cause. */
export interface Health {
  level: 'green' | 'amber' | 'red';
  cause: string;
  /** Section of docs/runbooks.md. */
  runbook: string | null;
}

/** Classes of the tags that show a level. */
export const LEVEL_TAGS = { green: 'good', amber: 'warn', red: 'bad' };

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
  if (status === null) return { ...CAUSES.servers, cause: t('Can’t reach laurel.') };
  const found = status.queues === null ? 'redis' : findHealthCause(status);
  if (found === null) return { level: 'green', cause: t('All systems operational.'), runbook: null };
  const described = CAUSES[found === 'history' && isRelaySilent(status) ? 'workers' : found];
  return { ...described, cause: describeCause(found, status) };
}

function describeCause(cause: HealthCause, status: Status): string {
  const { deadEntries, leaderboardsOverdue, deliveries } = status;
  if (cause === 'redis') return t('Redis does not answer.');
  if (cause === 'postgres') return t('PostgreSQL does not answer.');
  if (cause === 'deadEntries')
    return plural(deadEntries!, '{n} entry could not be stored.', '{n} entries could not be stored.');
  if (cause === 'leaderboards')
    return plural(leaderboardsOverdue!, '{n} leaderboard is overdue.', '{n} leaderboards are overdue.');
  const late = deliveries!.find(isDeliveryLate);
  if (cause === 'deliveries')
    return t('Deliveries by {channel} are {delay} late.', {
      channel: translated(late!.channel),
      delay: formatDuration(late!.oldestSeconds!),
    });
  return `${describeLag(status)} ${t('Newer events are counted but not shown yet.')}`;
}

/** Relays ask for entries at least this often. */
const SILENCE_SECONDS_MAX = 10;

/** How far the history is behind, in words; null if it is not. */
export const historyLag = signal<string | null>(null);

/** The banner shows what is wrong, so the parts of a screen need not. */
export const isServiceBroken = signal(false);

/** Whether no worker writes the history. */
function isRelaySilent({ outbox }: Status): boolean {
  const seconds = outbox?.relaySilentSeconds ?? null;
  return seconds === null || seconds > SILENCE_SECONDS_MAX;
}

export function describeLag(status: Status): string | null {
  const { outbox } = status;
  if (outbox === null || !isHistoryBehind(outbox)) return null;
  const cause = isRelaySilent(status) ? t('no worker answers') : t('a worker is catching up');
  return plural(
    Math.round(outbox.oldestSeconds),
    'The history is {n} second behind; {cause}.',
    'The history is {n} seconds behind; {cause}.',
    { cause },
  );
}

const PAST_TEXT: Record<HealthCause, string> = {
  servers: t('No server was running'),
  workers: t('No worker was running'),
  redis: t('Redis was unavailable'),
  postgres: t('PostgreSQL was unavailable'),
  history: t('The history was behind'),
  deadEntries: t('Entries could not be stored'),
  leaderboards: t('Leaderboards were overdue'),
  deliveries: t('Deliveries were late'),
};

/** An outage in lists and charts: "Redis was unavailable". */
export const outageText = ({ cause }: RecordedOutage): string => PAST_TEXT[cause];
export const outageLevel = ({ cause }: RecordedOutage): 'amber' | 'red' => CAUSES[cause].level;
