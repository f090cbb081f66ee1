import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { sha256 } from '../base/ids.ts';
import { CONSOLE_LINK_SECONDS } from '../base/limits.ts';
import { keys } from './keys.ts';

/** Links into the console that work once. Redis holds the hash of the secret until it expires. */

const SECRET_BYTES = 32;

const keyOf = (secret: string): string => keys.consoleLink(sha256(secret).toString('hex'));

/** Makes the secret of a link. */
export async function createConsoleLink(redis: Redis): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await redis.set(keyOf(secret), '1', 'EX', CONSOLE_LINK_SECONDS);
  return secret;
}

/** Whether the secret is that of a link that was neither used nor has expired. The link is used up by this. */
export async function useConsoleLink(redis: Redis, secret: string): Promise<boolean> {
  return (await redis.getdel(keyOf(secret))) !== null;
}
