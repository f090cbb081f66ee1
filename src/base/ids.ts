import { hash, randomBytes, randomFillSync } from 'node:crypto';

/** FNV-1a over the UTF-16 code units. Fast and stable; distributes tenants over cells. 32 bits, unsigned. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/** cyrb53: 53 bits, exact in a double, never 0. It detects changes of content; it is not cryptographic. */
export function hash53(text: string): number {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 0x1_0000_0000 * (h2 & 0x1f_ffff) + (h1 >>> 0) || 1;
}

const ID_BYTES = 16;
/** Random bytes of the next ids. */
const pool = Buffer.allocUnsafe(256 * ID_BYTES);
let poolAt = pool.length;
/** The last id as text; the hyphens stay. */
const idText = Buffer.from('00000000-0000-0000-0000-000000000000');
/** Where the two digits of each byte of an id begin. */
const DIGITS_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const HEX_DIGITS = Buffer.from('0123456789abcdef');

/** A number from 52 bits of the SHA-1 of a text, the only hash that scripts have. */
export const hashOfScripts = (text: string): number => Number.parseInt(hash('sha1', text).slice(0, 13), 16);

/**
 * A random UUID (RFC 9562, version 4). It takes a third of the time of `crypto.randomUUID`, which joins
 * twenty texts: each event has an id.
 */
export function newId(): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  pool[poolAt + 6] = (pool[poolAt + 6]! & 0x0f) | 0x40;
  pool[poolAt + 8] = (pool[poolAt + 8]! & 0x3f) | 0x80;
  for (let i = 0; i < ID_BYTES; i++) {
    const byte = pool[poolAt + i]!;
    const at = DIGITS_AT[i]!;
    idText[at] = HEX_DIGITS[byte >> 4]!;
    idText[at + 1] = HEX_DIGITS[byte & 0xf]!;
  }
  poolAt += ID_BYTES;
  return idText.toString('latin1');
}

/**
 * The id of the n-th award or completion that an event caused. The server's answer and the relay's row derive
 * the same id independently.
 */
export function derivedId(eventId: string, n: number): string {
  const tail = (Number.parseInt(eventId.slice(32), 16) + n) & 0xffff;
  return eventId.slice(0, 32) + tail.toString(16).padStart(4, '0');
}

function digest(values: (string | number)[]): Buffer {
  return hash('sha256', JSON.stringify(values), 'buffer');
}

/** A number from 0 to below 1 that the values determine, uniformly distributed also over consecutive ids. */
export function uniformShare(values: (string | number)[]): number {
  return digest(values).readUInt32BE(0) / 0x1_0000_0000;
}

/**
 * Sixteen bytes of a digest as a version-8 UUID. The standard defines version and variant bits; the rest is
 * free.
 */
function uuidOf(bytes: Buffer, from: number): string {
  const hex = bytes.toString('hex', from, from + 16);
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export interface IdempotencyIdentity {
  /** First 64 bits as a signed decimal, which Redis keeps as an 8-byte integer. */
  fingerprint: string;
  eventId: string;
}

/** Fingerprint and event id come from one digest, so a repeated event is answered with the original id. */
export function idempotencyIdentity(
  tenant: number,
  userId: string,
  metric: number,
  key: string,
): IdempotencyIdentity {
  const bytes = digest([tenant, userId, metric, key]);
  return { fingerprint: bytes.readBigInt64BE(0).toString(), eventId: uuidOf(bytes, 8) };
}

/**
 * The fingerprint under which an event by an administrator is recorded once. No idempotency key has the same
 * digest.
 */
export const adminEventFingerprint = (tenant: number, eventId: string): string =>
  digest([tenant, 'approval', eventId]).readBigInt64BE(0).toString();

/** The id of the event that undoes an event. The same event always gives the same id. */
export const undoId = (tenant: number, eventId: string): string =>
  uuidOf(digest(['undo', tenant, eventId]), 0);

const INSTANT_HEX = 12;

/**
 * The id of an event whose key was used at an instant (ms) under an idempotency window: a version-7 UUID, so
 * ids show whether they contain an instant.
 * @param eventId that of the key (idempotencyIdentity)
 */
export function eventIdAt(eventId: string, instant: number): string {
  return `${instantHex(instant)}-7${eventId.slice(15)}`;
}

/** The instant (ms) in the id of an event (eventIdAt); null for an id without one. */
export function instantOfEvent(eventId: string): number | null {
  return eventId[14] === '7' ? instantOfId(eventId) : null;
}

function instantHex(instant: number): string {
  const hex = instant.toString(16).padStart(INSTANT_HEX, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The instant (ms) distinguishes a completion from an earlier one that was revoked. */
export function completionId(
  tenant: number,
  userId: string,
  achievement: number,
  completedAt: number,
): string {
  return uuidOf(digest(['completion', tenant, userId, achievement, completedAt]), 0);
}

/** A change without an event id gets its id from its position in the outbox: cell, entry and change. */
export function outboxId(cell: number, entry: string, change: string): string {
  return uuidOf(digest(['outbox', cell, entry, change]), 0);
}

/**
 * The id of a delivery whose cause happened at an instant (ms). The same values make the same id. It starts
 * with the instant, so ids sort by time and tell the partition of the row.
 */
export function deliveryId(at: number, values: (string | number)[]): string {
  return instantHex(at) + uuidOf(digest(values), 0).slice(13);
}

/** The id of a message by an administrator: the same key gives the same id. */
export const userMessageId = (tenant: number, key: string): string =>
  uuidOf(digest(['message', tenant, key]), 0);

/** Hash of the values. The same values make the same hash. */
export function hashId(values: (string | number)[]): string {
  return uuidOf(digest(['hash', ...values]), 0);
}

/** The instant (ms) at the start of a delivery id. */
export const instantOfDelivery = (id: string): number => instantOfId(id);

function instantOfId(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, INSTANT_HEX), 16);
}

/** Seed of the id of an adjustment's award: the same key gives the same seed. */
export function adjustmentId(tenant: number, userId: string, system: number, key: string): string {
  return uuidOf(digest(['adjustment', tenant, userId, system, key]), 0);
}

/** Seed of the ids of the awards that a run of a leaderboard gives a user. */
export function rewardId(tenant: number, userId: string, leaderboard: number, run: number): string {
  return uuidOf(digest(['reward', tenant, userId, leaderboard, run]), 0);
}

export interface NewApiKey {
  key: string;
  prefix: string;
}

/** A key `prefix.body`. The prefix of eight characters is safe to log; the body is shown once. */
export function newAdminKey(): NewApiKey {
  return newKey('');
}

/** A key `app_prefix.body`. The prefix `app_` distinguishes it from an admin key. */
export function newApplicationKey(): NewApiKey {
  return newKey('app_');
}

function newKey(mark: string): NewApiKey {
  const prefix = mark + randomBytes(6).toString('base64url').replace(/[-_]/g, 'x');
  return { key: `${prefix}.${randomBytes(24).toString('base64url')}`, prefix };
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
