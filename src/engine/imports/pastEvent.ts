import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { parseInstant } from '../../base/instant.ts';
import { PastEventLine } from '../../contract/imports.ts';
import { createValidator } from '../../contract/validator.ts';
import type { ImportedRow } from '../../rules/importedRows.ts';
import { type PreparedEvent, prepareEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

/** An event that a user had in the past. */
export interface DatedEvent {
  row: ImportedRow;
  /** When it happened, ms. */
  at: number;
  event: PreparedEvent;
  /** Zone in which the user was. */
  zone: string;
  /** Of a key that other events of the user have: its number, and until when it is used if it is, ms. */
  sharedKey?: { key: number; freeAt: number };
}

const validate = createValidator(PastEventLine);

/** @throws ServiceError that says what is wrong with the row */
export function readPastEvent(rules: Rules, row: ImportedRow, now: number): DatedEvent {
  const { timestamp, metric, ...request } = validate(row.content);
  const at = parseInstant(timestamp);
  if (at === null || at <= 0) {
    throw new ServiceError(
      'invalid',
      'timestamp must be an ISO 8601 instant such as 2026-12-24T18:00:00+01:00',
    );
  }
  if (at > now) throw new ServiceError('invalid', 'timestamp must not be in the future');
  const event = prepareEvent(rules, metric, request, request.idempotencyKey ?? null, newId);
  // A live event can have the same key, and then it has the id that follows from the key.
  const ownId = { ...event, eventId: newId() };
  return { row, at, event: ownId, zone: rules.config.settings.defaultTimeZone };
}
