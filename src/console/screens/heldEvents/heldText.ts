import type { ListedHeldEvent } from '../../../contract/heldEvents.ts';
import { formatNumber } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';

/** Held events in words. */

export type Verb = 'approve' | 'reject';

interface VerbTexts {
  title: string;
  current: string;
  selected: string;
  all: string;
  /** Titles of dialogs. */
  one: string;
  many(events: number): string;
  past: string;
  done: string;
  /** Of a single event and of each of many. */
  effect: string;
  effectOfEach: string;
}

export const VERBS: Record<Verb, VerbTexts> = {
  approve: {
    title: t('Approve'),
    current: t('Approve current'),
    selected: t('Approve selected'),
    all: t('Approve all'),
    one: t('Approve the event'),
    many: (events) => plural(events, 'Approve {n} event', 'Approve {n} events'),
    past: t('Approved'),
    done: t('Approved.'),
    effect: t('The event counts at its own time, without guards.'),
    effectOfEach: t('Each event counts at its own time, without guards.'),
  },
  reject: {
    title: t('Reject'),
    current: t('Reject current'),
    selected: t('Reject selected'),
    all: t('Reject all'),
    one: t('Reject the event'),
    many: (events) => plural(events, 'Reject {n} event', 'Reject {n} events'),
    past: t('Rejected'),
    done: t('Rejected.'),
    effect: t('The event changes nothing.'),
    effectOfEach: t('Each event changes nothing.'),
  },
};

/** Reasons why a guard held an event. */
export const GUARDS: Record<NonNullable<ListedHeldEvent['guard']>, string> = {
  minValue: t('Value too low'),
  maxValue: t('Value too high'),
  cooldownSeconds: t('Too soon after the previous event'),
  limits: t('Hourly or daily limit exceeded'),
};

export const whoOf = ({ userId, userName }: Pick<ListedHeldEvent, 'userId' | 'userName'>): string =>
  userName ?? userId;

/** "Ada, Lessons completed 101" @param metric name of the metric */
export const titleOf = (event: ListedHeldEvent, metric: string): string =>
  `${whoOf(event)}, ${metric} ${formatNumber(event.value)}`;
