import {
  GetUserTimeline,
  TIMELINE_KINDS,
  type TimelineItem,
  type TimelineKind,
} from '../../contract/timeline.ts';
import {
  readTimeline,
  TIMELINE_SOURCES,
  type TimelinePosition,
  type TimelineRow,
  type TimelineSource,
} from '../../db/users/readTimeline.ts';
import { unknownUser } from '../../engine/calls/userRefusals.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { causesNamed, timelineItemView } from '../history/timelineView.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { findPathUser } from '../users/userHandlers.ts';

const SOURCES_OF: Record<TimelineKind, TimelineSource[]> = {
  created: ['created'],
  event: ['event'],
  streak: ['extension', 'loss', 'earnedFreezes'],
  achievement: ['achievement', 'repeated'],
  challenge: ['challenge'],
  points: ['points'],
  rank: ['rank'],
  result: ['result'],
  notification: ['notification'],
  admin: ['admin'],
};

type Position = [source: TimelineSource, at: number, key: number];

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  value.length === 3 &&
  Object.hasOwn(TIMELINE_SOURCES, value[0]) &&
  Number.isSafeInteger(value[1]) &&
  Number.isSafeInteger(value[2]);

export const getUserTimeline = endpoint(GetUserTimeline, async (call) => {
  const { service, path, query } = call;
  const last = readCursor(query.cursor, isPosition);
  const { user, rules } = await findPathUser(call);
  const { config, tenant } = rules;
  const kinds: readonly TimelineKind[] = query.kinds ?? TIMELINE_KINDS;
  const nos = (entities: { no: number }[]): number[] => entities.map(({ no }) => no);
  const scope = {
    metrics: nos(config.metrics),
    systems: nos(config.pointsSystems),
    leaderboards: nos(config.leaderboards),
  };
  const position: TimelinePosition | null = last && { source: last[0], at: last[1], key: last[2] };
  const userKey = { tenant, userId: path.id };
  const { found, causes } = await service.history.readUser(userKey, async (rows) => {
    const page = await readTimeline(rows, userKey, scope, {
      sources: kinds.flatMap((kind) => SOURCES_OF[kind]),
      position,
      limit: query.limit,
    });
    return { found: page, causes: await findCauses(rows, rules, causesNamed(page)) };
  });
  if (user === null && found.length === 0) {
    throw unknownUser(path.id);
  }
  return ok({
    items: found.map((row): TimelineItem => timelineItemView(causes, row)),
    cursor: found.length < query.limit ? null : cursorOf(found.at(-1)!),
  });
});

const cursorOf = ({ source, at, key }: TimelineRow): string | null => writeCursor([source, at, key]);
