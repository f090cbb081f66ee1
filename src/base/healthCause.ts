import { LAG_SECONDS_MIN } from './healthLimits.ts';

/** Deliveries are repeated, so some delay is usual. */
const DELIVERY_LATE_SECONDS_MIN = 600;
/** Servers and workers give a sign of life every 5 s. */
const SILENT_SECONDS_MAX = 15;

/** What can be wrong with the service, the worst first. */
export const HEALTH_CAUSES = [
  'servers',
  'workers',
  'redis',
  'postgres',
  'history',
  'deadEntries',
  'leaderboards',
  'deliveries',
] as const;
export type HealthCause = (typeof HEALTH_CAUSES)[number];

/** What tells the health. A part that cannot be read is null. */
export interface HealthParts {
  outbox: { entries: number; oldestSeconds: number } | null;
  deadEntries: number | null;
  deliveries: { oldestSeconds: number | null }[] | null;
  leaderboardsOverdue: number | null;
}

export const isHistoryBehind = ({ entries, oldestSeconds }: NonNullable<HealthParts['outbox']>): boolean =>
  entries > 0 && oldestSeconds >= LAG_SECONDS_MIN;

export const isDeliveryLate = ({ oldestSeconds }: { oldestSeconds: number | null }): boolean =>
  (oldestSeconds ?? 0) > DELIVERY_LATE_SECONDS_MIN;

export const isSilent = ({ silentSeconds }: { silentSeconds: number }): boolean =>
  silentSeconds > SILENT_SECONDS_MAX;

/** The one cause that matters most; null while all is well. */
export function findHealthCause({
  outbox,
  deadEntries,
  deliveries,
  leaderboardsOverdue,
}: HealthParts): HealthCause | null {
  if (outbox === null) return 'redis';
  if (deadEntries === null || deliveries === null) return 'postgres';
  if (isHistoryBehind(outbox)) return 'history';
  if (deadEntries > 0) return 'deadEntries';
  if (leaderboardsOverdue) return 'leaderboards';
  return deliveries.some(isDeliveryLate) ? 'deliveries' : null;
}
