import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Variables } from './envValues.ts';

/** Shortest secret for HS256 (RFC 7518, section 3.2). */
export const USER_TOKEN_SECRET_BYTES_MIN = 32;

/* Variables of the keys that verify user tokens. */

export interface UserTokenKeys {
  /** Secrets for HS256. A token signed with any of them is valid, so that they can be rotated. */
  secrets: string[];
  /** Where the public keys for RS256, ES256 and EdDSA are: http, https or file. */
  jwks: URL | null;
  /** What `aud` of every token must contain; null for no check. */
  audience: string | null;
}

/** Errors show nothing of the secrets. */
export function tokenSecrets(source: Variables, name: string): string[] {
  const secrets = (source[name] ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  if (secrets.some((secret) => Buffer.byteLength(secret) < USER_TOKEN_SECRET_BYTES_MIN)) {
    throw new Error(
      `each secret in ${name} must have at least ${USER_TOKEN_SECRET_BYTES_MIN} bytes; secrets are separated by commas`,
    );
  }
  return secrets;
}

export function jwksUrl(source: Variables, name: string): URL | null {
  const text = source[name];
  if (!text) return null;
  if (/^https?:/.test(text) && URL.canParse(text)) return new URL(text);
  const path = resolve(text);
  if (existsSync(path)) return pathToFileURL(path);
  throw new Error(
    `${name} must be a URL such as https://id.example/jwks.json, or the path of a file, not "${text}"`,
  );
}
