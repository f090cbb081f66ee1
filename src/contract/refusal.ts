import Type from 'typebox';
import { type ErrorCode, ServiceError } from '../base/errors.ts';
import { GUARD_NAMES } from './guards.ts';
import { instant } from './schemas.ts';

/** Fields of an answer beside `error`, for an app that must tell why (docs/application-api.md). */
export const refusal = {
  code: Type.Optional(
    Type.Enum(
      [
        'guard',
        'blocked',
        'outOfPoints',
        'noEmail',
        'unknownAttribute',
        'unknownMetric',
        'unknownUser',
        'idTaken',
        'keyTaken',
      ],
      { description: 'Why the call was refused, where an app may have to tell.' },
    ),
  ),
  guard: Type.Optional(Type.Enum(GUARD_NAMES, { description: 'Which guard.' })),
  retryAt: Type.Optional(instant('From when on the event may count, if waiting helps.')),
};
const CallRefusal = Type.Object(refusal);
export type CallRefusal = Type.Static<typeof CallRefusal>;

/** An error whose answer has a code. */
export const refused = (
  status: ErrorCode,
  code: NonNullable<CallRefusal['code']>,
  message: string,
): ServiceError => {
  const details: CallRefusal = { code };
  return new ServiceError(status, message, undefined, details);
};
