import { LEADERBOARD_PARTICIPANTS_MAX } from '../../base/limits.ts';
import { Achievements, Attributes, Leaderboards, Metrics } from '../../contract/adminEntities.ts';
import { PointsBoosts, PointsLevels, PointsSystems, PointsTriggers } from '../../contract/adminPoints.ts';
import { NotificationTemplates } from '../../contract/adminTemplates.ts';
import { type Body, sortFilter } from '../../engine/configuration/configDraft.ts';
import { defaultText } from '../../notifications/messages/defaultTexts.ts';
import { dateOfDay, dayOfDate, statusOn } from '../../rules/calendar.ts';
import type {
  Achievement,
  AttributeValue,
  Leaderboard,
  NotificationTemplate,
  PointsTrigger,
} from '../../rules/config.ts';
import { keyFromName } from './achievementKey.ts';
import { type EntityForm, type Surroundings, viewParts } from './entityForm.ts';
import { guardsOf } from './guardRules.ts';
import { runOf } from './weeks.ts';

/**
 * How each kind of entity is read and shown by the Admin API. Whether its fields are valid is checked by
 * configRules.ts and changeRules.ts.
 */

/** Leaves out the fields that are null. */
function present<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>;
}

const badge = {
  badge: (value: { url: string } | null) => ({ badgeUrl: value?.url ?? null }),
};
const viewBadge = (url: string | null): { url: string } | null => (url === null ? null : { url });

const readFilter = (pairs: AttributeValue[] | null): AttributeValue[] =>
  sortFilter((pairs ?? []).map(({ attributeId, attributeValue }) => ({ attributeId, attributeValue })));

const filters = {
  userAttributes: (value: AttributeValue[] | null) => ({ userAttributes: readFilter(value) }),
  eventAttributes: (value: AttributeValue[] | null) => ({ eventAttributes: readFilter(value) }),
};

export const attributeForm: EntityForm<'attributes'> = {
  kind: 'attributes',
  schemas: Attributes,
  defaults: () => ({}),
  view: ({ id, name, key, type }) => ({ id, name, key, type }),
};

export const metricForm: EntityForm<'metrics'> = {
  kind: 'metrics',
  schemas: Metrics,
  defaults: () => ({ unitType: 'number', units: '', guards: null }),
  read: { guards: (value) => ({ guards: guardsOf(value) }) },
  view: ({ id, name, key, unitType, units, guards }) => ({ id, name, key, unitType, units, guards }),
};

/** If the field `choice` changes, the fields that depend on it are reset unless they were given. */
function clearOnChoice<T extends object>(choice: keyof T, defaults: Partial<T>) {
  return (body: T, given: Partial<T>, before: T | null): T => {
    if (before === null || body[choice] === before[choice]) return body;
    return { ...body, ...defaults, ...given };
  };
}

const ACHIEVEMENT_CHOICE = {
  metricId: null,
  metricValue: null,
  streakLength: null,
  anniversaryYears: null,
  achievementIds: [],
  eventAttributes: [],
};

export const achievementForm: EntityForm<'achievements'> = {
  kind: 'achievements',
  schemas: Achievements,
  defaults: () => ({
    ...ACHIEVEMENT_CHOICE,
    key: '',
    description: null,
    badgeUrl: null,
    status: 'inactive',
    hidden: false,
    userAttributes: [],
  }),
  read: { ...badge, ...filters },
  complete: (body, given, before, { config }) => {
    const chosen = clearOnChoice<Body<Achievement>>('trigger', ACHIEVEMENT_CHOICE)(body, given, before);
    const lacksKey = given.key === undefined && before === null && body.trigger !== 'api';
    return lacksKey ? { ...chosen, key: keyFromName(body.name, config) } : chosen;
  },
  view: (achievement) => {
    const { id, key, name, description, badgeUrl, trigger, status, hidden } = achievement;
    const { metricId, metricValue, streakLength, anniversaryYears } = achievement;
    return {
      id,
      key,
      name,
      description,
      badge: viewBadge(badgeUrl),
      trigger,
      status,
      hidden,
      ...present({ metricId, metricValue, streakLength, anniversaryYears }),
      ...(trigger === 'achievement' && { achievementIds: achievement.achievementIds }),
      userAttributes: achievement.userAttributes,
      ...(trigger === 'metric' && { eventAttributes: achievement.eventAttributes }),
    };
  },
};

