import type { HttpRequest } from 'uWebSockets.js';
import type Type from 'typebox';
import { ServiceError } from '../../base/errors.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../../base/limits.ts';
import { PRINTABLE_ASCII } from '../../base/text.ts';
import type {
  EventRequest,
  MetricsEventRequest,
  RecordEvents,
  RecordMetricsEvent,
} from '../../contract/event.ts';
import { hasUnknownFields } from '../../contract/unknownFields.ts';
import { createThoroughValidator } from '../../contract/validator.ts';
import type { EventJob } from '../../engine/calls/cellQueue.ts';
import { addEvent } from '../../engine/events/addEvent.ts';
import { eventRefusal, type RefusedTo } from '../../engine/events/eventRefusals.ts';
import type { Outcome, RecordedEvent } from '../../redis/decoding/outcome.ts';
import { faultsOfEvent, type PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { withKey } from '../authentication/admission.ts';
import { assertMetric, assertOwnUser, assertRole } from '../authentication/apiKeys.ts';
import { type Caller, callerOf } from '../request/endpoint.ts';
import { createParameterReader, decodePathPart, givenInQuery } from '../request/parameters.ts';
import { parseJson, readBody } from '../request/readBody.ts';
import { invalid } from '../request/refuse.ts';
import { type Handler, HttpContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { createParameterCheck, faultsOfUnknown, ignoredFieldsHeader } from '../request/unknownNames.ts';
import { holdEvent } from './holdEvent.ts';

const NO_QUERY = { strict: false };
/** The preference for a response with event id and total only (RFC 7240, section 4.2). */
const RETURN_MINIMAL = 'return=minimal';
const FIRST_RETURN = /(?:^|,)\s*return\s*=\s*"?([a-z]+)"?\s*(?:[;,]|$)/i;

/** An event that a client has sent, until it is answered. */
interface Received<R> {
  service: Service;
  context: HttpContext;
  refuse: (error: unknown) => void;
  refusedTo: RefusedTo;
  /** null if the event counts for several metrics. */
  metricKey: string | null;
  request: R;
  idempotencyKey: string | null;
  isMinimal: boolean;
  /** Headers that name ignored parameters. */
  ignored: Headers;
}

/** What differs between an event of one metric and of several. */
interface EventForm<R extends EventRequest | MetricsEventRequest> {
  operation: typeof RecordEvents | typeof RecordMetricsEvent;
  schema: Type.TSchema;
  /** The metric in the path; null without one. */
  metricKeyOf(req: HttpRequest): string | null;
  createJob(received: Received<R>): EventJob;
}

/**
 * Creates the handler of an operation that records an event. This is the hot path: it avoids promises and
 * closures. The queue answers through the job.
 */
export function receiveEvent<R extends EventRequest | MetricsEventRequest>(
  form: EventForm<R>,
): (service: Service) => Handler {
  const readQuery = createParameterReader(form.operation.query);
  const checkParameters = createParameterCheck(form.operation);
  const validEvent = createEventValidator<R>(form.schema);
  return (service) => (res, req, route) => {
    const context = new HttpContext(service.requests, route, res, req);
    service.cors.admit(context, req);
    const refuse = (error: unknown): void => {
      service.metrics.refusedEvents.inc();
      service.errors.fail(context, error);
    };
    let caller: Caller | Promise<Caller>;
    let metricKey: string | null;
    let headerKey: string | null;
    let isMinimal: boolean;
    let query = NO_QUERY;
    let ignored: Headers;
    try {
      caller = withKey(service.admission.admit(res, req), req, (key, headers) => {
        assertRole(key, 'operate');
        return callerOf(service, key, service.tenants.rulesFor(key, headers));
      });
      metricKey = form.metricKeyOf(req);
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
      assertMayRecord(key, metricKey, request);
      const received: Received<R> = {
        service,
        context,
        refuse,
        refusedTo: key.kind === 'admin' ? 'backend' : 'user',
        metricKey,
        request,
        idempotencyKey: chooseIdempotencyKey(headerKey, request.idempotencyKey),
        isMinimal,
        ignored,
      };
      addEvent(service, rules, form.createJob(received));
    };
    const take = (body: unknown): void => {
      if (caller instanceof Promise) {
        caller.then((known) => add(known, body)).catch(refuse);
        return;
      }
      try {
        add(caller, body);
      } catch (error) {
        refuse(error);
      }
    };
    readBody(context, parseJson, take, refuse);
  };
}

/** @throws ServiceError `forbidden` if the key is of another user, or not for a metric of the event */
function assertMayRecord(
  key: Caller['key'],
  metricKey: string | null,
  request: EventRequest | MetricsEventRequest,
): void {
  if (key.kind !== 'admin') assertOwnUser(key, 'ownUser', [request.user.id]);
  if (metricKey !== null) assertMetric(key, metricKey);
  else if ('metrics' in request) for (const metric in request.metrics) assertMetric(key, metric);
}

/** The metric in the path of a request. */
export const metricInPath = (req: HttpRequest): string => decodePathPart(req.getParameter(0));

/** @returns a check that throws ServiceError `invalid` with all faults of the event */
function createEventValidator<R>(schema: Type.TSchema) {
  const validate = createThoroughValidator(schema);
  return (body: unknown, rules: Rules, { strict }: { strict: boolean }): R => {
    const faults: string[] = [];
    try {
      const request = validate(body);
      if (!strict || !hasUnknownFields(schema, request)) return request as R;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push(error.message);
    }
    // A required field may be missing because its name is misspelt.
    faults.push(...faultsOfUnknown(schema, body));
    faults.push(...faultsOfEvent(rules, body));
    throw invalid(faults.join('; '));
  };
}

type Headers = Record<string, string> | undefined;

const PREFERENCE_APPLIED = { 'Preference-Applied': RETURN_MINIMAL };

/** Answers an event that came in a request of its own. */
export abstract class ReceivedJob<R extends EventRequest | MetricsEventRequest> implements EventJob {
  readonly metricKey: string | null;
  readonly request: R;
  readonly idempotencyKey: string | null;
  readonly fail: (error: unknown) => void;
  readonly trace: string | null;
  protected readonly service: Service;
  protected readonly isMinimal: boolean;
  readonly #refusedTo: RefusedTo;
  readonly #context: HttpContext;
  readonly #ignored: Headers;
  readonly #schema: Type.TSchema;

  constructor(received: Received<R>, schema: Type.TSchema) {
    this.service = received.service;
    this.#context = received.context;
    this.#refusedTo = received.refusedTo;
    this.isMinimal = received.isMinimal;
    this.#ignored = received.ignored;
    this.#schema = schema;
    this.fail = received.refuse;
    this.trace = received.context.span?.context ?? null;
    this.metricKey = received.metricKey;
    this.request = received.request;
    this.idempotencyKey = received.idempotencyKey;
  }

  done(outcome: Outcome, event: PreparedEvent, rules: Rules, now: number): void {
    switch (outcome.status) {
      case 'recorded':
      case 'replayed':
        this.answer(outcome, event, rules, now);
        return;
      case 'held':
        void this.#hold(outcome, event, rules, now);
        return;
      default:
        this.fail(eventRefusal(outcome, event, rules, this.#refusedTo, this.service.metrics));
    }
  }

  /** Answers an event of one metric that counts. */
  protected abstract answer(outcome: RecordedEvent, event: PreparedEvent, rules: Rules, now: number): void;

  protected send(status: 201 | 202, json: string, isMinimal = this.isMinimal): void {
    this.#context.send(status, json, undefined, this.#headers(isMinimal));
  }

  /** Headers of a response: the applied preference, ignored parameters, and ignored fields of the event. */
  #headers(isMinimal: boolean): Headers {
    const applied = isMinimal ? PREFERENCE_APPLIED : undefined;
    if (this.#ignored === undefined && !hasUnknownFields(this.#schema, this.request)) return applied;
    return { ...applied, ...this.#ignored, ...ignoredFieldsHeader(this.#schema, this.request) };
  }

  /** Stores an event that a guard holds. */
  async #hold(
    outcome: Parameters<typeof holdEvent>[2],
    event: PreparedEvent,
    rules: Rules,
    now: number,
  ): Promise<void> {
    try {
      const eventId = await holdEvent(this.service, rules, outcome, event, this.request, now);
      this.send(202, JSON.stringify({ held: true, eventId, metricId: event.metric.id }), false);
    } catch (error) {
      this.fail(error);
    }
  }
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

/** Whether the first preference `return` in the value of a `Prefer` header is `minimal`. */
function prefersMinimal(prefer: string): boolean {
  if (prefer === '') return false;
  if (prefer === RETURN_MINIMAL) return true;
  const [, value] = FIRST_RETURN.exec(prefer) ?? [];
  return value?.toLowerCase() === 'minimal';
}
