import type { CountingPeriod } from '../contract/conditions/condition.ts';
import type { Frequency } from './config.ts';

const FREQUENCY_OF: Record<CountingPeriod, Frequency> = { day: 'daily', week: 'weekly', month: 'monthly' };

/** The frequency of streaks that has the same periods. */
export const frequencyOf = (per: CountingPeriod): Frequency => FREQUENCY_OF[per];