export const levelForm: EntityForm<'pointsLevels'> = {
  kind: 'pointsLevels',
  schemas: PointsLevels,
  defaults: () => ({ description: '', badgeUrl: null }),
  read: badge,
  view: ({ id, name, key, points, description, badgeUrl }) => ({
    id,
    name,
    key,
    points,
    description,
    badge: viewBadge(badgeUrl),
  }),
};

export const boostForm: EntityForm<'pointsBoosts'> = {
  kind: 'pointsBoosts',
  schemas: PointsBoosts,
  defaults: () => ({ end: null, rounding: 'down', userId: null, userAttributes: [] }),
  read: { userAttributes: filters.userAttributes },
  view: (boost, { today }) => {
    const { id, name, start, end, multiplier, rounding, userId, userAttributes } = boost;
    return {
      id,
      name,
      status: statusOn(boost, today),
      start,
      end,
      multiplier,
      rounding,
      userId,
      userAttributes,
    };
  },
};

const TRIGGER_CHOICE = {
  metricId: null,
  metricThreshold: null,
  achievementId: null,
  streakLength: null,
  timeUnit: null,
  timeInterval: null,
  blockIfOutOfPoints: false,
  eventAttributes: [],
};
const TIME_UNITS = { hour: 'hour', hours: 'hour', day: 'day', days: 'day' } as const;

export const triggerForm: EntityForm<'pointsTriggers'> = {
  kind: 'pointsTriggers',
  schemas: PointsTriggers,
  defaults: () => ({ ...TRIGGER_CHOICE, status: 'inactive', userAttributes: [] }),
  read: {
    ...filters,
    timeUnit: (value: keyof typeof TIME_UNITS | null) => ({ timeUnit: value && TIME_UNITS[value] }),
  },
  complete: clearOnChoice<Body<PointsTrigger>>('type', TRIGGER_CHOICE),
  view: (trigger) => {
    const { id, type, points, status, userAttributes, eventAttributes, timeUnit, blockIfOutOfPoints } =
      trigger;
    const { metricId, metricThreshold, achievementId, streakLength, timeInterval } = trigger;
    return {
      id,
      type,
      points,
      status,
      userAttributes,
      blockIfOutOfPoints,
      ...present({ metricId, metricThreshold, achievementId, streakLength, timeInterval }),
      ...(timeUnit && { timeUnit: `${timeUnit}s` }),
      ...(type === 'metric' && { eventAttributes }),
    };
  },
};

export const systemForm: EntityForm<'pointsSystems'> = {
  kind: 'pointsSystems',
  schemas: PointsSystems,
  defaults: () => ({ description: null, badgeUrl: null, maxPoints: null }),
  // A system without a description is shown with an empty one.
  read: { ...badge, description: (value: string | null) => ({ description: value || null }) },
  parts: { levels: levelForm, boosts: boostForm, triggers: triggerForm },
  view: ({ id, name, key, description, badgeUrl, maxPoints }) => ({
    id,
    name,
    key,
    description: description ?? '',
    status: 'active',
    badge: viewBadge(badgeUrl),
    maxPoints,
  }),
  viewCreated: (system, at) => ({
    ...systemForm.view(system, at),
    levels: viewParts(levelForm, system.id, at),
    boosts: viewParts(boostForm, system.id, at),
    triggers: viewParts(triggerForm, system.id, at),
  }),
};

const LEADERBOARD_CHOICE = { metricId: null, pointsSystemId: null, runUnit: null, runInterval: null };

