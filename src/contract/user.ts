import Type from 'typebox';
import {
  ATTRIBUTES_PER_CALL_MAX,
  DEVICE_TOKENS_MAX,
  INSTANT_CHARS_MAX,
  TEXT_CHARS_MAX,
  USER_ID_CHARS_MAX,
} from '../base/limits.ts';
import { operation } from './operation.ts';
import {
  AttributeInput,
  boolean,
  calendarDate,
  EMAIL_PATTERN,
  Instant,
  KEYS_OF,
  named,
  nullable,
  text,
  userPath,
} from './schemas.ts';

/** Attribute key to value; null clears a user's value. */
const UserAttributes = Type.Record(Type.String(), nullable(AttributeInput), {
  maxProperties: ATTRIBUTES_PER_CALL_MAX,
  description: 'Values by key of the user attribute. The attributes must exist.',
  [KEYS_OF]: 'userAttributes',
});

/** Only the form is checked, not whether the mailbox exists. */
const Email = Type.String({ maxLength: 320, pattern: EMAIL_PATTERN });

/**
 * Fields of a user that a call may set. A passed field replaces the stored value, null clears it, an absent
 * field stays.
 */
const profileFields = {
  email: Type.Optional(nullable(Email)),
  name: Type.Optional(nullable(Type.String({ maxLength: TEXT_CHARS_MAX, examples: ['Ada'] }))),
  tz: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'IANA time zone. It decides when a day ends.',
      }),
    ),
  ),
  signUpDate: Type.Optional(
    nullable(
      Type.String({
        maxLength: INSTANT_CHARS_MAX,
        description:
          'Day on which the user joined your product, not after today in the time zone of the user. A date-time is kept ' +
          'as its day in UTC. Achievements with the trigger `anniversary` count from it.',
        examples: ['2025-03-14'],
      }),
    ),
  ),
  subscribeToEmails: Type.Optional(
    boolean(
      'True requires an email. A new user with an email is subscribed unless this is false. A user whose email is ' +
        'cleared is unsubscribed.',
    ),
  ),
  deviceTokens: Type.Optional(
    nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX }), { maxItems: DEVICE_TOKENS_MAX }),
    ),
  ),
  attributes: Type.Optional(UserAttributes),
};

/**
 * What the state of a user holds of each of these fields, besides the attributes, in the order of answers.
 * Checks, imports, the layout of the state, the scripts and the answers follow from it.
 */
export const PROFILE_FIELDS = {
  email: 'text',
  name: 'text',
  tz: 'text',
  deviceTokens: 'texts',
  subscribeToEmails: 'flag',
  signUpDate: 'text',
} as const satisfies Record<Exclude<keyof typeof profileFields, 'attributes'>, keyof Held>;
export type ProfileField = keyof typeof PROFILE_FIELDS;
export const isProfileField = (name: string): name is ProfileField => Object.hasOwn(PROFILE_FIELDS, name);
export const PROFILE_NAMES = Object.keys(PROFILE_FIELDS).filter(isProfileField);

interface Held {
  text: string | null;
  flag: boolean;
  texts: string[] | null;
}

/** The fields as the state of a user holds them; null stands for one that is not set. */
export type Profile = { [Name in ProfileField]: Held[(typeof PROFILE_FIELDS)[Name]] };

export function buildProfile(fieldOf: (name: ProfileField) => Profile[ProfileField]): Profile {
  const profile: Partial<Record<ProfileField, Profile[ProfileField]>> = {};
  for (const name of PROFILE_NAMES) profile[name] = fieldOf(name);
  return profile as Profile;
}

export const UserId = Type.String({ minLength: 1, maxLength: USER_ID_CHARS_MAX, examples: ['ada'] });

/** The user of a path. */
export const UpdatedUser = named(
  'UpdatedUser',
  {
    id: Type.Optional(text('Must match the path if given: this call does not change ids.')),
    ...profileFields,
  },
  { examples: [{ name: 'Ada', tz: 'Europe/Berlin', attributes: { city: 'berlin' } }] },
);
export type UpdatedUser = Omit<Type.Static<typeof UpdatedUser>, 'id'>;

export const UpsertedUser = named('UpsertedUser', { id: UserId, ...profileFields });
export type UpsertedUser = Type.Static<typeof UpsertedUser>;

export const User = named('User', {
  id: Type.String({ examples: ['ada'] }),
  email: nullable(Type.String()),
  name: nullable(Type.String({ examples: ['Ada'] })),
  tz: nullable(Type.String()),
  deviceTokens: Type.Array(Type.String()),
  subscribeToEmails: Type.Boolean(),
  signUpDate: nullable(calendarDate('Null if it was not set.')),
  attributes: Type.Record(Type.String(), Type.String()),
  control: boolean('Whether the user is in the control group.'),
  created: Instant,
  updated: Instant,
});
export type User = Type.Static<typeof User>;

/** Path of operations that create the user. */
const newUserPath = Type.Object({ id: Type.String({ ...userPath.id, maxLength: USER_ID_CHARS_MAX }) });

export const CreateUser = operation({
  name: 'createUser',
  route: 'POST /users',
  tag: 'Users',
  summary: 'Create a user',
  description: 'Creates the user, or updates the user if the id exists.',
  access: 'ownUser',
  isPublished: true,
  request: UpsertedUser,
  responses: { 201: User },
});

export const GetUser = operation({
  name: 'getUser',
  route: 'GET /users/{id}',
  tag: 'Users',
  summary: 'Get a user',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  responses: { 200: User },
});

export const IdentifyUser = operation({
  name: 'identifyUser',
  route: 'PUT /users/{id}',
  tag: 'Users',
  summary: 'Identify a user',
  description:
    'Creates the user or updates the fields that are passed. Use it to keep laurel in step with your own database.',
  access: 'ownUser',
  isPublished: true,
  path: newUserPath,
  request: UpdatedUser,
  responses: { 200: User },
});

export const UpdateUser = operation({
  name: 'updateUser',
  route: 'PATCH /users/{id}',
  tag: 'Users',
  summary: 'Update a user',
  description: 'Changes the fields that are passed. The user must exist.',
  access: 'ownUser',
  isPublished: true,
  path: newUserPath,
  request: UpdatedUser,
  responses: { 200: User },
});
