import type { Redis } from 'ioredis';
import { allShards } from '../base/shards.ts';
import { unpackAll } from './codec.ts';
import { keys } from './keys.ts';
import { type Changes, decodeOutcomes, type Outcome, type Settled } from './outcome.ts';

/**
 * An outbox entry is what one script call did: `fn` (the script), `tenant` (its number), `now` (ms), `in` and, of events,
 * `details` (what was asked, msgpack) and `out` (the outcomes, msgpack). lua/recordEvents.lua, lua/changeUser.lua and lua/settleUsers.lua append them, the relay
 * reads them. Only what was recorded counts: what the same call refused or replayed is left out here.
 */
export type OutboxEntry = { tenant: number; now: number } & (
  | { fn: 'recordEvents'; changes: Recorded<EventChange>[] }
  | { fn: 'changeUser'; changes: Recorded<UserChange>[] }
  | { fn: 'settleUsers'; changes: Recorded<SettledUser, Settled>[] }
);

export interface Recorded<T, O = Changes> {
  change: T;
  outcome: O;
}

/** What lua/recordEvents.lua was asked to record. */
export interface EventChange {
  userId: string;
  metric: number;
  value: number;
  /** Of a new user: whether the user is in the control group. */
  control: boolean;
  eventId: string;
  /** Of the idempotency key: a signed 64-bit integer as text; null without a key. */
  fingerprint: string | null;
  /** Fields of the user that were passed (ScriptProfile), JSON. */
  profile: string | null;
  /** Event attributes: no, value, no, value, …; false clears. */
  attributes: (number | string | false)[];
}

/** What lua/changeUser.lua was asked to do. */
export interface UserChange {
  userId: string;
  /** Of a new user: whether the user is in the control group. */
  control: boolean;
  profile: string | null;
  /** Number of the achievement to complete. */
  achievement: number | null;
  /** Nobody is to be told: it was activated when the user had long come to qualify for it. */
  isSilent: boolean;
}

/** Whom lua/settleUsers.lua has settled, and as of when (ms): time brings one user several things, one after the other. */
export interface SettledUser {
  userId: string;
  at: number;
}

/** The largest integer of PostgreSQL. */
const TENANT_MAX = 2 ** 31 - 1;
/** No event happens outside these years; PostgreSQL and JavaScript agree about every instant between. */
const NOW_MS_MIN = 0;
const NOW_MS_MAX = Date.UTC(9999, 0, 1);

/**
 * Reads the fields of an entry, names and values in turn.
 * @throws Error saying what is wrong, when this is not an entry that a script of this version wrote
 */
export function decodeEntry(fields: readonly Buffer[]): OutboxEntry {
  const named = new Map<string, Buffer>();
  for (let i = 0; i + 1 < fields.length; i += 2) named.set(fields[i]!.toString('latin1'), fields[i + 1]!);
  const field = (name: string): Buffer => {
    const value = named.get(name);
    if (value === undefined) throw new Error(`the entry has no field ${name}`);
    return value;
  };

  const fn = field('fn').toString('latin1');
  const tenant = tenantOf(fields);
  if (tenant === null) throw new Error('the entry does not name a tenant');
  const now = instant(Number(field('now').toString('latin1')), 'now');
  const [asked] = unpackAll(field('in'));
  const out = field('out');
  if (fn === 'recordEvents')
    return { tenant, fn, now, changes: zip(readEvents(asked, unpackAll(field('details'))[0]), out, isRecorded) };
  if (fn === 'settleUsers') return { tenant, fn, now, changes: zip(readSettled(asked), out, isSettled) };
  if (fn === 'changeUser') return { tenant, fn, now, changes: zip([readUserChange(asked)], out, isRecorded) };
  throw new Error(`nobody knows the script ${fn}`);
}

/** The tenant of an entry, whatever else is wrong with it; null when it names none. */
export function tenantOf(fields: readonly Buffer[]): number | null {
  const tenant = Number(fieldOf(fields, 'tenant'));
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
    throw new Error(`${asked.length} changes were asked for, ${outcomes.length} outcomes came of it`);
  }
  const recorded: Recorded<T, O>[] = [];
  for (let i = 0; i < asked.length; i++) {
    const outcome = outcomes[i]!;
    if (counts(outcome)) recorded.push({ change: asked[i]!, outcome });
  }
  return recorded;
}

