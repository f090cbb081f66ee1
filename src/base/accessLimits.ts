/* Bounds of keys, of user tokens, of signing in through a provider, and of what assistants read. */

/** Farthest that a user token may expire ahead, and its longest text. */
export const USER_TOKEN_HOURS_MAX = 24;
export const USER_TOKEN_BYTES_MAX = 8 * 1024;
/** Difference between the clocks of laurel and of the signer that `nbf` and the longest lifetime allow. */
export const USER_TOKEN_CLOCK_SKEW_SECONDS = 10;
/** Rules of LAUREL_OIDC_ROLES, and groups of a person that are compared with them. */
export const ROLE_RULES_MAX = 100;
export const GROUPS_MAX = 1_000;
/** Difference between the clocks of laurel and of the provider. */
export const PROVIDER_CLOCK_SKEW_SECONDS = 30;
/** Size of a sign-out that the provider reports, and its age. */
export const LOGOUT_BODY_BYTES_MAX = 16 * 1024;
export const LOGOUT_TOKEN_SECONDS_MAX = 300;
/** Size of a message to `/mcp`, which may contain a configuration file, and of the result of a tool. */
export const MCP_BODY_BYTES_MAX = 4 * 1024 * 1024;
export const TOOL_RESULT_CHARS_MAX = 50_000;
/** Sections of the documentation that one search finds, and their length. */
export const DOCUMENT_SECTIONS_FOUND_MAX = 6;
export const DOCUMENT_SECTION_CHARS_MAX = 3_000;
