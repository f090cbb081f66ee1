import { unpackAll } from '../../src/redis/decoding/codec.ts';
import { setValue } from '../../src/redis/layouts/recordLayout.ts';
import { USER_HOT } from '../../src/redis/layouts/userLayout.ts';

/**
 * The values of the hot part of a user, without whether Redis keeps the user's history: reads change that, and
 * no snapshot follows.
 */
export function hotValues(hot: Buffer): unknown[] {
  const values = unpackAll(hot);
  setValue(values, 0, USER_HOT.at.keepsHistory, false);
  return values;
}
