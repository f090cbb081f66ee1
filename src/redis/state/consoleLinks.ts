import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { sha256 } from '../../base/ids.ts';
import { CONSOLE_LINK_SECONDS } from '../../base/limits.ts';
import { keys } from '../keys/redisKeys.ts';

/** One-time links that sign in to the console. Redis holds the hash of the secret until it expires. */

const SECRET_BYTES = 32;

const keyOf = (secret: string): string => keys.consoleLink(sha256(secret).toString('hex'));

/** Creates the secret of a new link. */
export async function createConsoleLink(redis: Redis): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await redis.set(keyOf(secret), '1', 'EX', CONSOLE_LINK_SECONDS);
  return secret;
}

/** Uses a link. @returns false if the secret is unknown, used or expired */
export async function useConsoleLink(redis: Redis, secret: string): Promise<boolean> {
  return (await redis.getdel(keyOf(secret))) !== null;
}
