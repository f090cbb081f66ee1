import Type from 'typebox';
import { UserAchievementResponse } from './achievement.ts';
import { operation } from './operation.ts';
import { keyPath, userPath } from './schemas.ts';
import { EventSummary, EventSummaryQuery } from './summary.ts';

/** A metric with the user's total and the achievements that depend on it. */
export const MetricResponse = Type.Object(
  {
    id: Type.String(),
    key: Type.String(),
    name: Type.String(),
    status: Type.Enum(['active'], { description: 'Always `active`.' }),
    current: Type.Number({ format: 'double', description: "The user's total." }),
    achievements: Type.Array(UserAchievementResponse),
  },
  { $id: 'MetricResponse' },
);
export type MetricResponse = Type.Static<typeof MetricResponse>;

const metricPath = keyPath('metric');

export const ListUserMetrics = operation({
  tag: 'Metrics',
  summary: "List a user's metrics",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  responses: { 200: Type.Array(MetricResponse) },
  mayMiss: true,
});

export const GetUserMetric = operation({
  tag: 'Metrics',
  summary: "Get a user's metric",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...metricPath }),
  responses: { 200: MetricResponse },
  mayMiss: true,
});

export const GetMetricEventSummary = operation({
  tag: 'Metrics',
  summary: "Summarize a user's metric",
  description: 'One item for each period of the range.',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...metricPath }),
  query: EventSummaryQuery,
  responses: { 200: EventSummary },
  mayMiss: true,
});
