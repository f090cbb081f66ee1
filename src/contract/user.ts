import Type from 'typebox';
import {
  ATTRIBUTE_VALUE_CHARS_MAX,
  ATTRIBUTES_PER_CALL_MAX,
  DEVICE_TOKENS_MAX,
  TEXT_CHARS_MAX,
  USER_ID_CHARS_MAX,
} from '../base/limits.ts';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Attribute key to value; null clears a user's value. */
const UserAttributes = Type.Record(Type.String(), nullable(Type.String({ maxLength: ATTRIBUTE_VALUE_CHARS_MAX })), {
  maxProperties: ATTRIBUTES_PER_CALL_MAX,
});

/** Fields of a user that a call may set: what is passed replaces, null clears, what is absent stays (spec: User). */
const profileFields = {
  email: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 320 }))),
  name: Type.Optional(nullable(Type.String({ maxLength: TEXT_CHARS_MAX }))),
  tz: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  subscribeToEmails: Type.Optional(Type.Boolean()),
  deviceTokens: Type.Optional(
    nullable(Type.Array(Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX }), { maxItems: DEVICE_TOKENS_MAX })),
  ),
  attributes: Type.Optional(UserAttributes),
};

export const UpdatedUser = Type.Object(profileFields);
export type UpdatedUser = Type.Static<typeof UpdatedUser>;

export const UpsertedUser = Type.Object({
  id: Type.String({ minLength: 1, maxLength: USER_ID_CHARS_MAX }),
  ...profileFields,
});
export type UpsertedUser = Type.Static<typeof UpsertedUser>;
