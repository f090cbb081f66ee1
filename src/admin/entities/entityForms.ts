import { Achievements, Attributes, Metrics } from '../../contract/adminEntities.ts';
import { PointsBoosts, PointsLevels, PointsSystems, PointsTriggers } from '../../contract/adminPoints.ts';
import { NotificationTemplates } from '../../contract/adminTemplates.ts';
import type { Body } from '../../engine/configuration/configDraft.ts';
import { defaultText } from '../../notifications/messages/defaultTexts.ts';
import { statusOn } from '../../rules/calendar.ts';
import type { Achievement, NotificationTemplate, PointsTrigger } from '../../rules/config.ts';
import { keyFromName } from './achievementKey.ts';
import { type EntityForm, viewParts } from './entityForm.ts';
import { clearOnChoice, filters, present } from './formFields.ts';
import { guardsOf } from './guardRules.ts';

/**
 * How each kind of entity is read and shown by the Admin API. Whether its fields are valid is checked by
 * configRules.ts and changeRules.ts.
 */

const badge = {
  badge: (value: { url: string } | null) => ({ badgeUrl: value?.url ?? null }),
};
const viewBadge = (url: string | null): { url: string } | null => (url === null ? null : { url });

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
