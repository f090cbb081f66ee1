import type { TSchema } from 'typebox';
import {
  date,
  flag,
  id,
  instant,
  list,
  maybe,
  number,
  object,
  oneOf,
  orNull,
  type Promised,
  text,
  time,
  whole,
} from './shapes.ts';

const filter = object({ attributeId: id, attributeValue: text });
const badge = orNull(object({ url: text }));

const issue = object({
  id: maybe(text),
  userId: maybe(text),
  boostId: maybe(text),
  index: maybe(whole),
  severity: oneOf('error', 'warning'),
  message: text,
});
const issues = list(issue);
const deleted = object({ deleted: list(object({ id })), issues });

/** The five calls of a kind that the Admin API configures. */
const crud = (name: string, item: TSchema, created = item): Record<string, Promised> => ({
  [`${name}.list`]: { status: 200, body: list(item) },
  [`${name}.create`]: { status: 201, body: object({ created: list(created), issues }) },
  [`${name}.get`]: { status: 200, body: item },
  [`${name}.update`]: { status: 200, body: object({ updated: list(item), issues }) },
  [`${name}.delete`]: { status: 200, body: deleted },
});

const adminBoard = object({
  id,
  name: text,
  key: text,
  description: maybe(text),
  status: oneOf('inactive', 'active', 'scheduled', 'finished'),
  rankBy: oneOf('metric', 'streak', 'points'),
  metricId: maybe(id),
  pointsSystemId: maybe(id),
  maxParticipants: orNull(whole),
  start: date,
  end: maybe(date),
  startTime: maybe(time),
  endTime: maybe(time),
  breakdownAttributes: list(id),
  runUnit: maybe(oneOf('day', 'month', 'year')),
  runInterval: maybe(whole),
});
const adminLevel = object({ id, name: text, key: text, points: whole, description: text, badge });
const adminBoost = object({
  id,
  name: text,
  status: oneOf('active', 'scheduled', 'finished'),
  start: date,
  end: orNull(date),
  multiplier: number,
  rounding: oneOf('down', 'up', 'nearest'),
  userId: orNull(text),
  userAttributes: maybe(list(filter)),
});
const adminTrigger = object({
  id,
  type: oneOf('metric', 'achievement', 'streak', 'time', 'user_creation'),
  points: whole,
  status: oneOf('active', 'inactive'),
  userAttributes: list(filter),
  metricId: maybe(id),
  metricThreshold: maybe(whole),
  eventAttributes: maybe(list(filter)),
  achievementId: maybe(id),
  streakLength: maybe(whole),
  timeUnit: maybe(oneOf('hours', 'days')),
  timeInterval: maybe(whole),
  blockIfOutOfPoints: flag,
});
const system = {
  id,
  name: text,
  key: text,
  description: text,
  status: oneOf('active', 'archived'),
  badge,
  maxPoints: orNull(whole),
};
const nested = { levels: list(adminLevel), boosts: maybe(list(adminBoost)), triggers: list(adminTrigger) };
const tenant = object({
  id,
  customerId: text,
  name: text,
  status: oneOf('active', 'archived'),
  created: instant,
  updated: instant,
});
const adminMetric = object({ id, name: text, key: text, unitType: oneOf('number', 'currency'), units: text });
const pause = object({ id, userId: id, start: date, end: date, status: oneOf('active', 'archived') });

/** Answers of the Admin API by the method that asks. */
export const ADMIN_PROMISES: Record<string, Promised> = {
  ...crud('admin.attributes', object({ id, name: text, key: text, type: oneOf('user', 'event') })),
  ...crud('admin.metrics', adminMetric),
  ...crud('admin.leaderboards', adminBoard),
  ...crud('admin.points.systems', object(system), object({ ...system, ...nested })),
  ...crud('admin.points.levels', adminLevel),
  ...crud('admin.points.boosts', adminBoost),
  ...crud('admin.points.triggers', adminTrigger),
  ...crud('admin.tenants', tenant),
  'admin.metrics.batchEvents': { status: 202, body: object({ accepted: whole }) },
  'admin.streaks.freezes.create': { status: 201, body: object({ issues }) },
  'admin.streaks.pauses.create': { status: 201, body: object({ created: list(pause), issues }) },
  'admin.streaks.pauses.delete': { status: 200, body: deleted },
  'admin.streaks.restore': { status: 200, body: object({ restoredUsers: list(id), issues }) },
  'admin.applicationApiKeys.create': {
    status: 201,
    body: object({ created: list(object({ id, userId: id, key: text, prefix: text })), issues }),
  },
  'admin.applicationApiKeys.delete': { status: 200, body: deleted },
};
