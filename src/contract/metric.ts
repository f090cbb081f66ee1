import Type from 'typebox';
import { UserAchievementResponse } from './achievement.ts';
import { operation } from './operation.ts';
import { double, keyPath, named, userPath } from './schemas.ts';
import { EventSummary, EventSummaryQuery } from './summary.ts';

/** A metric with the user's total and the achievements that depend on it. */
export const MetricResponse = named('MetricResponse', {
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  status: Type.Enum(['active'], { description: 'Always `active`.' }),
  current: double("The user's total."),
  achievements: Type.Array(UserAchievementResponse),
});
export type MetricResponse = Type.Static<typeof MetricResponse>;

const metricPath = keyPath('metric');

export const ListUserMetrics = operation({
  name: 'listUserMetrics',
  route: 'GET /users/{id}/metrics',
  tag: 'Metrics',
  summary: "List a user's metrics",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  responses: { 200: Type.Array(MetricResponse) },
});

export const GetUserMetric = operation({
  name: 'getUserMetric',
  route: 'GET /users/{id}/metrics/{key}',
  tag: 'Metrics',
  summary: "Get a user's metric",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...metricPath }),
  responses: { 200: MetricResponse },
});

export const GetMetricEventSummary = operation({
  name: 'getMetricEventSummary',
  route: 'GET /users/{id}/metrics/{key}/event-summary',
  tag: 'Metrics',
  summary: "Summarize a user's metric",
  description: 'One item for each period of the range.',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...metricPath }),
  query: EventSummaryQuery,
  responses: { 200: EventSummary },
});
