import { cellOf } from '../../base/cells.ts';
import { type Clock, monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { adminEventFingerprint, newId } from '../../base/ids.ts';
import {
  EVENT_AHEAD_MS_MAX,
  LATE_EVENTS_AT_ONCE_MAX,
  LATE_EVENTS_WAITING_MAX,
} from '../../base/lateLimits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { EventRequest } from '../../contract/event.ts';
import { pack, packOnce } from '../../redis/decoding/codec.ts';
import { decodeOutcomes } from '../../redis/decoding/decodeOutcomes.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import { repairRecord } from '../../redis/decoding/streakRepair.ts';
import { decodeUserState } from '../../redis/decoding/userState.ts';
import { DETAIL } from '../../redis/layouts/argumentLayout.ts';
import { LATE, MARK_PAST } from '../../redis/layouts/lateLayout.ts';
import { toRecord, toRecords } from '../../redis/layouts/recordLayout.ts';
import type { RecordLateEventCall } from '../../redis/scripts/scriptArguments.ts';
import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import { factPairs } from '../../rules/conditions/facts.ts';
import { takenBack } from '../../rules/conditions/namedCounters.ts';
import { lateCalendar, leaguesAfter, pausedAt } from '../../rules/inForce/lateCalendar.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import { eventsOf, prepareSent } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { boardsBesideUndo, undoOrigin } from '../../rules/inForce/undo.ts';
import type { EventJob } from '../calls/cellQueue.ts';
import { type EventKeyUse, type KeyUses, keyedEvents, UNUSED_KEY } from '../calls/keyUses.ts';
import { answerJob, type EventOutcome, outcomesOf } from '../calls/metricsOutcomes.ts';
import type { ScriptAttempt } from '../calls/retries.ts';
import { buildEventsCall, type EventOfCall } from '../calls/scriptCall.ts';
import type { ScriptCallDependencies } from '../calls/settler.ts';
import type { EventRanks } from '../ranks/eventRanks.ts';
import type { EventQueue } from './eventQueue.ts';
import { findLateChanges, type LateFindings, type LateReads, NOTHING_FOUND } from './lateHistory.ts';
import { rulesOfUndo, type Undoing, undoRecord } from './undoing.ts';

export interface LateEventsDependencies extends ScriptCallDependencies {
  queue: EventQueue;
  clock: Clock;
  keyUses: KeyUses;
  ranks: EventRanks;
  reads: LateReads;
}

/** An event of the past on its way. */
interface LateAttempt extends ScriptAttempt, EventOfCall {
  rules: Rules;
  job: EventJob;
  at: number;
  /** Then the event is only answered if its key was used. */
  isTooOld: boolean;
  /** null unless an administrator records the event. */
  byAdmin: EventByAdmin | null;
  findings: LateFindings | null;
}

/** An event that an administrator records: approves, or undoes another one with. */
export interface EventByAdmin {
  /** The event is recorded once under this id. */
  id: string;
  /** null for an approved event. */
  undoes: Undoing | null;
}

/** A sequence number that no user has: the script then asks what the history says. */
const ASK_HISTORY = -1;

/** Of an event that an administrator records: its caller has asked PostgreSQL. */
const NOT_RECORDED: EventKeyUse = { ...UNUSED_KEY, held: UNUSED_KEY, formerEventId: null };

/**
 * Records events that say when they happened. An event of the past is a script call of its own: the events of
 * a user wait for each other, and some of them for the history. All others go to the event queue, which
 * knows nothing of late events.
 */
export class LateEvents {
  readonly #deps: LateEventsDependencies;
  readonly #semaphore = new Semaphore(LATE_EVENTS_AT_ONCE_MAX, LATE_EVENTS_WAITING_MAX);
  /** The end of the last event of each user who has one on the way. */
  readonly #last = new Map<string, Promise<void>>();
  #size = 0;

  constructor(deps: LateEventsDependencies) {
    this.#deps = deps;
  }

  /** Takes an event with a timestamp; it is answered through the job. */
  add(rules: Rules, job: EventJob): void {
    this.#add(rules, job, async () => {
      const { clock, queue } = this.#deps;
      const { event, rules: prepared } = await this.#prepare(rules, job, null);
      const now = clock.now();
      const at = event.timestamp!;
      const isTooOld = checkTimestamp(prepared, event, now);
      if (at >= now) queue.add(prepared, job, event);
      else
        await this.#semaphore.run(() => this.#record(prepared, job, event, { at, isTooOld, byAdmin: null }));
    });
  }

  /**
   * Records an event of an administrator, of any age: once, and without guards. The history must not have it.
   * @throws ServiceError `unavailable`, or for what the rules refuse
   */
  recordByAdmin(
    rules: Rules,
    metricKey: string,
    request: EventRequest,
    byAdmin: EventByAdmin,
  ): Promise<Outcome> {
    return new Promise((done, fail) => {
      const job: EventJob = { metricKey, request, idempotencyKey: null, done, fail };
      this.#add(rules, job, async () => {
        const { event, rules: prepared } = await this.#prepare(rules, job, byAdmin);
        const at = Math.min(event.timestamp!, this.#deps.clock.now());
        await this.#semaphore.run(() => this.#record(prepared, job, event, { at, isTooOld: false, byAdmin }));
      });
    });
  }

  /** Records an event after the earlier ones of its user. */
  #add(rules: Rules, job: EventJob, record: () => Promise<void>): void {
    const userKey = `${rules.tenant} ${job.request.user.id}`;
    if (this.#size >= LATE_EVENTS_WAITING_MAX) {
      job.fail(new ServiceError('unavailable', 'Too many late events are waiting'));
      return;
    }
    this.#size++;
    const before = this.#last.get(userKey) ?? Promise.resolve();
    const done = before.then(record).catch((error) => job.fail(error));
    this.#last.set(userKey, done);
    void done.then(() => {
      this.#size--;
      if (this.#last.get(userKey) === done) this.#last.delete(userKey);
    });
  }

  /** @throws ServiceError for what the newest rules refuse */
  async #prepare(
    rules: Rules,
    job: EventJob,
    byAdmin: EventByAdmin | null,
  ): Promise<{ event: PreparedEvent; rules: Rules }> {
    try {
      return { event: prepare(rules, job, byAdmin), rules };
    } catch (error) {
      const newer = await this.#deps.retries.newerRules(rules, error);
      return { event: prepare(newer, job, byAdmin), rules: newer };
    }
  }

  async #record(
    rulesAtFirst: Rules,
    job: EventJob,
    event: PreparedEvent,
    late: Pick<LateAttempt, 'at' | 'isTooOld' | 'byAdmin'>,
  ): Promise<void> {
    const { retries, cells, ranks } = this.#deps;
    const { user } = job.request;
    const cell = cellOf(rulesAtFirst.tenant, user.id, cells);
    const begun = retries.begin(rulesAtFirst, user.id, user.tz);
    const attempt: LateAttempt = {
      ...begun,
      rules: rulesAtFirst,
      job,
      event,
      ...late,
      keyUses: late.byAdmin === null ? null : [NOT_RECORDED],
      findings: null,
    };
    let sentMs = 0;
    const [done] = await retries.untilDone(rulesAtFirst, [attempt], async (rules, _, now) => {
      sentMs = monotonicMs();
      const outcome = await this.#call(rules, cell, attempt, now);
      return outcome && [outcome];
    });
    const { answer, rules, now } = done!;
    ranks.apply({ rules, cell, sentMs }, answer.status === 'metrics' ? answer.outcomes : [answer]);
    await ranks.mergeAnswer({ rules, cell }, answer);
    answerJob(attempt, answer, rules, now);
  }

  /** Calls the script, and again with what it asks of PostgreSQL. @returns null if the rules are stale */
  async #call(rules: Rules, cell: number, attempt: LateAttempt, now: number): Promise<EventOutcome | null> {
    const { scripts, keyUses, reads, retries } = this.#deps;
    if (rules !== attempt.rules) {
      rules.assertSameId(attempt.rules);
      attempt.event = prepare(rules, attempt.job, attempt.byAdmin);
      attempt.rules = rules;
      attempt.findings = null;
    }
    for (;;) {
      const reply = await scripts.recordLateEvent(callOf(rules, cell, attempt, now));
      if (reply === null) return null;
      const [outcomes, hot, cold] = reply;
      const [outcome] = outcomesOf([attempt], decodeOutcomes(outcomes)) as [EventOutcome];
      const { event, at } = attempt;
      if (outcome.status === 'keyUnknown') {
        attempt.keyUses = await keyUses.find(rules, keyedEvents(attempt));
      } else if (outcome.status === 'tooOld') {
        throw tooOld(rules);
      } else if (outcome.status === 'historyNeeded') {
        const user = hot && cold ? decodeUserState(hot, cold) : null;
        const undoes = attempt.byAdmin?.undoes ?? null;
        const { zone } = outcome;
        attempt.findings = await findLateChanges(reads, { rules, event, user, zone, at, now, undoes });
      } else {
        return outcome;
      }
      retries.countTry(attempt);
    }
  }
}

