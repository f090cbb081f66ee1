import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { USER_TOKEN_SECRET_BYTES_MIN } from './accessLimits.ts';
import type { Variables } from './envValues.ts';

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
export function userTokenKeys(source: Variables): UserTokenKeys {
  const secrets = (source.LAUREL_USER_TOKEN_SECRET ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  if (secrets.some((secret) => Buffer.byteLength(secret) < USER_TOKEN_SECRET_BYTES_MIN)) {
    throw new Error(
      `LAUREL_USER_TOKEN_SECRET must have at least ${USER_TOKEN_SECRET_BYTES_MIN} bytes in each secret; commas separate secrets`,
    );
  }
  return {
    secrets,
    jwks: jwksUrl(source.LAUREL_USER_TOKEN_JWKS),
    audience: source.LAUREL_USER_TOKEN_AUDIENCE || null,
  };
}

function jwksUrl(text: string | undefined): URL | null {
  if (!text) return null;
  if (/^https?:/.test(text) && URL.canParse(text)) return new URL(text);
  const path = resolve(text);
  if (existsSync(path)) return pathToFileURL(path);
  throw new Error(
    `LAUREL_USER_TOKEN_JWKS must be a URL such as https://id.example/jwks.json, or the path of a file, not "${text}"`,
  );
}
