import { ServiceError } from '../../base/errors.ts';
import type { ImportedRow } from '../../rules/importedRows.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { RefusedImportedRow } from './importUsers.ts';
import { type DatedEvent, readPastEvents } from './pastEvent.ts';

/** Rows of one user. Later ones are refused. */
const IMPORT_USER_ROWS_MAX = 100_000;

/** A key without a window stays used. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The past of a user, and how far it is applied. */
export interface ImportedHistory {
  userId: string;
  /** In order. */
  events: DatedEvent[];
  done: number;
  isBegun: boolean;
  /** From when on the calendars of some days go along, because the script lacked one; seconds since 1970. */
  calendars: { zone: string; from: number }[];
}

export const newHistory = (userId: string): ImportedHistory => ({
  userId,
  events: [],
  done: 0,
  isBegun: false,
  calendars: [],
});

/** The events of each user, in order. Events of the same instant stay in the order of the lines. */
export function historiesOf(
  rules: Rules,
  rows: readonly ImportedRow[],
  now: number,
  refused: RefusedImportedRow[],
): ImportedHistory[] {
  const histories = new Map<string, ImportedHistory>();
  for (const row of rows) {
    let history = histories.get(row.userId);
    if (history === undefined) {
      history = newHistory(row.userId);
      histories.set(row.userId, history);
    }
    try {
      if (history.events.length >= IMPORT_USER_ROWS_MAX)
        throw new ServiceError('invalid', `a user must not have more than ${IMPORT_USER_ROWS_MAX} rows`);
      history.events.push(...readPastEvents(rules, row, now));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ row, reason: error.message });
    }
  }
  for (const history of histories.values()) order(rules, history);
  return [...histories.values()].filter(({ events }) => events.length > 0);
}

/** Sorts the events, and says in which zone each happened and which ones have the same key. */
function order(rules: Rules, history: ImportedHistory): void {
  const { idempotencyWindowSeconds: window, defaultTimeZone } = rules.config.settings;
  history.events.sort((a, b) => a.at - b.at || a.row.line - b.row.line);
  const byKey = new Map<string, DatedEvent[]>();
  let zone = defaultTimeZone;
  for (const past of history.events) {
    const { fingerprint, profile } = past.event;
    if (profile && profile.tz !== undefined) zone = profile.tz || defaultTimeZone;
    past.zone = zone;
    if (fingerprint === false) continue;
    const withKey = byKey.get(fingerprint);
    if (withKey === undefined) byKey.set(fingerprint, [past]);
    else withKey.push(past);
  }
  let key = 0;
  for (const withKey of byKey.values()) {
    if (withKey.length === 1) continue;
    key++;
    for (const past of withKey)
      past.sharedKey = { key, freeAt: window === null ? NEVER : past.at + window * 1000 };
  }
}
