import type { HttpRequest } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../../base/limits.ts';
import { PRINTABLE_ASCII } from '../../base/text.ts';
import { EventRequest, RecordEvents } from '../../contract/event.ts';
import { hasUnknownFields } from '../../contract/unknownFields.ts';
import { createThoroughValidator } from '../../contract/validator.ts';
import type { EventJob } from '../../engine/calls/cellQueue.ts';
import { addEvent } from '../../engine/events/addEvent.ts';
import { eventRefusal, type RefusedTo } from '../../engine/events/eventRefusals.ts';
import type { Outcome, RecordedEvent } from '../../redis/decoding/outcome.ts';
import {
  faultsOfEvent,
  newEventId,
  type PreparedEvent,
  replayedEventId,
} from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { achievementsJson, leaderboardsJson, pointsJson } from '../../views/changes.ts';
import { eventStreakJson } from '../../views/streakView.ts';
import { withKey } from '../authentication/admission.ts';
import { assertMetric, assertOwnUser, assertRole } from '../authentication/apiKeys.ts';
import { type Caller, callerOf } from '../request/endpoint.ts';
import { createParameterReader, decodePathPart, givenInQuery } from '../request/parameters.ts';
import { parseJson, readBody } from '../request/readBody.ts';
import { invalid } from '../request/refuse.ts';
import { type Handler, HttpContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { createParameterCheck, faultsOfUnknown, ignoredFieldsHeader } from '../request/unknownNames.ts';
import { countAnswer } from './countAnswer.ts';
import { holdEvent } from './holdEvent.ts';

const validate = createThoroughValidator(EventRequest);
const readQuery = createParameterReader(RecordEvents.query);
const checkParameters = createParameterCheck(RecordEvents);
const NO_QUERY = { strict: false };
/** The preference for a response with event id and total only (RFC 7240, section 4.2). */
const RETURN_MINIMAL = 'return=minimal';
const FIRST_RETURN = /(?:^|,)\s*return\s*=\s*"?([a-z]+)"?\s*(?:[;,]|$)/i;

/**
 * POST /v1/metrics/{key}/event. This is the hot path: it avoids promises and closures. The queue answers
 * through the job.
 */
export function recordEvents(service: Service): Handler {
  return (res, req, route) => {
    const context = new HttpContext(service.requests, route, res, req);
    service.cors.admit(context, req);
    const refuse = (error: unknown): void => {
      service.metrics.refusedEvents.inc();
      service.errors.fail(context, error);
    };
    let caller: Caller | Promise<Caller>;
    let metricKey: string;
    let headerKey: string | null;
    let isMinimal: boolean;
    let query = NO_QUERY;
    let ignored: Headers;
    try {
      caller = withKey(service.admission.admit(res, req), req, (key, headers) => {
        assertRole(key, 'operate');
        return callerOf(service, key, service.tenants.rulesFor(key, headers));
      });
      metricKey = decodePathPart(req.getParameter(0));
      headerKey = readIdempotencyKey(req);
      isMinimal = prefersMinimal(req.getHeader('prefer'));
      const queryText = req.getQuery();
      if (queryText) {
        const given = givenInQuery(queryText);
        query = readQuery(given);
        ignored = checkParameters(given);
      }
    } catch (error) {
      refuse(error);
      return;
    }
    const add = ({ key, rules }: Caller, body: unknown): void => {
      const request = validEvent(body, rules, query);
      if (key.kind !== 'admin') assertOwnUser(key, 'ownUser', [request.user.id]);
      assertMetric(key, metricKey);
      const idempotencyKey = chooseIdempotencyKey(headerKey, request.idempotencyKey);
      const refusedTo = key.kind === 'admin' ? 'backend' : 'user';
      const job = new RecordEventsJob(
        service,
        context,
        refuse,
        refusedTo,
        metricKey,
        request,
        idempotencyKey,
        isMinimal,
        ignored,
      );
      addEvent(service, rules, job);
    };
    readBody(
      context,
      parseJson,
      (body) => {
        if (caller instanceof Promise) {
          caller.then((known) => add(known, body)).catch(refuse);
          return;
        }
        try {
          add(caller, body);
        } catch (error) {
          refuse(error);
        }
      },
      refuse,
    );
  };
}

/** @throws ServiceError `invalid` with all faults of the event */
function validEvent(body: unknown, rules: Rules, { strict }: { strict: boolean }): EventRequest {
  const faults: string[] = [];
  try {
    const request = validate(body);
    if (!strict || !hasUnknownFields(EventRequest, request)) return request;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    faults.push(error.message);
  }
  if (strict) faults.push(...faultsOfUnknown(EventRequest, body));
  faults.push(...faultsOfEvent(rules, body));
  throw invalid(faults.join('; '));
}

type Headers = Record<string, string> | undefined;

const PREFERENCE_APPLIED = { 'Preference-Applied': RETURN_MINIMAL };

/** Headers of a response: the applied preference, ignored parameters, and ignored fields of the event. */
function headersOf(request: EventRequest, isMinimal: boolean, ignored: Headers): Headers {
  const applied = isMinimal ? PREFERENCE_APPLIED : undefined;
  if (ignored === undefined && !hasUnknownFields(EventRequest, request)) return applied;
  return { ...applied, ...ignored, ...ignoredFieldsHeader(EventRequest, request) };
}

function readIdempotencyKey(req: HttpRequest): string | null {
  const key = req.getHeader('idempotency-key');
  if (key.length > IDEMPOTENCY_KEY_CHARS_MAX) {
    throw invalid(`Idempotency-Key must not be longer than ${IDEMPOTENCY_KEY_CHARS_MAX} characters`);
  }
  if (key === '') return null;
  if (!PRINTABLE_ASCII.test(key)) {
    throw invalid(
      'Idempotency-Key must be printable ASCII; send any other text in the field idempotencyKey of the body',
    );
  }
  return key;
}

function chooseIdempotencyKey(inHeader: string | null, inBody: string | undefined): string | null {
  if (inHeader !== null && inBody !== undefined && inHeader !== inBody) {
    throw invalid('idempotencyKey must be the same as the header Idempotency-Key, or left out');
  }
  return inBody ?? inHeader;
}

class RecordEventsJob implements EventJob {
  readonly metricKey: string;
  readonly request: EventRequest;
  readonly idempotencyKey: string | null;
  readonly fail: (error: unknown) => void;
  readonly trace: string | null;
  readonly #service: Service;
  readonly #context: HttpContext;
  readonly #refusedTo: RefusedTo;
  readonly #isMinimal: boolean;
  readonly #ignored: Headers;

  constructor(
    service: Service,
    context: HttpContext,
    fail: (error: unknown) => void,
    refusedTo: RefusedTo,
    metricKey: string,
    request: EventRequest,
    idempotencyKey: string | null,
    isMinimal: boolean,
    ignored: Headers,
  ) {
    this.#service = service;
    this.#context = context;
    this.#refusedTo = refusedTo;
    this.#isMinimal = isMinimal;
    this.#ignored = ignored;
    this.fail = fail;
    this.trace = context.span?.context ?? null;
    this.metricKey = metricKey;
    this.request = request;
    this.idempotencyKey = idempotencyKey;
  }

  done(outcome: Outcome, event: PreparedEvent, rules: Rules, now: number): void {
    switch (outcome.status) {
      case 'recorded':
      case 'replayed': {
        const isReplay = outcome.status === 'replayed';
        countAnswer(this.#service.metrics, outcome, event);
        const json = this.#isMinimal
          ? minimalResponseJson(outcome, event, rules, now)
          : eventResponseJson(outcome, event, rules, now, this.idempotencyKey);
        const headers = headersOf(this.request, this.#isMinimal, this.#ignored);
        this.#context.send(isReplay ? 202 : 201, json, undefined, headers);
        return;
      }
      case 'held':
        void this.#hold(outcome, event, rules, now);
        return;
      default:
        this.fail(eventRefusal(outcome, event, rules, this.#refusedTo, this.#service.metrics));
    }
  }

  async #hold(
    outcome: Parameters<typeof holdEvent>[2],
    event: PreparedEvent,
    rules: Rules,
    now: number,
  ): Promise<void> {
    try {
      const eventId = await holdEvent(this.#service, rules, outcome, event, this.request, now);
      const answer = { held: true, eventId, metricId: event.metric.id };
      const headers = headersOf(this.request, false, this.#ignored);
      this.#context.send(202, JSON.stringify(answer), undefined, headers);
    } catch (error) {
      this.fail(error);
    }
  }
}

let latest = { now: 0, iso: '' };

/** All events of one script call have the same instant. */
function isoOf(now: number): string {
  if (latest.now !== now) latest = { now, iso: new Date(now).toISOString() };
  return latest.iso;
}

function eventIdOf(outcome: RecordedEvent, event: PreparedEvent, rules: Rules, now: number): string {
  return outcome.status === 'replayed'
    ? replayedEventId(event, outcome.usedAt)
    : newEventId(rules, event, now);
}

/** The sent value, if guards of the metric have reduced it. */
function clampedJson(outcome: RecordedEvent, event: PreparedEvent): string {
  const isClamped = outcome.status === 'recorded' && outcome.clamped !== undefined;
  return isClamped ? `,"clampedFrom":${event.value}` : '';
}

/** `MinimalEventResponse` as JSON. */
function minimalResponseJson(
  outcome: RecordedEvent,
  event: PreparedEvent,
  rules: Rules,
  now: number,
): string {
  const clamped = clampedJson(outcome, event);
  return `{"eventId":"${eventIdOf(outcome, event, rules, now)}","total":${outcome.total}${clamped}}`;
}

/** `EventResponse` as JSON: all changes, and the streak in any case. views/changes.ts caches its parts. */
export function eventResponseJson(
  outcome: RecordedEvent,
  event: PreparedEvent,
  rules: Rules,
  now: number,
  idempotencyKey: string | null,
): string {
  const isReplay = outcome.status === 'replayed';
  const eventId = eventIdOf(outcome, event, rules, now);
  const date = isoOf(now);
  const pointsDate = event.timestamp === null ? date : isoOf(Math.min(event.timestamp, now));
  const idempotency =
    idempotencyKey === null
      ? ''
      : `,"idempotencyKey":${JSON.stringify(idempotencyKey)},"idempotentReplayed":${isReplay}`;
  const changes = isReplay
    ? '"achievements":[],"points":{},"leaderboards":{}'
    : `"achievements":${achievementsJson(rules, outcome.completed, date)},"points":${pointsJson(rules, outcome.points, eventId, pointsDate)},"leaderboards":${leaderboardsJson(rules, outcome.boards)}`;
  const extended = !isReplay && outcome.extended;
  const streakJson = eventStreakJson(rules.config.streak.frequency, outcome.streak, outcome.day, extended);
  return `{"eventId":"${eventId}","metricId":"${event.metric.id}","total":${outcome.total},"currentStreak":${streakJson},${changes}${idempotency}${clampedJson(outcome, event)}}`;
}

/** Whether the first preference `return` in the value of a `Prefer` header is `minimal`. */
function prefersMinimal(prefer: string): boolean {
  if (prefer === '') return false;
  if (prefer === RETURN_MINIMAL) return true;
  const [, value] = FIRST_RETURN.exec(prefer) ?? [];
  return value?.toLowerCase() === 'minimal';
}
