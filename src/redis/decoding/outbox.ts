import { AMENDMENT, CORRECTION, DETAIL, EVENT, REWARD, USER_CHANGE } from '../layouts/argumentLayout.ts';
import { LATE, UNDO } from '../layouts/lateLayout.ts';
import {
  type Flat,
  isListOf,
  type RecordOf,
  readRecord,
  readRecords,
  valueAt,
} from '../layouts/recordLayout.ts';
import { SETTLED_AT } from '../layouts/reportLayout.ts';
import { ENTRY, ENTRY_FORMAT } from '../lua/entryFormat.ts';
import { type Amendment, CORRECT } from '../lua/scriptConstants.ts';
import { unpackAll } from './codec.ts';
import { decodeOutcomes } from './decodeOutcomes.ts';
import { type ImportedUser, readImportedUsers } from './importedUsers.ts';
import { type MovedUser, readMovedUsers } from './movedUsers.ts';
import type { Changes, Outcome, Settled } from './outcome.ts';
import { type RepairedHistory, readRepair } from './streakRepair.ts';

/**
 * The changes of one script call, decoded from an entry of the outbox, which recordEvents, recordLateEvent,
 * changeUser and settleUsers write and the relay reads. The headers of these scripts list the fields (ENTRY).
 * Changes that the call refused or replayed are left out.
 */
export type OutboxEntry = { tenant: number; now: number; trace?: string; isImport?: true } & (
  | { fn: 'recordEvents'; changes: Recorded<EventChange>[] }
  | { fn: 'changeUser'; changes: Recorded<UserChange>[] }
  | { fn: 'settleUsers'; changes: Recorded<SettledUser, Settled>[] }
  | { fn: 'importUsers'; changes: Recorded<ImportedUser>[] }
  | { fn: 'importEvents'; changes: Recorded<PastEventChange>[] }
  | { fn: 'moveUsers'; changes: Recorded<MovedUser>[] }
);

export interface Recorded<T, O = Changes> {
  change: T;
  outcome: O;
}

/** An event as it was passed to lua/recordEvents.lua. */
export interface EventChange {
  userId: string;
  metric: number;
  /** The value that counts. */
  value: number;
  /** For a new user: whether the user is in the control group. */
  control: boolean;
  eventId: string;
  /** Fingerprint of the idempotency key, a signed 64-bit integer as text; null without a key. */
  fingerprint: string | null;
  /** JSON of the passed fields of the user (ScriptProfile). */
  profile: string | null;
  /** Event attributes: no, value, no, value, …; only those with a text belong to the history. */
  attributes: (number | string | boolean)[];
  /** null unless the event happened before it was recorded. */
  late: LateChange | null;
}

/** What an event of the past differs in. */
export interface LateChange {
  /** When it happened, ms. */
  at: number;
  /** The user's local day when it was recorded. */
  today: number;
  repair: RepairedHistory | null;
  /** Numbers of achievements that are revoked because the event undoes another one. */
  revoked: number[];
}

/** An event of the past, as it was passed to lua/importEvents.lua. */
export interface PastEventChange extends EventChange {
  /** When it happened, ms. */
  at: number;
}

/** A change as it was passed to lua/changeUser.lua. */
export interface UserChange {
  userId: string;
  /** For a new user: whether the user is in the control group. */
  control: boolean;
  profile: string | null;
  /** Number of the achievement to complete by API. */
  achievement: number | null;
  /** For an adjustment of points: the id from which the id of the award is derived. */
  adjustmentId: string | null;
  reward: RewardChange | null;
  /** Number of the achievement to revoke. */
  revoked: number | null;
  isActivation: boolean;
  /** What an administrator did to the streak. */
  amendment: Amendment | null;
}

/** The reward of a run. Days are ordinals. */
export interface RewardChange extends Omit<RecordOf<typeof REWARD>, 'trigger' | 'points'> {
  /** Number of the leaderboard. */
  board: number;
}

/**
 * A user whom lua/settleUsers.lua settled, and as of which instant (ms). A user may be settled at several
 * instants, one after the other.
 */
export interface SettledUser {
  userId: string;
  at: number;
}

/** Largest value of an integer column in PostgreSQL. */
const TENANT_MAX = 2 ** 31 - 1;
/** Range of valid instants; PostgreSQL and JavaScript can both represent all of them. */
const NOW_MS_MIN = 0;
const NOW_MS_MAX = Date.UTC(9999, 0, 1);

/** Consumer group of the relays. */
export const RELAY_GROUP = 'relay';
/** Prefix of the consumers that hold entries of a format which the relay that read them does not know. */
export const FORMAT_CONSUMER = 'format:';

