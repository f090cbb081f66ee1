import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { parseInstant } from '../../base/instant.ts';
import { PastEventLine } from '../../contract/imports.ts';
import { createValidator } from '../../contract/validator.ts';
import type { ImportedRow } from '../../rules/importedRows.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import { eventsOf, prepareSent, sentLine } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

/** An event that a user had in the past. */
export interface DatedEvent {
  row: ImportedRow;
  /** When it happened, ms. */
  at: number;
  event: PreparedEvent;
  /** Number of the events of its row; 0 for the further ones of a row with several metrics. */
  count: number;
  /** Zone in which the user was. */
  zone: string;
  /** Of a key that other events of the user have: its number, and until when it is used if it is, ms. */
  sharedKey?: { key: number; freeAt: number };
}

const validate = createValidator(PastEventLine);

/**
 * @returns an event for each metric of the row
 * @throws ServiceError that says what is wrong with the row
 */
export function readPastEvents(rules: Rules, row: ImportedRow, now: number): DatedEvent[] {
  const line = validate(row.content);
  const at = parseInstant(line.timestamp);
  if (at === null || at <= 0) {
    throw new ServiceError(
      'invalid',
      'timestamp must be an ISO 8601 instant such as 2026-12-24T18:00:00+01:00',
    );
  }
  if (at > now) throw new ServiceError('invalid', 'timestamp must not be in the future');
  const events = eventsOf(prepareSent(rules, sentLine(line), newId));
  const zone = rules.config.settings.defaultTimeZone;
  // A live event can have the same key, and then it has the id that follows from the key.
  return events.map((one, i) => {
    return { row, at, event: { ...one, eventId: newId() }, count: i === 0 ? events.length : 0, zone };
  });
}
