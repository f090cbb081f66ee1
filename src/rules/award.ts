import { ADJUSTMENT_TRIGGER } from './config.ts';

/** Instead of the number of a trigger: an import has set the points. */
export const IMPORT_TRIGGER = -1;

/** What an award that no configured trigger caused comes from; null for any other award. */
export function unconfiguredTrigger(no: number): 'adjustment' | 'import' | null {
  if (no === ADJUSTMENT_TRIGGER) return 'adjustment';
  return no === IMPORT_TRIGGER ? 'import' : null;
}

/** Number of an event attribute that is not configured: where a total comes from that no event has made. */
export const ORIGIN_ATTRIBUTE = 0;

/** An award as the history holds it. */
export interface StoredAward {
  id: string;
  /** Number of the trigger. */
  trigger: number;
  awarded: number;
  /** Total after the award. */
  total: number;
  date: Date;
  /** Numbers of the boosts that applied. */
  boosts: number[] | null;
}