/** Formats that this version can decode. */
export const KNOWN_FORMATS: ReadonlySet<string> = new Set(Object.values(ENTRY_FORMAT));

/** Names of the consumers whose entries this version can decode. */
export const KNOWN_FORMAT_CONSUMERS = Array.from(KNOWN_FORMATS, formatConsumer);

export function formatConsumer(format: string): string {
  return FORMAT_CONSUMER + format;
}

/** Whether a text may be the format of an entry of another version. */
const FORMAT = /^[A-Za-z]{1,40}\/\d{1,4}$/;

/** Thrown for an entry that another version of laurel has written. */
export class UnknownFormatError extends Error {
  readonly format: string;

  constructor(format: string) {
    super(`unknown format ${format}`);
    this.format = format;
  }
}

/**
 * Decodes the fields of an entry, alternating names and values.
 * @throws UnknownFormatError if another version has written the entry; Error with the reason if no version
 * can have written it
 */
export function decodeEntry(fields: readonly Buffer[]): OutboxEntry {
  const named = new Map<string, Buffer>();
  for (let i = 0; i + 1 < fields.length; i += 2) named.set(fields[i]!.toString('latin1'), fields[i + 1]!);
  const field = (name: string): Buffer => {
    const value = named.get(name);
    if (value === undefined) throw new Error(`the entry has no field ${name}`);
    return value;
  };

  const format = field(ENTRY.format).toString('latin1');
  const fn = SCRIPT_OF.get(format);
  const isImport = format === ENTRY_FORMAT.settleImported && { isImport: true as const };
  if (!fn) throw FORMAT.test(format) ? new UnknownFormatError(format) : new Error('the format is invalid');
  const tenant = tenantOf(fields);
  if (tenant === null) throw new Error('the entry does not name a tenant');
  const now = instant(Number(field(ENTRY.now).toString('latin1')), 'now');
  const [asked] = unpackAll(field(ENTRY.asked));
  if (fn === 'moveUsers') return { tenant, fn, now, changes: readMovedUsers(asked) };
  const out = field(ENTRY.outcomes);
  if (fn === 'recordEvents') {
    const [details, trace] = unpackAll(field(ENTRY.details));
    const late = named.has(ENTRY.late) ? readLate(field(ENTRY.late), field(ENTRY.today)) : null;
    const changes = zip(readEvents(asked, details, late), out, isRecorded);
    for (const { change, outcome } of changes) change.value = outcome.clamped?.to ?? change.value;
    return { tenant, fn, now, changes, ...(typeof trace === 'string' && { trace }) };
  }
  if (fn === 'importUsers') {
    const [details] = unpackAll(field(ENTRY.details));
    const changes = zip(readImportedUsers(asked, details), out, isRecorded);
    return { tenant, fn, now, changes, isImport: true };
  }
  if (fn === 'importEvents') {
    const events = readEvents(asked, unpackAll(field(ENTRY.details))[0], null);
    const [instants] = unpackAll(field(ENTRY.instants)) as [number[]];
    const past = events as PastEventChange[];
    for (const [i, event] of past.entries()) event.at = instant(instants[i]!, 'instant');
    const changes = zip(past, out, isRecorded);
    for (const { change, outcome } of changes) change.value = outcome.clamped?.to ?? change.value;
    return { tenant, fn, now, changes, isImport: true };
  }
  if (fn === 'settleUsers') {
    return { tenant, fn, now, changes: zip(readSettled(asked), out, isSettled), ...isImport };
  }
  return { tenant, fn, now, changes: zip([readUserChange(asked)], out, isRecorded) };
}

/** Formats that are read as those of another script. */
const ENTRY_READER: Record<string, OutboxEntry['fn'] | undefined> = {
  recordLateEvent: 'recordEvents',
  settleImported: 'settleUsers',
};

/** The script that writes a format. */
const SCRIPT_OF = new Map(
  Object.entries(ENTRY_FORMAT).map(([script, format]): [string, OutboxEntry['fn']] => [
    format,
    ENTRY_READER[script] ?? (script as OutboxEntry['fn']),
  ]),
);

/** The tenant of an entry that may be invalid otherwise; null if the entry has no valid tenant. */
export function tenantOf(fields: readonly Buffer[]): number | null {
  const tenant = Number(fieldOf(fields, ENTRY.tenant));
  return Number.isInteger(tenant) && tenant > 0 && tenant <= TENANT_MAX ? tenant : null;
}

type IsKind<O> = (outcome: Outcome) => outcome is Extract<Outcome, O>;
const isRecorded: IsKind<{ status: 'recorded' }> = (outcome) => outcome.status === 'recorded';
const isSettled: IsKind<{ status: 'settled' }> = (outcome) => outcome.status === 'settled';

