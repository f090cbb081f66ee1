import type { GetUserPointsResponse, MetricResponse, StreakResponse } from './generated.js';
import type { KeyOf } from './keys.js';

/** What the caller of `record` expects an event to change besides the total of its metric. */
export interface Expected {
  /** Points that it adds, by key of the points system. */
  points?: { [K in KeyOf<'points'>]?: number };
  /** Whether it extends the streak, if the period has not extended it yet. */
  extendsStreak?: boolean;
}

/** An event that was sent, and that the data do not contain yet. */
export interface Prediction {
  /** Data that were read later may contain the event. */
  sentAt: number;
  metric: string;
  value: number;
  expected: Expected;
}

/** Whether the period that goes on has extended the streak. */
export const isExtended = ({ length, expires, periodEnd }: StreakResponse): boolean =>
  length > 0 && (expires === null || expires > periodEnd!);

/** What an operation would answer after the event. @param key the configured key that it reads */
export function predict(
  operation: string,
  key: string | undefined,
  data: unknown,
  event: Prediction,
): unknown {
  const { metric, value, expected } = event;
  const addTo = (read: MetricResponse): MetricResponse =>
    read.key === metric ? { ...read, current: read.current + value } : read;
  switch (operation) {
    case 'getUserMetric':
      return addTo(data as MetricResponse);
    case 'listUserMetrics':
      return (data as MetricResponse[]).map(addTo);
    case 'getUserPoints':
      return addPoints(data as GetUserPointsResponse, expected.points?.[key as KeyOf<'points'>]);
    case 'getUserStreak':
      return expected.extendsStreak ? extend(data as StreakResponse) : data;
    default:
      return data;
  }
}

function addPoints(points: GetUserPointsResponse, added = 0): GetUserPointsResponse {
  const total = points.total + added;
  return added === 0 ? points : { ...points, total: Math.min(total, points.maxPoints ?? total) };
}

/** Until the answer comes, nobody knows when the extended streak expires. */
function extend(streak: StreakResponse): StreakResponse {
  return isExtended(streak) ? streak : { ...streak, length: streak.length + 1, expires: null };
}
