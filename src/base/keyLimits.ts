/** Bounds of idempotency keys. */

/** Slices of time in which Redis keeps used keys. An event searches each of them. */
export const KEY_SLICE_MS_MIN = 60_000;
export const KEY_SLICE_MS_MAX = 10 * 86_400_000;
/** Shortest window: two uses of a key are never in one slice. */
export const IDEMPOTENCY_WINDOW_SECONDS_MIN = 60;

if (KEY_SLICE_MS_MIN > 1_000 * IDEMPOTENCY_WINDOW_SECONDS_MIN)
  throw new Error('KEY_SLICE_MS_MIN must not exceed IDEMPOTENCY_WINDOW_SECONDS_MIN');
