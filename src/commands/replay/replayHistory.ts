import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ServiceError } from '../../base/errors.ts';
import { parseInstant } from '../../base/instant.ts';
import type { BatchEvent } from '../../contract/event.ts';
import { PastEventLine } from '../../contract/imports.ts';
import { createValidator } from '../../contract/validator.ts';
import { parseObject } from '../../rules/importedRows.ts';
import { prepareSent, sentLine } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

export interface PastEvent {
  /** Number of the line in the file, from 1. */
  line: number;
  /** Instant of the event, ms since 1970. */
  at: number;
  event: BatchEvent;
}

export interface Fault {
  line: number;
  message: string;
}

export interface HistorySummary {
  events: number;
  /** Instants in ms since 1970; infinite if there are no events. */
  first: number;
  last: number;
  /** Number of events before the given instant, and whether any event is at that instant. */
  before: number;
  holdsInstant: boolean;
  faults: Fault[];
}

const validate = createValidator(PastEventLine);

/**
 * The events of a file with one JSON object per line, in order, each checked as the service would check it.
 * An invalid line yields a fault. Blank lines are ignored.
 */
export async function* readHistory(path: string, rules: Rules): AsyncGenerator<PastEvent | Fault> {
  const keys = new LineKeys();
  let [line, latest] = [0, { line: 0, at: Number.NEGATIVE_INFINITY }];
  const file = await open(path);
  for await (const text of file.readLines()) {
    line++;
    if (text.trim() === '') continue;
    try {
      const { at, ...event } = parseEvent(text, rules);
      if (at < latest.at) {
        const since = new Date(latest.at).toISOString();
        throw new ServiceError(
          'invalid',
          `timestamp must not be before that of line ${latest.line}, ${since}`,
        );
      }
      latest = { line, at };
      event.idempotencyKey ??= keys.next(at, text);
      yield { line, at, event };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      yield { line, message: error.message };
    }
  }
}

/** @throws ServiceError that says what is wrong with the line */
function parseEvent(text: string, rules: Rules): BatchEvent & { at: number } {
  const line = validate(parseObject(text));
  const at = parseInstant(line.timestamp);
  if (at === null) {
    throw new ServiceError(
      'invalid',
      `timestamp must be an ISO 8601 instant such as 2026-12-24T18:00:00+01:00`,
    );
  }
  const { metricKey, request } = sentLine(line);
  prepareSent(rules, { metricKey, request, idempotencyKey: null }, () => '');
  return { at, ...(metricKey !== null && { key: metricKey }), ...request } as BatchEvent & { at: number };
}

/**
 * Idempotency keys for lines without one. They are the same in each replay, and equal lines get different
 * keys.
 */
class LineKeys {
  #at = Number.NEGATIVE_INFINITY;
  /** Number of equal lines at this instant, by hash. Equal lines have equal timestamps. */
  readonly #counts = new Map<string, number>();

  next(at: number, text: string): string {
    if (at !== this.#at) this.#counts.clear();
    this.#at = at;
    const hash = createHash('sha256').update(text.trim()).digest('hex').slice(0, 32);
    const count = (this.#counts.get(hash) ?? 0) + 1;
    this.#counts.set(hash, count);
    return `line-${hash}-${count}`;
  }
}

export async function surveyHistory(path: string, rules: Rules, instant: number): Promise<HistorySummary> {
  const summary: HistorySummary = {
    events: 0,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    before: 0,
    holdsInstant: false,
    faults: [],
  };
  for await (const found of readHistory(path, rules)) {
    if ('message' in found) {
      summary.faults.push(found);
      continue;
    }
    summary.events++;
    summary.first = Math.min(summary.first, found.at);
    summary.last = found.at;
    if (found.at < instant) summary.before++;
    if (found.at === instant) summary.holdsInstant = true;
  }
  return summary;
}
