import Type from 'typebox';
import {
  ATTRIBUTE_VALUE_CHARS_MAX,
  ATTRIBUTES_PER_CALL_MAX,
  DEVICE_TOKENS_MAX,
  INSTANT_CHARS_MAX,
  TEXT_CHARS_MAX,
  USER_ID_CHARS_MAX,
} from '../base/limits.ts';
import { operation } from './operation.ts';
import { EMAIL_PATTERN, Instant, nullable, userPath } from './schemas.ts';

/** Attribute key to value; null clears a user's value. */
const UserAttributes = Type.Record(
  Type.String(),
  nullable(Type.String({ maxLength: ATTRIBUTE_VALUE_CHARS_MAX })),
  {
    maxProperties: ATTRIBUTES_PER_CALL_MAX,
    description: 'Values by key of the user attribute. The attributes must exist.',
  },
);

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
    Type.Boolean({
      description:
        'True requires an email. A new user with an email is subscribed unless this is false. A user whose email is ' +
        'cleared is unsubscribed.',
    }),
  ),
  deviceTokens: Type.Optional(
    nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX }), { maxItems: DEVICE_TOKENS_MAX }),
    ),
  ),
  attributes: Type.Optional(UserAttributes),
};

export const UserId = Type.String({ minLength: 1, maxLength: USER_ID_CHARS_MAX, examples: ['ada'] });

/** The user of a path. */
export const UpdatedUser = Type.Object(
  {
    id: Type.Optional(
      Type.String({ description: 'Must be that of the path, if it is passed: an id cannot be changed.' }),
    ),
    ...profileFields,
  },
  {
    $id: 'UpdatedUser',
    examples: [{ name: 'Ada', tz: 'Europe/Berlin', attributes: { city: 'berlin' } }],
  },
);
export type UpdatedUser = Omit<Type.Static<typeof UpdatedUser>, 'id'>;

export const UpsertedUser = Type.Object({ id: UserId, ...profileFields }, { $id: 'UpsertedUser' });
export type UpsertedUser = Type.Static<typeof UpsertedUser>;

export const User = Type.Object(
  {
    id: Type.String({ examples: ['ada'] }),
    email: nullable(Type.String()),
    name: nullable(Type.String({ examples: ['Ada'] })),
    tz: nullable(Type.String()),
    deviceTokens: Type.Array(Type.String()),
    subscribeToEmails: Type.Boolean(),
    signUpDate: nullable(Type.String({ format: 'date', description: 'Null if it was not set.' })),
    attributes: Type.Record(Type.String(), Type.String()),
    control: Type.Boolean({ description: 'Whether the user is in the control group.' }),
    created: Instant,
    updated: Instant,
  },
  { $id: 'User' },
);
export type User = Type.Static<typeof User>;

/** Path of operations that create the user. */
const newUserPath = Type.Object({ id: Type.String({ ...userPath.id, maxLength: USER_ID_CHARS_MAX }) });

export const CreateUser = operation({
  tag: 'Users',
  summary: 'Create a user',
  description: 'Creates the user, or updates the user if the id exists.',
  access: 'ownUser',
  isPublished: true,
  request: UpsertedUser,
  responses: { 201: User },
});

export const GetUser = operation({
  tag: 'Users',
  summary: 'Get a user',
  access: 'ownUser',
  isPublished: true,
  path: Type.Object(userPath),
  responses: { 200: User },
  mayMiss: true,
});

export const IdentifyUser = operation({
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
  tag: 'Users',
  summary: 'Update a user',
  description: 'Changes the fields that are passed. The user must exist.',
  access: 'ownUser',
  isPublished: true,
  path: newUserPath,
  request: UpdatedUser,
  responses: { 200: User },
  mayMiss: true,
});
