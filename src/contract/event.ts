import Type from 'typebox';
import { ATTRIBUTE_VALUE_CHARS_MAX, ATTRIBUTES_PER_CALL_MAX, EVENT_VALUE_MAX } from '../base/limits.ts';
import { UpsertedUser } from './user.ts';

/** Body of a metric event (spec: Record a metric event). */
export const EventRequest = Type.Object({
  user: UpsertedUser,
  value: Type.Number({ minimum: -EVENT_VALUE_MAX, maximum: EVENT_VALUE_MAX }),
  attributes: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: ATTRIBUTE_VALUE_CHARS_MAX }), {
      maxProperties: ATTRIBUTES_PER_CALL_MAX,
    }),
  ),
});
export type EventRequest = Type.Static<typeof EventRequest>;

/** Body of a completion by API. */
export const CompletionRequest = Type.Object({ user: UpsertedUser });
export type CompletionRequest = Type.Static<typeof CompletionRequest>;
