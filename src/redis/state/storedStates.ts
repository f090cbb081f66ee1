import { pack, unpackAll } from '../decoding/codec.ts';
import { STORED_USER } from '../layouts/argumentLayout.ts';
import { readRecords, setValue } from '../layouts/recordLayout.ts';
import type { Scripts } from '../scripts/scripts.ts';

/** A user's state as Redis holds it: both parts, not decoded (see decodeUserState). */
export interface StoredState {
  tenant: number;
  userId: string;
  hot: Buffer;
  cold: Buffer;
}

/** States of users of any tenants, packed until they are merged into snapshots. */
export interface PackedStates {
  users: Buffer;
  states: Buffer;
}

/** Users that one script call reads: bounds how long a call blocks Redis. */
const USERS_PER_CALL = 500;

/** Reads the present states of users of a cell; both parts of a user are read at the same moment. */
export async function readPackedStates(
  scripts: Scripts,
  cell: number,
  users: readonly { tenant: number; userId: string }[],
): Promise<PackedStates[]> {
  const calls: Promise<PackedStates>[] = [];
  for (let at = 0; at < users.length; at += USERS_PER_CALL) {
    const some = users.slice(at, at + USERS_PER_CALL);
    const packed = pack(recordsOf(some));
    calls.push(scripts.readUserStates(cell, packed).then((states) => ({ users: packed, states })));
  }
  return Promise.all(calls);
}

/** Without an object between: the relay asks for nearly every user of its batches. */
function recordsOf(users: readonly { tenant: number; userId: string }[]): (number | string)[] {
  const { size, at } = STORED_USER;
  const records = new Array<number | string>(users.length * size);
  for (const [i, { tenant, userId }] of users.entries()) {
    setValue(records, i * size, at.tenant, tenant);
    setValue(records, i * size, at.userId, userId);
  }
  return records;
}

/** The states that lua/readUserStates.lua found, without unknown users. */
export function unpackStates({ users, states }: PackedStates): StoredState[] {
  const [asked] = unpackAll(users) as [(number | string)[]];
  const found: StoredState[] = [];
  let at = 0;
  for (const { tenant, userId } of readRecords(STORED_USER, asked)) {
    const hotAt = at + 8;
    const coldAt = hotAt + states.readUInt32BE(at);
    const end = coldAt + states.readUInt32BE(at + 4);
    if (coldAt > hotAt) {
      found.push({
        tenant,
        userId,
        hot: states.subarray(hotAt, coldAt),
        cold: states.subarray(coldAt, end),
      });
    }
    at = end;
  }
  return found;
}
