import { cellOf, cellsOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import type { ImportRecord } from '../../db/imports/importRows.ts';
import { pack, unpackAll } from '../../redis/decoding/codec.ts';
import { decodeOutcomes } from '../../redis/decoding/decodeOutcomes.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { METRICS_EVENT } from '../../redis/layouts/argumentLayout.ts';
import { PAST_KEY, PAST_REPLY, PAST_USER } from '../../redis/layouts/importLayout.ts';
import { readRecords, toRecord } from '../../redis/layouts/recordLayout.ts';
import { IMPORT_STATUS } from '../../redis/lua/scriptConstants.ts';
import type { Metric } from '../../rules/config.ts';
import type { ImportedRow } from '../../rules/importedRows.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { addEvent, buildCall, packProfile } from '../calls/scriptCall.ts';
import { type Erasures, readErasures } from '../users/erasures.ts';
import { historiesOf, type ImportedHistory, newHistory } from './histories.ts';
import { reasonOfRefusal, reasonOfStatus } from './importRefusals.ts';
import type { ImportDependencies, RefusedImportedRow } from './importUsers.ts';
import { type PastCalendars, packPieces, pastCalendarsOf } from './pastCalendars.ts';
import type { DatedEvent } from './pastEvent.ts';

/**
 * Events of the past in a script call, at most, and for each user of a call beside live events. The users of
 * a call share its calendars.
 */
const IMPORT_CALL_EVENTS_MAX = 400;
const IMPORT_CALL_USER_EVENTS = 2;
/** Events and settlings that a script call makes. */
const IMPORT_CALL_STEPS_MAX = 800;

/** Days of calendars that a user gets who lacks one. */
const CALENDARS_AHEAD = 64;
const DAY_SECONDS = 86_400;
/** Days after an event without a further one on which a streak may end, or a freeze may save it. */
const DAYS_AFTER = 3;

/** The events of a user that a call applies. */
interface SomeOfHistory {
  history: ImportedHistory;
  events: DatedEvent[];
}

/** The events of the past of the users of a step. lua/importEvents.lua records them, some in each call. */
export class PastEvents {
  readonly #deps: ImportDependencies;
  readonly #rules: Rules;
  readonly #record: ImportRecord;
  readonly #refused: RefusedImportedRow[];
  readonly #erasures: Erasures;
  readonly #calendars: PastCalendars;
  /** Users who are not done and whom no call is under way for, by cell. */
  readonly #left = new Map<number, ImportedHistory[]>();
  /** Users whose next event is not before `#until`. They are held meanwhile if an event of theirs is done. */
  #later: ImportedHistory[] = [];
  #until = Number.POSITIVE_INFINITY;

  /** @param refused takes the rows that are refused @param erasures from before the rows were read */
  constructor(
    deps: ImportDependencies,
    rules: Rules,
    record: ImportRecord,
    rows: readonly ImportedRow[],
    refused: RefusedImportedRow[],
    erasures: Erasures,
  ) {
    this.#deps = deps;
    this.#rules = rules;
    this.#record = record;
    this.#refused = refused;
    this.#erasures = erasures;
    this.#calendars = pastCalendarsOf(rules);
    for (const history of historiesOf(rules, rows, deps.clock.now(), refused))
      this.add(history.userId, history);
  }

  /** Whether users are left whom no call is under way for. */
  get isWaiting(): boolean {
    return this.#left.size > 0;
  }

  /** Instants of the events that are left, ms. */
  get instants(): number[] {
    return this.#waiting().flatMap(({ events, done }) => events.slice(done).map(({ at }) => at));
  }

  /** Users whom no call is under way for, also those whose next event is later. */
  #waiting(): ImportedHistory[] {
    return [...this.#later, ...[...this.#left.values()].flat()];
  }

  /** From now on, only events before this instant (ms) are applied. */
  applyUntil(until: number): void {
    this.#until = until;
    const histories = this.#waiting();
    this.#later = [];
    this.#left.clear();
    for (const history of histories) this.add(history.userId, history);
  }

  /** Adds a user; without events, the user is only settled up to now. */
  add(userId: string, history: ImportedHistory = newHistory(userId)): void {
    if (this.#isLater(history)) {
      this.#later.push(history);
      return;
    }
    const cell = cellOf(this.#rules.tenant, userId, this.#deps.cells);
    const ofCell = this.#left.get(cell);
    if (ofCell === undefined) this.#left.set(cell, [history]);
    else ofCell.push(history);
  }

  #isLater({ events, done }: ImportedHistory): boolean {
    return done < events.length && events[done]!.at >= this.#until;
  }

  /**
   * Makes one call, for users who are waiting. Several calls may be under way.
   * @param users of a call; fewer if events are under way @param isBeside whether live events are
   * @returns false if newer rules are in force, or a user may have been erased since the rows were read
   */
  async applySome(users = IMPORT_CALL_EVENTS_MAX, isBeside = false): Promise<boolean> {
    const events = isBeside ? IMPORT_CALL_USER_EVENTS * users : IMPORT_CALL_EVENTS_MAX;
    const { cell, batch } = this.#take(users, events);
    const replies = await this.#call(cell, batch);
    if (replies === null || replies.some(({ status }) => status === IMPORT_STATUS.erasing)) return false;
    const still = batch
      .map(({ history }) => history)
      .filter((history, i) => !this.#finish(history, replies[i]!));
    this.#later.push(...still.filter((history) => this.#isLater(history)));
    const begun = still.filter((history) => !this.#isLater(history));
    // Users who are begun come first, because their live events wait.
    const left = [...begun, ...(this.#left.get(cell) ?? [])];
    if (left.length > 0) this.#left.set(cell, left);
    return true;
  }

  /** Gives up the users whom no call has begun, and those whose next event is later. @returns their ids */
  dropSome(): string[] {
    const dropped = this.#later.map(({ userId }) => userId);
    this.#later = [];
    for (const [cell, histories] of this.#left) {
      const begun = histories.filter(({ isBegun }) => isBegun);
      dropped.push(...histories.filter(({ isBegun }) => !isBegun).map(({ userId }) => userId));
      if (begun.length > 0) this.#left.set(cell, begun);
      else this.#left.delete(cell);
    }
    return dropped;
  }

  /** Takes the users of the next call, each cell in turn. */
  #take(users: number, events: number): { cell: number; batch: SomeOfHistory[] } {
    const [found] = this.#left;
    const [cell, left] = found!;
    const batch: SomeOfHistory[] = [];
    let room = Math.min(IMPORT_CALL_EVENTS_MAX, events);
    for (const history of left) {
      if (room <= 0 || batch.length >= users) break;
      history.isBegun = true;
      const end = endOfRow(history.events, history.done + room);
      const some = history.events.slice(history.done, end).filter(({ at }) => at < this.#until);
      batch.push({ history, events: some });
      room -= Math.max(1, some.length);
    }
    this.#left.delete(cell);
    if (batch.length < left.length) this.#left.set(cell, left.slice(batch.length));
    return { cell, batch };
  }

  /** @returns whether the user is done */
  #finish(
    history: ImportedHistory,
    { status, done, refused, refusals, zone, seconds }: ReturnType<typeof repliesOf>[number],
  ): boolean {
    history.done = Math.max(history.done, done);
    if (status === IMPORT_STATUS.calendar) history.calendars.push({ zone, from: seconds });
    if (status === IMPORT_STATUS.calendar || status === IMPORT_STATUS.more) return false;
    for (const [i, outcome] of decodeOutcomes(pack(refusals)).entries()) {
      const { row } = history.events[refused[i]!]!;
      this.#refused.push({ row, reason: reasonOfRefusal(this.#rules, outcome) ?? outcome.status });
    }
    if (status === IMPORT_STATUS.done) return true;
    for (const { row, count } of history.events.slice(done))
      if (count > 0) this.#refused.push({ row, reason: reasonOfStatus(status) });
    return true;
  }

  async #call(cell: number, batch: readonly SomeOfHistory[]): Promise<ReturnType<typeof repliesOf> | null> {
    const { scripts, clock } = this.#deps;
    const rules = this.#rules;
    const now = clock.now();
    const [events, details, instants, pastKeys, users]: unknown[][] = [[], [], [], [], []];
    const metricsEvents: unknown[] = [];
    const [metrics, zones] = [new Set<Metric>(), new Set<string>()];
    for (const { history, events: some } of batch) {
      const { userId, done, events: all } = history;
      const isLast = done + some.length === all.length;
      users!.push(...toRecord(PAST_USER, { userId, before: done, count: some.length, isLast }));
      for (const { at, event, count, sharedKey } of some) {
        metrics.add(event.metric);
        const first = instants!.length;
        if (count > 1) metricsEvents.push(...toRecord(METRICS_EVENT, { first, count }));
        if (sharedKey) pastKeys!.push(...toRecord(PAST_KEY, { event: first, ...sharedKey }));
        instants!.push(at);
        const withoutKey = { ...event, fingerprint: false as const };
        addEvent(events!, details!, withoutKey, event.eventId, packProfile(event.profile));
      }
      for (const zone of zonesOf(rules, history)) zones.add(zone);
    }
    const scriptRules = [...metrics].map((metric) => rules.scriptRules({ kind: 'event', metric }));
    const { index, packed } = packPieces(this.#piecesOf(batch, now));
    const timeRules = rules.scriptRules({ kind: 'time' });
    const reply = await scripts.importEvents({
      ...buildCall(rules, cell, now, events, zones, [timeRules, ...scriptRules]),
      details: pack(details),
      instants: pack(instants),
      pastKeys: pack(pastKeys),
      users: pack(users),
      importNo: this.#record.no,
      stepsMax: IMPORT_CALL_STEPS_MAX,
      pastIndex: pack(index),
      pastCalendars: packed,
      erasures: this.#erasures.get(cell)!,
      ...(metricsEvents.length > 0 && { metricsEvents: pack(metricsEvents) }),
    });
    return reply && repliesOf(reply);
  }

  /** The calendars that the users of a call probably need. */
  #piecesOf(batch: readonly SomeOfHistory[], now: number): ReturnType<PastCalendars['pieceAt']>[] {
    const pieces = new Set<ReturnType<PastCalendars['pieceAt']>>();
    // The last one is that of the present, at which every user is settled.
    const add = (zone: string, at: number): void => {
      pieces.add(this.#calendars.pieceAt(zone, Math.min(at, Math.floor(now / 1000)), now));
    };
    for (const { history, events } of batch) {
      for (const { at, zone } of events) {
        for (let day = 0; day <= DAYS_AFTER; day++) add(zone, Math.floor(at / 1000) + day * DAY_SECONDS);
      }
      for (const { zone, from } of history.calendars.slice(-2)) {
        for (let day = 0; day < CALENDARS_AHEAD; day++) add(zone, from + day * DAY_SECONDS);
      }
    }
    return [...pieces];
  }
}

/** The first position from `at` on where the events of a row begin. */
function endOfRow(events: readonly DatedEvent[], at: number): number {
  let end = at;
  while (events[end]?.count === 0) end++;
  return end;
}

function zonesOf({ config }: Rules, { events, calendars }: ImportedHistory): string[] {
  return [
    config.settings.defaultTimeZone,
    ...events.slice(-1).map(({ zone }) => zone),
    ...calendars.slice(-2).map(({ zone }) => zone),
  ];
}

function repliesOf(reply: Buffer) {
  const [flat] = unpackAll(reply) as [unknown[]];
  return readRecords(PAST_REPLY, flat);
}

/** Removes the tokens of users whose part is applied. */
export async function forgetTokens(
  { redis, cells }: ImportDependencies,
  { tenant, no }: ImportRecord,
  userIds: Iterable<string>,
): Promise<void> {
  const byCell = new Map<number, string[]>();
  for (const userId of userIds) {
    const cell = cellOf(tenant, userId, cells);
    const ofCell = byCell.get(cell);
    if (ofCell === undefined) byCell.set(cell, [userId]);
    else ofCell.push(userId);
  }
  await Promise.all(
    Array.from(byCell, ([cell, userIds]) => redis.hdel(keys.import(tenant, cell, no), ...userIds)),
  );
}

/** Settles the users whose past was not applied as a whole, because the import was cancelled. */
export async function releaseUsers(
  deps: ImportDependencies,
  rules: Rules,
  record: ImportRecord,
): Promise<void> {
  const { redis, cells } = deps;
  const left = new PastEvents(deps, rules, record, [], [], await readErasures(deps, record.tenant));
  const tokens = cellsOf(record.tenant, cells).map((cell) => keys.import(record.tenant, cell, record.no));
  for (const key of tokens) for (const userId of await redis.hkeys(key)) left.add(userId);
  while (left.isWaiting) {
    if (!(await left.applySome()))
      throw new ServiceError('unavailable', 'The configuration is changing; try again');
  }
  for (const key of tokens) await redis.unlink(key);
}