function prepare(rules: Rules, job: EventJob, byAdmin: EventByAdmin | null): PreparedEvent {
  rules.assertServing();
  const event = prepareSent(rules, job, newId);
  if (byAdmin === null) return event;
  const { id, undoes } = byAdmin;
  const fixed = { ...event, eventId: id, fingerprint: adminEventFingerprint(rules.tenant, id) };
  if (undoes === null) return fixed;
  const reader = rules.attributeReaderOf(event.metric);
  const { named } = reader.read(job.request.attributes ?? {}, undoes.event.value);
  return {
    ...fixed,
    attributes: [
      ...(event.attributes || []),
      ...[ORIGIN_ATTRIBUTE, undoOrigin(undoes.event.id, undoes.scope)],
      ...factPairs(undoes.event.facts),
    ],
    named: takenBack(named),
  };
}

/**
 * @returns whether the event is too old to be recorded, but may be the repetition of a recorded one
 * @throws ServiceError `invalid` if the instant is too far ahead, or too long ago
 */
function checkTimestamp(rules: Rules, { timestamp, fingerprint }: PreparedEvent, now: number): boolean {
  const at = timestamp!;
  if (at > now + EVENT_AHEAD_MS_MAX) {
    throw new ServiceError(
      'invalid',
      `timestamp must not be more than ${EVENT_AHEAD_MS_MAX / 1000} seconds ahead of the server`,
    );
  }
  const isTooOld = at < now - rules.config.settings.lateEvents.maxAgeSeconds * 1000;
  if (isTooOld && fingerprint === false) throw tooOld(rules);
  return isTooOld;
}