function zip<T, O extends Outcome>(
  asked: T[],
  out: Buffer,
  counts: (outcome: Outcome) => outcome is O,
): Recorded<T, O>[] {
  const outcomes = decodeOutcomes(out);
  if (outcomes.length !== asked.length) {
    throw new Error(`${asked.length} changes have ${outcomes.length} outcomes`);
  }
  const recorded: Recorded<T, O>[] = [];
  for (let i = 0; i < asked.length; i++) {
    const outcome = outcomes[i]!;
    if (counts(outcome)) recorded.push({ change: asked[i]!, outcome });
  }
  return recorded;
}

function readLate(packed: Buffer, today: Buffer): LateChange {
  const { at, repair, undo } = readRecord(LATE, unpackAll(packed)[0] as Flat<RecordOf<typeof LATE>>);
  return {
    at: instant(at, 'instant'),
    today: Number(today.toString('latin1')),
    repair: Array.isArray(repair) ? readRepair(repair) : null,
    revoked: Array.isArray(undo) ? readRecord(UNDO, undo).achievements : [],
  };
}

function readEvents(flat: unknown, details: unknown, late: LateChange | null): EventChange[] {
  if (!isListOf(EVENT, flat)) throw new Error('the events are not a list of events');
  const count = flat.length / EVENT.size;
  if (!isListOf(DETAIL, details) || details.length / DETAIL.size !== count) {
    throw new Error(`the details are not those of ${count} events`);
  }
  const events: EventChange[] = [];
  for (let i = 0; i < count; i++) {
    const at = i * EVENT.size;
    const detailAt = i * DETAIL.size;
    events.push({
      userId: check(valueAt(flat, at, EVENT.at.userId), 'string', 'user id'),
      metric: check(valueAt(flat, at, EVENT.at.metric), 'number', 'metric'),
      value: check(valueAt(flat, at, EVENT.at.value), 'number', 'value'),
      control: valueAt(flat, at, EVENT.at.control) === true,
      eventId: check(valueAt(details, detailAt, DETAIL.at.eventId), 'string', 'event id'),
      fingerprint: valueAt(flat, at, EVENT.at.fingerprint) || null,
      profile: valueAt(details, detailAt, DETAIL.at.profile) || null,
      attributes: valueAt(flat, at, EVENT.at.attributes) || [],
      late,
    });
  }
  return events;
}

function readSettled(flat: unknown): SettledUser[] {
  if (!isListOf(SETTLED_AT, flat)) throw new Error('the users are not a list of users');
  return readRecords(SETTLED_AT, flat).map(({ userId, at }) => ({
    userId: check(userId, 'string', 'user id'),
    at: instant(at * 1000, 'instant'),
  }));
}

/** @throws Error if the instant is out of range */
function instant(ms: number, what: string): number {
  if (!Number.isSafeInteger(ms) || ms < NOW_MS_MIN || ms >= NOW_MS_MAX)
    throw new Error(`the ${what} is ${ms} ms`);
  return ms;
}

function readUserChange(asked: unknown): UserChange {
  if (!Array.isArray(asked)) throw new Error('the change is not a list');
  const { amendment, correction, ...change } = readRecord(USER_CHANGE, asked);
  const corrected = correction ? readRecord(CORRECTION, correction) : null;
  const reward = corrected?.operation === CORRECT.reward ? readReward(corrected) : null;
  return {
    userId: check(change.userId, 'string', 'user id'),
    control: change.control === true,
    profile: change.profile || null,
    achievement: reward === null && change.achievements ? change.achievements[0]! : null,
    adjustmentId: corrected?.operation === CORRECT.adjust ? corrected.id || null : null,
    reward,
    revoked: corrected?.operation === CORRECT.revoke ? (corrected.no as number) : null,
    isActivation: Array.isArray(change.activation),
    amendment: Array.isArray(amendment) ? (readRecord(AMENDMENT, amendment).operation as Amendment) : null,
  };
}

function readReward({ no, reward }: RecordOf<typeof CORRECTION>): RewardChange {
  const { trigger: _trigger, points: _points, at, ...run } = readRecord(REWARD, reward || []);
  return { ...run, board: no as number, at: instant(at, 'end') };
}

function check<T>(value: T, type: 'string' | 'number', what: string): T {
  if (typeof value !== type) throw new Error(`the ${what} is ${JSON.stringify(value)}`);
  return value;
}

export const fieldOf = (fields: readonly Buffer[], name: string): string | undefined =>
  bufferOf(fields, name)?.toString('latin1');

export function bufferOf(fields: readonly Buffer[], name: string): Buffer | undefined {
  const at = fields.findIndex((field, i) => i % 2 === 0 && field.toString('latin1') === name);
  return at === -1 ? undefined : fields[at + 1];
}
