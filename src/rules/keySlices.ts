import { KEY_SLICE_MS_MAX, KEY_SLICE_MS_MIN } from '../base/keyLimits.ts';
import type { Settings } from './tenantSettings.ts';

/** Slices in which used idempotency keys run out, one after the other, under a window. */
const SLICES_PER_WINDOW = 4;

/** Length of the slices of time in which Redis keeps used idempotency keys. */
export function keySliceMs({ idempotencyWindowSeconds }: Pick<Settings, 'idempotencyWindowSeconds'>): number {
  if (idempotencyWindowSeconds === null) return KEY_SLICE_MS_MAX;
  const quarter = Math.ceil((idempotencyWindowSeconds * 1_000) / SLICES_PER_WINDOW);
  return Math.min(KEY_SLICE_MS_MAX, Math.max(KEY_SLICE_MS_MIN, quarter));
}

/** Beginning of the slice that contains an instant (ms). */
export function keySliceAt(instant: number, sliceMs: number): number {
  return instant - (instant % sliceMs);
}