function tooOld({ config }: Rules): ServiceError {
  const { maxAgeSeconds } = config.settings.lateEvents;
  return new ServiceError(
    'invalid',
    maxAgeSeconds === 0
      ? 'timestamp must not be in the past: the setting lateEvents.maxAgeSeconds is 0'
      : `timestamp must not be older than ${maxAgeSeconds} seconds, the setting lateEvents.maxAgeSeconds`,
  );
}

function callOf(rules: Rules, cell: number, attempt: LateAttempt, now: number): RecordLateEventCall {
  const { zones, byAdmin, event, isTooOld } = attempt;
  const at = isTooOld ? now : attempt.at;
  return {
    ...buildEventsCall(rules, cell, now, [attempt], null),
    ...(byAdmin !== null && partsByAdmin(rules, event, byAdmin.undoes)),
    late: Buffer.concat(eventsOf(event).map((_, i) => pack(lateRecord(rules, cell, attempt, i, at, now)))),
    calendarsThen: Buffer.concat(
      Array.from(new Set(zones), (zone) => packOnce(lateCalendar(rules, zone, at, now), 'ends')),
    ),
  };
}

/** LATE of one of the events of an attempt. */
function lateRecord(
  rules: Rules,
  cell: number,
  { findings, byAdmin, isTooOld }: LateAttempt,
  index: number,
  at: number,
  now: number,
): unknown[] {
  const undoes = byAdmin?.undoes ?? null;
  const undone = findings?.undone ?? null;
  const { repair, outdated, marks } = findings?.ofEvents[index] ?? NOTHING_FOUND;
  return toRecord(LATE, {
    at,
    sequence: findings?.sequence ?? (undoes !== null && ASK_HISTORY),
    repair: repair !== null && repairRecord(repair),
    outdated: [
      ...outdated,
      ...leaguesAfter(rules, at, now),
      ...pausedAt(rules, at),
      ...(undoes === null ? [] : boardsBesideUndo(rules, undoes.event, undoes.scope, undone?.boards ?? [])),
    ],
    marks: toRecords(MARK_PAST, marks),
    isTooOld,
    undo: undoes !== null && undoRecord(cell, undoes, undone),
  });
}

/** What differs for an event by an administrator: a fixed id, and no guard. */
function partsByAdmin(
  rules: Rules,
  { metric, eventId }: PreparedEvent,
  undoes: Undoing | null,
): Pick<RecordLateEventCall, 'details' | 'rules'> {
  const details = toRecord(DETAIL, { eventId, profile: false });
  const scriptRules =
    undoes === null ? rules.scriptRules({ kind: 'event', metric }) : rulesOfUndo(rules, undoes);
  return { details: pack(details), rules: packOnce({ ...scriptRules, guards: false }, 'time') };
}
