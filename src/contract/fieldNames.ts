/** Names of stored fields where a configuration file, which refers by key, has another one. */
export const FILE_NAMES = {
  badgeUrl: 'badge',
  metricId: 'metric',
  achievementId: 'achievement',
  achievementIds: 'achievements',
  pointsSystemId: 'points',
  systemId: 'system',
} as const;
/** The same for the Admin API, which refers by id. */
export const API_NAMES = { badgeUrl: 'badge' } as const;

type NameIn<Names, N> = N extends keyof Names ? Names[N] : N;
export type FileName<N> = NameIn<typeof FILE_NAMES, N>;
export type ApiName<N> = NameIn<typeof API_NAMES, N>;

export const fileName = (stored: string): string => (FILE_NAMES as Record<string, string>)[stored] ?? stored;
export const apiName = (stored: string): string => (API_NAMES as Record<string, string>)[stored] ?? stored;

/** How a fault of a badge is named: by the only field that it has. */
const BADGE_FAULT = 'badge.url';
export const faultInFile = (stored: string): string =>
  stored === 'badgeUrl' ? BADGE_FAULT : fileName(stored);
export const faultInApi = (stored: string): string => (stored === 'badgeUrl' ? BADGE_FAULT : apiName(stored));