/** The published API makes a board perpetual by `runUnit` null alone. */
function withoutRuns(board: Body<Leaderboard>, given: Partial<Body<Leaderboard>>): Body<Leaderboard> {
  return given.runUnit === null && given.runInterval === undefined ? { ...board, runInterval: null } : board;
}

/** A stored interval counts days, so weeks need one of their own. */
function withWeeks(board: Body<Leaderboard>, given: Partial<Body<Leaderboard>>): Body<Leaderboard> {
  const unit = given.runUnit as Leaderboard['runUnit'] | 'week' | undefined;
  return unit === 'week' ? { ...board, ...runOf(unit, given.runInterval ?? null) } : board;
}

/**
 * A start in the future makes the board scheduled, unless a status is given. An active board is finished by
 * its end: `finished` ends it with today, and is allowed for a new one whose end has passed.
 */
function withStatus(
  board: Body<Leaderboard>,
  given: Partial<Body<Leaderboard>>,
  before: Body<Leaderboard> | null,
  { today }: Surroundings,
): Body<Leaderboard> {
  if (given.status === 'finished') {
    const date = dateOfDay(today);
    const isOver = board.end !== null && board.end < date;
    if (before?.status === 'active') return { ...board, status: 'active', end: isOver ? board.end : date };
    return before === null && isOver ? { ...board, status: 'active' } : board;
  }
  const begins = given.start !== undefined && dayOfDate(board.start) > today;
  return begins && given.status === undefined && (before === null || before.status === 'inactive')
    ? { ...board, status: 'scheduled' }
    : board;
}

export const leaderboardForm: EntityForm<'leaderboards'> = {
  kind: 'leaderboards',
  schemas: Leaderboards,
  defaults: ({ today }) => ({
    ...LEADERBOARD_CHOICE,
    description: null,
    status: 'inactive',
    maxParticipants: LEADERBOARD_PARTICIPANTS_MAX,
    start: dateOfDay(today),
    end: null,
    startTime: null,
    endTime: null,
    breakdownAttributes: [],
  }),
  complete: (body, given, before, at) => {
    const chosen = clearOnChoice<Body<Leaderboard>>('rankBy', LEADERBOARD_CHOICE)(body, given, before);
    const board = withWeeks(chosen, given);
    return withStatus(withoutRuns(board, given), given, before, at);
  },
  view: (board, { today }) => {
    const { id, name, key, rankBy, maxParticipants, start, breakdownAttributes } = board;
    const status = board.status === 'inactive' ? board.status : statusOn(board, today);
    const { description, metricId, pointsSystemId, end, startTime, endTime, runUnit, runInterval } = board;
    return {
      id,
      name,
      key,
      status,
      rankBy,
      maxParticipants,
      start,
      breakdownAttributes,
      ...present({ description, metricId, pointsSystemId, end, startTime, endTime, runUnit, runInterval }),
    };
  },
};

/** A text that was left out is the default text of the type and channel, until another is given. */
function withDefaultText(
  template: Body<NotificationTemplate>,
  before: Body<NotificationTemplate> | null,
): Body<NotificationTemplate> {
  const [text, textBefore] = [defaultText(template), before && defaultText(before)];
  const choose = (part: 'subject' | 'body'): string => {
    const given: string | undefined = template[part];
    return given === undefined || given === textBefore?.[part] ? text[part] : given;
  };
  return { ...template, subject: choose('subject'), body: choose('body') };
}

export const templateForm: EntityForm<'notificationTemplates'> = {
  kind: 'notificationTemplates',
  schemas: NotificationTemplates,
  defaults: () => ({ status: 'inactive', frequency: null, userAttributes: [] }),
  read: { userAttributes: filters.userAttributes },
  complete: (body, given, before) => {
    const isOfType = body.type === 'recap' || given.frequency;
    return { ...withDefaultText(body, before), frequency: (isOfType && body.frequency) || null };
  },
  view: ({ id, name, type, channel, status, subject, body, frequency, userAttributes }) => ({
    id,
    name,
    type,
    channel,
    status,
    subject,
    body,
    ...present({ frequency: frequency ?? null }),
    userAttributes,
  }),
};
