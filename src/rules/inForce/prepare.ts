import { didYouMean } from '../../base/closest.ts';
import { ServiceError } from '../../base/errors.ts';
import { idempotencyIdentity, uniformShare } from '../../base/ids.ts';
import { parseInstant } from '../../base/instant.ts';
import { isStorable } from '../../base/text.ts';
import type { EventRequest } from '../../contract/event.ts';
import { refused } from '../../contract/refusal.ts';
import type { AttributeInput } from '../../contract/schemas.ts';
import {
  isProfileField,
  PROFILE_FIELDS,
  type Profile,
  type ProfileField,
  type UpdatedUser,
} from '../../contract/user.ts';
import { isTimeZone, utcDateOf } from '../calendar.ts';
import type { NamedCounters } from '../conditions/namedCounters.ts';
import { MUST_BE, typedText } from '../conditions/typedValues.ts';
import type { Attribute, Metric } from '../config.ts';
import type { Rules } from './rules.ts';

/**
 * Attributes as the scripts take them: no, value, no, value, …; false clears. Those of an event may be
 * followed by derived ones (conditions/derivedAttributes.ts).
 */
type AttributePairs = (number | string | boolean)[];

type ProfileValue = NonNullable<Profile[ProfileField]>;

/** A user's fields as the scripts take them: null has become false, attribute keys have become numbers. */
export type ScriptProfile = { [Name in ProfileField]?: NonNullable<Profile[Name]> | false } & {
  /** Is taken from the user's device tokens; then nothing else is passed. */
  lostDeviceToken?: string;
  attributes?: AttributePairs;
};

/**
 * Whether a new user is put into the control group. Decided once, when the user is created, by tenant and id
 * alone.
 * @param controlRatio percent of users in the control group
 */
export function isInControlGroup(tenant: number, userId: string, controlRatio: number): boolean {
  return controlRatio > 0 && uniformShare(['control', tenant, userId]) * 100 < controlRatio;
}

/** The error for the key of a metric that does not exist. */
export function unknownMetric({ metricByKey }: Rules, key: string): ServiceError {
  const meant = didYouMean(key, metricByKey.keys());
  return refused('notFound', 'unknownMetric', `Metric ${key} does not exist${meant}`);
}

function assertText(field: string, text: string): void {
  if (!isStorable(text)) {
    throw new ServiceError('invalid', `${field} must be valid Unicode without NUL`);
  }
}

/** Parts of a path that HTTP clients and proxies resolve, also if they are percent-encoded. */
const UNREACHABLE_IDS = ['.', '..'];

export function assertUserId(userId: string): void {
  assertText('user.id', userId);
  if (UNREACHABLE_IDS.includes(userId)) {
    throw new ServiceError('invalid', 'user.id must not be . or .., because clients remove them from URLs');
  }
}

function prepareAttributes(
  known: Map<string, Attribute>,
  values: Record<string, AttributeInput | null>,
  field: string,
): AttributePairs {
  const pairs: AttributePairs = [];
  const unknown: string[] = [];
  for (const key in values) {
    const attribute = known.get(key);
    const value = values[key] ?? null;
    if (attribute === undefined) unknown.push(key);
    else pairs.push(attribute.no, value === null ? false : attributeText(attribute, value, field));
  }
  if (unknown.length > 0) {
    const hint = unknown.length === 1 ? didYouMean(unknown[0]!, known.keys()) : '';
    throw refused(
      'invalid',
      'unknownAttribute',
      `Invalid attribute keys: ${unknown.join(', ')}${hint || '.'} Please ensure all keys match the attributes set up in the configuration.`,
    );
  }
  return pairs;
}

/** @throws ServiceError `invalid` unless the value is of the type of the attribute */
function attributeText({ key, valueType }: Attribute, value: AttributeInput, field: string): string {
  const text = typedText(valueType, value);
  if (text === null) {
    throw new ServiceError(
      'invalid',
      `${field}.${key} must be ${MUST_BE[valueType]}, not ${JSON.stringify(value)}`,
    );
  }
  assertText(`${field}.${key}`, text);
  return text;
}

/** The attributes of an event, false if there are none, and what else it tells the scripts. */
function attributesOfEvent(
  rules: Rules,
  metric: Metric,
  { attributes, value }: Pick<EventRequest, 'attributes' | 'value'>,
): Pick<PreparedEvent, 'attributes' | 'named'> {
  const own =
    attributes !== undefined && prepareAttributes(rules.eventAttributeByKey, attributes, 'attributes');
  const { derived, named } = rules.attributeReaderOf(metric).read(attributes ?? NO_ATTRIBUTES, value);
  return { attributes: derived.length === 0 ? own : [...(own || []), ...derived], named };
}

/** Texts of a certain form: as they are stored, null if they have another form. */
const FORMS: Partial<Record<ProfileField, { stored(text: string): string | null; must: string }>> = {
  tz: {
    stored: (zone) => (isTimeZone(zone) ? zone : null),
    must: 'be an IANA time zone name such as Europe/London',
  },
  signUpDate: { stored: utcDateOf, must: 'be an existing date or a date-time' },
};

/** @throws ServiceError `invalid` */
function prepareField(name: ProfileField, value: ProfileValue): ProfileValue {
  if (Array.isArray(value)) for (const text of value) assertText(`user.${name}`, text);
  if (typeof value !== 'string') return value;
  const form = FORMS[name];
  if (form === undefined) {
    assertText(`user.${name}`, value);
    return value;
  }
  const stored = form.stored(value);
  if (stored === null) throw new ServiceError('invalid', `user.${name} must ${form.must}`);
  return stored;
}