/** Values of an event in the flat list that lua/recordEvents.lua takes. */
const EVENT_VALUES = 8;
/** And in the one beside it. */
const DETAIL_VALUES = 2;

function readEvents(flat: unknown, details: unknown): EventChange[] {
  if (!Array.isArray(flat) || flat.length % EVENT_VALUES !== 0) throw new Error('the events are not a list of events');
  const count = flat.length / EVENT_VALUES;
  if (!Array.isArray(details) || details.length !== count * DETAIL_VALUES) {
    throw new Error(`the details are not those of ${count} events`);
  }
  const events: EventChange[] = [];
  for (let i = 0; i < count; i++) {
    const at = i * EVENT_VALUES;
    events.push({
      userId: check(flat[at + 1], 'string', 'user id'),
      metric: check(flat[at + 2], 'number', 'metric'),
      value: check(flat[at + 3], 'number', 'value'),
      control: flat[at + 4] === true,
      eventId: check(details[i * DETAIL_VALUES], 'string', 'event id'),
      fingerprint: flat[at + 5] || null,
      profile: details[i * DETAIL_VALUES + 1] || null,
      attributes: flat[at + 7] || [],
    });
  }
  return events;
}

/** Shard, user id, instant in seconds, … */
function readSettled(flat: unknown): SettledUser[] {
  if (!Array.isArray(flat) || flat.length % 3 !== 0) throw new Error('the users are not a list of users');
  const users: SettledUser[] = [];
  for (let i = 0; i < flat.length; i += 3) {
    users.push({ userId: check(flat[i + 1], 'string', 'user id'), at: instant(flat[i + 2] * 1000, 'instant') });
  }
  return users;
}

/** @throws Error when nothing can have happened then */
function instant(ms: number, what: string): number {
  if (!Number.isSafeInteger(ms) || ms < NOW_MS_MIN || ms >= NOW_MS_MAX) throw new Error(`the ${what} is ${ms} ms`);
  return ms;
}

function readUserChange(asked: unknown): UserChange {
  if (!Array.isArray(asked)) throw new Error('the change is not a list');
  return {
    userId: check(asked[1], 'string', 'user id'),
    control: asked[2] === true,
    profile: asked[3] || null,
    achievement: asked[5] || null,
    isSilent: asked[7] === true,
  };
}

function check<T>(value: T, type: 'string' | 'number', what: string): T {
  if (typeof value !== type) throw new Error(`the ${what} is ${JSON.stringify(value)}`);
  return value;
}

export interface RelayLag {
  /** Entries that are not in PostgreSQL yet. */
  entries: number;
  /** When the oldest of them was made, milliseconds since 1970; null when there is none. */
  oldestMs: number | null;
}

/** How far the relay is behind: entries leave the outbox once they are in PostgreSQL. */
export async function readRelayLag(redis: Redis, shards: number): Promise<RelayLag> {
  const streams = allShards(shards).map((shard) => keys.outbox(shard));
  const [lengths, oldest] = await Promise.all([
    Promise.all(streams.map((stream) => redis.xlen(stream))),
    Promise.all(streams.map((stream) => redis.xrangeBuffer(stream, '-', '+', 'COUNT', 1))),
  ]);
  const instants = oldest.flat().map(([, fields]) => instantOf(fields));
  return {
    entries: lengths.reduce((sum, length) => sum + length, 0),
    oldestMs: instants.length === 0 ? null : Math.min(...instants),
  };
}

const instantOf = (fields: Buffer[]): number => Number(fieldOf(fields, 'now'));

function fieldOf(fields: readonly Buffer[], name: string): string | undefined {
  const at = fields.findIndex((field, i) => i % 2 === 0 && field.toString('latin1') === name);
  return at === -1 ? undefined : fields[at + 1]?.toString('latin1');
}
