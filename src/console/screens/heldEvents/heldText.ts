import type { ListedHeldEvent } from '../../../contract/heldEvents.ts';
import { formatNumber } from '../../text/format.ts';

/** Held events in words. */

export type Verb = 'approve' | 'reject';

export const VERBS: Record<Verb, { title: string; past: string; effect: string }> = {
  approve: { title: 'Approve', past: 'Approved', effect: 'counts at its own time, without guards.' },
  reject: { title: 'Reject', past: 'Rejected', effect: 'changes nothing.' },
};

/** Reasons why a guard held an event. */
export const GUARDS: Record<NonNullable<ListedHeldEvent['guard']>, string> = {
  minValue: 'Value too low',
  maxValue: 'Value too high',
  cooldownSeconds: 'Too soon after the previous event',
  limits: 'Hourly or daily limit exceeded',
};

export const whoOf = ({ userId, userName }: Pick<ListedHeldEvent, 'userId' | 'userName'>): string =>
  userName ?? userId;

/** "Ada, Lessons completed 101" @param metric name of the metric */
export const titleOf = (event: ListedHeldEvent, metric: string): string =>
  `${whoOf(event)}, ${metric} ${formatNumber(event.value)}`;