/**
 * @throws ServiceError `invalid` that names an unknown time zone, an invalid date or unknown attribute keys
 */
export function prepareProfile(rules: Rules, user: UpdatedUser): ScriptProfile | false {
  const fields: Partial<Record<ProfileField, ProfileValue>> = {};
  let passed = false;
  for (const name in user) {
    if (!isProfileField(name)) continue;
    const value = user[name];
    if (value === undefined) continue;
    fields[name] = value === null ? false : prepareField(name, value);
    passed = true;
  }
  const profile = fields as ScriptProfile;
  if (user.attributes !== undefined) {
    const attributes = prepareAttributes(rules.userAttributeByKey, user.attributes, 'user.attributes');
    if (attributes.length > 0) {
      profile.attributes = attributes;
      passed = true;
    }
  }
  return passed && profile;
}

/** An event in the form of the scripts; see the header of lua/recordEvents.lua. */
export interface PreparedEvent {
  userId: string;
  metric: Metric;
  value: number;
  /** With an idempotency key: the id that follows from the key, without an instant (newEventId). */
  eventId: string;
  control: boolean;
  fingerprint: string | false;
  profile: ScriptProfile | false;
  attributes: AttributePairs | false;
  named: NamedCounters;
  /** When it happened, ms, if the event says so. */
  timestamp: number | null;
  /** Estimated time of Redis, microseconds. */
  costUs: number;
  /** The further events of an event that counts for several metrics (prepareMetrics.ts). */
  others: readonly PreparedEvent[];
}

const NO_OTHERS: readonly PreparedEvent[] = [];
const NO_ATTRIBUTES = {};

/** @throws ServiceError `invalid` unless the text is an instant with an offset */
function prepareTimestamp(timestamp: string): number {
  const instant = parseInstant(timestamp);
  if (instant !== null) return instant;
  throw new ServiceError(
    'invalid',
    'timestamp must be an ISO 8601 instant with an offset such as 2026-11-17T18:30:00+01:00',
  );
}

/** @throws ServiceError `invalid` that names every field of the event at fault */
function prepareFields(
  rules: Rules,
  metric: Metric,
  request: EventRequest,
): Pick<PreparedEvent, 'profile' | 'attributes' | 'named' | 'timestamp'> {
  const { user, attributes, timestamp } = request;
  try {
    assertUserId(user.id);
    return {
      timestamp: timestamp === undefined ? null : prepareTimestamp(timestamp),
      profile: prepareProfile(rules, user),
      ...attributesOfEvent(rules, metric, request),
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const faults = faultsOfEvent(rules, { user, attributes, timestamp });
    throw faults.length === 1 ? error : new ServiceError('invalid', faults.join('; '));
  }
}

/**
 * Everything that the rules find wrong with an event, whatever its form: only well-formed fields are looked
 * at.
 */
export function faultsOfEvent(rules: Rules, event: unknown): string[] {
  const { user, attributes, timestamp } = (event ?? {}) as {
    user?: object;
    attributes?: Record<string, AttributeInput>;
    timestamp?: unknown;
  };
  const { id, ...profile } = (user ?? {}) as UpdatedUser & { id?: string };
  const checks = [
    () => typeof id === 'string' && assertUserId(id),
    ...Object.entries(profile)
      .filter(([field, value]) => isOfType(field, value))
      .map(
        ([field, value]) =>
          () =>
            prepareProfile(rules, { [field]: value }),
      ),
    () => areInputs(attributes) && prepareAttributes(rules.eventAttributeByKey, attributes!, 'attributes'),
    () => typeof timestamp === 'string' && prepareTimestamp(timestamp),
  ];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return [error.message];
    }
  });
}

const isText = (value: unknown): boolean => value === null || typeof value === 'string';
const areTexts = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isText);

const areInputs = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((one) => one === null || ['string', 'number', 'boolean'].includes(typeof one));

const IS_OF_TYPE = {
  text: isText,
  flag: (value: unknown) => typeof value === 'boolean',
  texts: (value: unknown) => value === null || (Array.isArray(value) && areTexts(value)),
};

/** Whether the rules can look at a field of a user. A value of another type is a fault of the form. */
function isOfType(field: string, value: unknown): boolean {
  if (isProfileField(field)) return IS_OF_TYPE[PROFILE_FIELDS[field]](value);
  return field === 'attributes' && areInputs(value);
}

/**
 * Checks an event against the rules and converts it to the form of the scripts.
 * @param createId makes the id of an event without an idempotency key; with one, the id follows from the key
 * @throws ServiceError `notFound` for an unknown metric, `invalid` for unknown attributes and time zones
 */
export function prepareEvent(
  rules: Rules,
  metricKey: string,
  request: EventRequest,
  idempotencyKey: string | null,
  createId: () => string,
): PreparedEvent {
  const metric = rules.metricByKey.get(metricKey);
  if (metric === undefined) throw unknownMetric(rules, metricKey);
  const { user, value } = request;
  const { profile, attributes, named, timestamp } = prepareFields(rules, metric, request);
  const identity =
    idempotencyKey === null ? null : idempotencyIdentity(rules.tenant, user.id, metric.no, idempotencyKey);
  return {
    userId: user.id,
    metric,
    value,
    eventId: identity?.eventId ?? createId(),
    control: isInControlGroup(rules.tenant, user.id, rules.config.settings.experimentation.controlRatio),
    fingerprint: identity?.fingerprint ?? false,
    profile,
    attributes,
    named,
    timestamp,
    costUs: rules.eventCost(metric),
    others: NO_OTHERS,
  };
}
