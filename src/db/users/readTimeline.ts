import type { Rows } from '../rows.ts';
import { type Source, TIMELINE_SOURCES, type TimelineSource } from './timelineSources.ts';
import type { UserKey } from './userMap.ts';

/**
 * A user's timeline, newest first: the merged rows of several tables of the history. Each source reads at
 * most as many rows as the page may have, by an index, so the cost of a page does not grow with the length of
 * the history.
 */
export interface TimelineRow {
  source: TimelineSource;
  /** Milliseconds since 1970. */
  at: number;
  /** Orders rows of a source at the same instant; unique among them. */
  key: number;
  /** Columns of the source (src/db/users/timelineSources.ts). */
  detail: Record<string, unknown>;
}

/** Position of the last row of the previous page. */
export type TimelinePosition = Pick<TimelineRow, 'source' | 'at' | 'key'>;

/** Numbers of the configured entities whose rows are read. */
export interface TimelineScope {
  metrics: number[];
  systems: number[];
  leaderboards: number[];
}

/** Greater than every instant, and than every key. */
const LAST_AT = 8_640_000_000_000_000;
const KEY_MAX = Number.MAX_SAFE_INTEGER;

export async function readTimeline(
  rows: Rows,
  { tenant, userId }: UserKey,
  scope: TimelineScope,
  {
    sources,
    position,
    limit,
  }: { sources: readonly TimelineSource[]; position: TimelinePosition | null; limit: number },
): Promise<TimelineRow[]> {
  const order = Object.keys(TIMELINE_SOURCES) as TimelineSource[];
  const orderOf = (source: TimelineSource): number => order.indexOf(source);
  const found = await Promise.all(
    sources.map(async (source) => {
      const { text, scope: scopeName }: Source = TIMELINE_SOURCES[source];
      const at = position?.at ?? LAST_AT;
      // At the instant at which the previous page ended, all rows of later sources are left, and none of
      // earlier sources.
      const after = position === null ? 1 : orderOf(source) - orderOf(position.source);
      const key = after > 0 ? KEY_MAX : after < 0 ? -1 : position!.key;
      const values = [tenant, userId, at, key, limit, ...(scopeName ? [scope[scopeName]] : [])];
      const own = await rows<Omit<TimelineRow, 'source'>>({ name: `timeline ${source}`, text }, values);
      return own.map((row) => ({ ...row, source }));
    }),
  );
  return found
    .flat()
    .sort((a, b) => b.at - a.at || orderOf(a.source) - orderOf(b.source) || b.key - a.key)
    .slice(0, limit);
}
