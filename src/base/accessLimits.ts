/* Bounds of keys, of user tokens, of signing in through a provider, and of what assistants read. */

/** Reads of changed keys that wait for the one before. A server that falls behind loads all keys. */
export const KEY_READS_WAITING_MAX = 1_000;
/** Farthest that a user token may expire ahead, and its longest text. */
export const USER_TOKEN_HOURS_MAX = 24;
export const USER_TOKEN_BYTES_MAX = 8 * 1024;
/** Difference between the clocks of laurel and of the signer that `nbf` and the longest lifetime allow. */
export const USER_TOKEN_CLOCK_SKEW_SECONDS = 10;
/** Verified tokens that a server remembers. The least recently used ones are verified again. */
export const USER_TOKENS_REMEMBERED_MAX = 50_000;
/** Shortest secret for HS256 (RFC 7518, section 3.2). */
export const USER_TOKEN_SECRET_BYTES_MIN = 32;
/** Secrets of one tenant. */
export const USER_TOKEN_SECRETS_MAX = 5;
/** Timeout of a read of the public keys, and shortest time between two reads. */
export const USER_TOKEN_JWKS_MS_MAX = 3_000;
export const USER_TOKEN_JWKS_COOLDOWN_MS = 30_000;
/** Rules of LAUREL_OIDC_ROLES, and groups of a person that are compared with them. */
export const ROLE_RULES_MAX = 100;
export const GROUPS_MAX = 1_000;
/** Longest subject of a person at a provider (OpenID Connect Core 1.0, section 2). */
export const SUBJECT_CHARS_MAX = 255;
/** Time for a person to sign in at the provider. */
export const SIGN_IN_SECONDS_MAX = 600;
/** Longest address in the console to which a sign-in returns. */
export const RETURN_PATH_CHARS_MAX = 500;
/** Timeout of a request to the provider, and time for which what it says of itself is valid. */
export const PROVIDER_SECONDS_MAX = 5;
export const PROVIDER_VALID_SECONDS = 3_600;
/** Difference between the clocks of laurel and of the provider. */
export const PROVIDER_CLOCK_SKEW_SECONDS = 30;
/** Sign-ins and sign-outs that ask the provider at once, and that wait for this. */
export const PROVIDER_CALLS_AT_ONCE_MAX = 8;
export const PROVIDER_CALLS_WAITING_MAX = 100;
/** Size of a sign-out that the provider reports, and its age. */
export const LOGOUT_BODY_BYTES_MAX = 16 * 1024;
export const LOGOUT_TOKEN_SECONDS_MAX = 300;
/** Size of a message to `/mcp`, which may contain a configuration file, and of the result of a tool. */
export const MCP_BODY_BYTES_MAX = 4 * 1024 * 1024;
export const TOOL_RESULT_CHARS_MAX = 50_000;
/** Sections of the documentation that one search finds, and their length. */
export const DOCUMENT_SECTIONS_FOUND_MAX = 6;
export const DOCUMENT_SECTION_CHARS_MAX = 3_000;
