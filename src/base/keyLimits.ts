/** Bounds of idempotency keys. */

/** Default and maximum of LAUREL_IDEMPOTENCY_HOT_DAYS. */
export const IDEMPOTENCY_HOT_DAYS = 30;
export const IDEMPOTENCY_HOT_DAYS_MAX = 365;
/** Slices of time in which Redis keeps used keys. An event searches each of them. */
export const KEY_SLICE_MS_MIN = 60_000;
export const KEY_SLICE_MS_MAX = 10 * 86_400_000;
/** Shortest window: two uses of a key are never in one slice. */
export const IDEMPOTENCY_WINDOW_SECONDS_MIN = 60;
/** Keys of an erased user that one script call removes. */
export const FINGERPRINTS_PER_EDIT = 500;
/** Questions that a server asks PostgreSQL at once, each about the keys of one call; and those that wait. */
export const KEY_QUESTIONS_AT_ONCE_MAX = 4;
export const KEY_QUESTIONS_WAITING_MAX = 1_000;

if (KEY_SLICE_MS_MIN > 1_000 * IDEMPOTENCY_WINDOW_SECONDS_MIN)
  throw new Error('KEY_SLICE_MS_MIN must not exceed IDEMPOTENCY_WINDOW_SECONDS_MIN');
